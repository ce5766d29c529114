//! What btrfs has of its own: files without copy-on-write, compression, quotas.

use std::path::Path;

use ferry::engine::{ConflictRule, ErrorKind, Reflink};

use crate::common::mounts::small_btrfs;
use crate::common::{Fs, Tree, What, assert_same_tree, command, copy, names, read, scratch};

/// A folder whose new files are not copied on write.
fn nocow(folder: &Path) {
    command("chattr", &[&"+C", &folder]);
}

fn is_nocow(file: &Path) -> bool {
    let told = command("lsattr", &[&"-d", &file]);
    told.split_whitespace().next().is_some_and(|flags| flags.contains('C'))
}

#[test]
fn files_with_and_without_copy_on_write_are_copied_into_each_other() {
    let Some(place) = Fs::Btrfs.place() else { return };
    let tree = Tree::new()
        .file("small", "x")
        .file_of("middle", 100_000)
        .file_of("large", (3 << 20) + 1)
        .sparse("sparse", 4 << 20, &[(2 << 20, b"island")]);
    let (with, without) = (place.folder("with"), place.folder("without"));
    nocow(&without);
    tree.make(&with);
    tree.make(&without);
    assert!(is_nocow(&without.join("large")) && !is_nocow(&with.join("large")));
    for (source, make_nocow) in [(&with, true), (&without, false), (&without, true)] {
        let sources: Vec<_> = names(source).iter().map(|name| source.join(name)).collect();
        for verify in [false, true] {
            let into = place.folder(&format!("{make_nocow} {verify} {}", names(&place).len()));
            if make_nocow {
                nocow(&into);
            }
            for rule in [ConflictRule::Skip, ConflictRule::Replace] {
                let mut job = copy(&sources, &into).rule(rule);
                job.spec.options.verify = verify;
                job.run().done();
                let what = What { folder_times: false, modes: false, ..What::ALL };
                assert_same_tree(source, &into, &what);
                assert_eq!(is_nocow(&into.join("large")), make_nocow);
            }
        }
    }
}

#[test]
fn a_clone_that_is_demanded_between_them_fails_clearly() {
    let Some(place) = Fs::Btrfs.place() else { return };
    let source = Tree::new().file_of("f", 100_000).make(&place.join("source")).join("f");
    let into = place.folder("into");
    nocow(&into);
    let run = copy([&source], &into).reflink(Reflink::Always).run().not_done();
    run.failed(1, ErrorKind::CannotClone);
    assert_eq!(names(&into), [""; 0]);
}

#[test]
fn the_compression_property_is_kept_as_it_is() {
    let Some(place) = Fs::Btrfs.place() else { return };
    let source = Tree::new().file_of("t/f", 300_000).file("t/inner/g", "x").make(&place).join("t");
    let set = |path: &Path, kind: &str| {
        command("btrfs", &[&"property", &"set", &path, &"compression", &kind]);
    };
    let get = |path: &Path| command("btrfs", &[&"property", &"get", &path, &"compression"]);
    set(&source.join("f"), "zstd");
    set(&source.join("inner"), "lzo");
    for reflink in [Reflink::Auto, Reflink::Never] {
        let into = place.join(format!("{reflink:?}"));
        let run = copy([&source], &into).reflink(reflink).run().done();
        assert_same_tree(&source, &into.join("t"), &What::ALL);
        for path in ["f", "inner", "inner/g"] {
            assert_eq!(get(&into.join("t").join(path)), get(&source.join(path)), "{path}");
        }
        assert_eq!(run.summary.notices, []);
    }
    // Elsewhere there is no such thing, and nothing to say of it.
    let other = scratch();
    let run = copy([&source], &*other).run().done();
    assert_eq!(run.summary.notices, []);
}

#[test]
fn a_used_up_quota_is_said_to_be_one_and_nothing_short_is_left() {
    // A file system of its own: a quota is felt on all of it.
    let Some(place) = small_btrfs(256 << 20) else { return };
    let into = place.join("limited");
    command("btrfs", &[&"-q", &"subvolume", &"create", &into]);
    command("btrfs", &[&"quota", &"enable", &&*place]);
    command("btrfs", &[&"qgroup", &"limit", &"8M", &into]);
    let other = scratch();
    let tree = Tree::new().file("small", "x").file_of("f", 40 << 20).file("g", "y");
    let source = tree.make(&other.join("source"));
    let sources = ["small", "f", "g"].map(|name| source.join(name));
    std::fs::write(into.join("f"), "old").unwrap();
    let run = copy(&sources, &into).rule(ConflictRule::Replace).reflink(Reflink::Never).run();
    let quota = ErrorKind::Os(rustix::io::Errno::DQUOT.raw_os_error());
    let run = run.failed(1, quota).not_done();
    assert_eq!(names(&into), ["f", "g", "small"]);
    assert_eq!(read(into.join("f")), b"old");
    let words = ferry::words::error(&run.summary.failures[0].error);
    assert!(words.to_lowercase().contains("quota"), "{words}");
}
