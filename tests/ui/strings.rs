//! Every sentence that the window names exists, and every sentence is named.

use std::collections::BTreeSet;
use std::path::Path;

fn sources(folder: &Path, into: &mut String) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push_str(&std::fs::read_to_string(&path).expect("a source"));
        }
    }
}

fn named() -> BTreeSet<String> {
    let mut text = String::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/ui"), &mut text);
    let quoted = text.split("\"window-").skip(1);
    quoted.filter_map(|rest| Some(format!("window-{}", rest.split_once('"')?.0))).collect()
}

fn defined() -> BTreeSet<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/strings/en/window.ftl");
    let text = std::fs::read_to_string(path).expect("the sentences");
    let ids = text.lines().filter_map(|line| line.split_once(" ="));
    ids.map(|(id, _)| id.to_owned()).filter(|id| id.starts_with("window-")).collect()
}

#[test]
fn every_named_sentence_exists() {
    let missing: Vec<_> = named().difference(&defined()).cloned().collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_sentence_is_named() {
    let unused: Vec<_> = defined().difference(&named()).cloned().collect();
    // The titles of the destination dialog for one source are put together.
    assert_eq!(unused, ["window-copy-to-one", "window-move-to-one"]);
}
