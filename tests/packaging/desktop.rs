//! The desktop entry, the metainfo and the icon fit each other and the program.

use std::path::Path;
use std::process::Command;

use crate::{common, file};

const ID: &str = "org.ferrycopier.Ferry";

#[test]
fn all_carry_the_same_name() {
    let entry = file(&format!("flatpak/{ID}.desktop"));
    let metainfo = file(&format!("flatpak/{ID}.metainfo.xml"));
    assert!(entry.contains(&format!("\nIcon={ID}\n")));
    assert!(metainfo.contains(&format!("<id>{ID}</id>")));
    assert!(metainfo.contains(&format!("{ID}.desktop</launchable>")));
    let icon = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("assets/icon/{ID}.svg"));
    assert!(icon.is_file(), "{}", icon.display());
}

#[test]
fn the_entry_starts_the_program_with_files() {
    assert!(file(&format!("flatpak/{ID}.desktop")).contains("\nExec=ferry %F\n"));
}

#[test]
fn the_newest_release_notes_are_of_this_version() {
    let metainfo = file(&format!("flatpak/{ID}.metainfo.xml"));
    let (_, releases) = metainfo.split_once("<releases>").unwrap();
    let (_, newest) = releases.split_once("version=\"").unwrap();
    assert!(newest.starts_with(&format!("{}\"", env!("CARGO_PKG_VERSION"))));
    let (notes, _) = newest.split_once("</release>").unwrap();
    assert!(notes.contains("<li>"), "the release has notes");
}

#[test]
fn the_validators_find_nothing() {
    let checks: [(&str, &[&str], String); 2] = [
        ("desktop-file-validate", &[], format!("flatpak/{ID}.desktop")),
        ("appstreamcli", &["validate", "--no-net"], format!("flatpak/{ID}.metainfo.xml")),
    ];
    for (program, arguments, path) in checks {
        let mut command = Command::new(program);
        let run =
            command.args(arguments).arg(path).current_dir(env!("CARGO_MANIFEST_DIR")).output();
        match run {
            Ok(output) => assert!(
                output.status.success(),
                "{program}:\n{}{}",
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            ),
            Err(_) => common::skip(&format!("{program} is not installed")),
        }
    }
}
