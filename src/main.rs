//! Ferry: chooses the face, the window or the terminal.

use std::path::PathBuf;
use std::process::ExitCode;

use ferry::cli::{self, Request, Status};

fn main() -> ExitCode {
    let status = match cli::parse(std::env::args_os()) {
        Ok(Request::Job(job)) => cli::run(job),
        Ok(Request::Window(sources)) => window(sources),
        Err(message) => cli::print(&message),
    };
    status.into()
}

#[cfg(feature = "gui")]
fn window(sources: Vec<PathBuf>) -> Status {
    match ferry::ui::run(sources) {
        Ok(()) => Status::Done,
        Err(error) => {
            cli::complain(&error);
            Status::Incomplete
        }
    }
}

#[cfg(not(feature = "gui"))]
fn window(_sources: Vec<PathBuf>) -> Status {
    cli::complain("there is no window in this build");
    Status::Incomplete
}
