//! What Ferry depends on, from Cargo.lock and `cargo metadata`: works without the network
//! and without cargo-deny, by the same rules (deny.toml).

use std::process::Command;

use serde_json::Value;

use crate::file;

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// The packages that are built for this platform, Ferry itself left out.
fn packages() -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--offline", "--locked", "--all-features", "--format-version=1"])
        .args(["--filter-platform", "x86_64-unknown-linux-gnu"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let built: Vec<&Value> =
        metadata["resolve"]["nodes"].as_array().unwrap().iter().map(|node| &node["id"]).collect();
    let all = metadata["packages"].as_array().unwrap();
    all.iter().filter(|p| built.contains(&&p["id"]) && p["name"] != "ferry").cloned().collect()
}

/// The licences that deny.toml allows.
fn allowed() -> Vec<String> {
    let rules = file("deny.toml");
    let (_, list) = rules.split_once("allow = [").unwrap();
    let (list, _) = list.split_once(']').unwrap();
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Whether a licence expression can be met with allowed licences alone. Knows `AND`, `OR`,
/// the old `/` for `OR`, and parentheses around alternatives.
fn can_be_met(expression: &str, allowed: &[String]) -> bool {
    let expression = expression.replace('/', " OR ");
    all_of(&expression).iter().all(|part| {
        let part = part.trim().trim_start_matches('(').trim_end_matches(')');
        part.split(" OR ").any(|licence| allowed.iter().any(|name| name == licence.trim()))
    })
}

/// The parts that `AND` joins outside of parentheses.
fn all_of(expression: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0;
    for word in expression.split_inclusive(' ') {
        depth += word.matches('(').count();
        depth -= word.matches(')').count();
        if word.trim() == "AND" && depth == 0 {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push_str(word);
        }
    }
    parts
}

#[test]
fn every_dependency_has_a_licence_that_is_allowed() {
    let allowed = allowed();
    assert!(allowed.iter().any(|name| name == "MIT"), "deny.toml is not understood");
    for package in packages() {
        let licence = package["license"].as_str().unwrap_or("none");
        assert!(can_be_met(licence, &allowed), "{}: {licence}", package["name"]);
    }
}

/// Packages that stand in this repository, in the place of others.
const OURS: [&str; 1] = ["tiny-xlib"];

#[test]
fn every_dependency_comes_from_crates_io() {
    let (ours, others): (Vec<Value>, Vec<Value>) =
        packages().into_iter().partition(|p| OURS.iter().any(|name| p["name"] == *name));
    for package in others {
        assert_eq!(package["source"], CRATES_IO, "{}", package["name"]);
    }
    assert_eq!(ours.len(), OURS.len());
    for package in ours {
        assert_eq!(package["source"], Value::Null, "{}", package["name"]);
    }
}

#[test]
fn the_terminal_loads_nothing_for_the_window() {
    // Half of the time that copying a few files takes, when libX11 is loaded before `main`.
    let output = Command::new(env!("CARGO_BIN_EXE_ferry"))
        .arg("--version")
        .env("LD_DEBUG", "files")
        .output()
        .unwrap();
    let loaded = String::from_utf8_lossy(&output.stderr);
    assert!(loaded.contains("libc.so.6"), "the loader does not tell what it loads: {loaded}");
    for library in ["libX11", "libxcb", "libxkbcommon", "libwayland", "libdbus", "libfontconfig"] {
        assert!(!loaded.contains(library), "{library} is loaded:\n{loaded}");
    }
}

#[test]
fn windows_and_their_surfaces_have_one_version_each() {
    // Cargo.toml names winit and softbuffer only to switch features on in iced's own copies.
    let lock = file("Cargo.lock");
    for name in ["winit", "softbuffer", "zbus"] {
        let versions = lock.matches(&format!("name = \"{name}\"\n")).count();
        assert!(versions <= 1, "{versions} versions of {name}");
    }
}

#[test]
fn licence_expressions_are_understood() {
    let allowed = ["MIT", "Zlib"].map(str::to_owned);
    for met in ["MIT", "MIT OR GPL-3.0", "GPL-3.0/MIT", "MIT AND Zlib", "(MIT OR GPL-3.0) AND Zlib"]
    {
        assert!(can_be_met(met, &allowed), "{met}");
    }
    for unmet in ["GPL-3.0", "MIT AND GPL-3.0", "(MIT OR Zlib) AND GPL-3.0", "none", ""] {
        assert!(!can_be_met(unmet, &allowed), "{unmet}");
    }
}
