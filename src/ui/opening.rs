//! Opens a folder in the desktop's file manager.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::places::aside;

/// Opens a folder; tells whether a file manager took it. One that stays in the foreground
/// has taken it when it has not failed after a while.
pub async fn in_file_manager(folder: PathBuf) -> bool {
    let open = move || {
        let [input, output, errors] = [Stdio::null(), Stdio::null(), Stdio::null()];
        let mut command = Command::new("xdg-open");
        let command = command.arg(folder).stdin(input).stdout(output).stderr(errors);
        command.status().is_ok_and(|status| status.success())
    };
    aside(open).await.unwrap_or(true)
}
