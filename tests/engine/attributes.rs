//! Times, modes, owners, attributes, access lists.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use ferry::engine::{Command, ConflictRule, JobSpec, NoticeKind, Reflink};

use crate::common::big::big_destination;
use crate::common::process::Child;
use crate::common::tree::{CAP_NET_BIND_SERVICE, takes_xattrs};
use crate::common::{
    Fs, Session, Tree, What, assert_same_tree, big_source, copy, is_root, one_big_copy, ramfs,
    scratch, skip,
};
use crate::test_name;

fn mode(path: &Path) -> u32 {
    std::fs::symlink_metadata(path).unwrap().mode() & 0o7777
}

#[test]
fn times_are_kept_to_the_nanosecond() {
    let tree = Tree::new()
        .folder("t")
        .time(1_234_567_890, 987_654_321)
        .file("t/file", "x")
        .time(1_000_000_000, 1)
        .file("t/empty", "")
        .time(1_000_000_000, 999_999_999)
        .file("t/before 1970", "x")
        .time(-1, 5)
        .folder("t/folder")
        .time(5, 5)
        .file("t/folder/inner", "x")
        .folder("t/folder/empty")
        .time(0, 0)
        .link("t/link", "file")
        .time(77, 77)
        .fifo("t/fifo")
        .time(88, 88);
    for (from, to) in Fs::pairs() {
        let (Some(place), Some(target)) = (from.place(), to.place()) else { continue };
        let source = tree.make(&place).join("t");
        for workers in [1, 4] {
            let into = target.join(format!("{workers}"));
            copy([&source], &into).workers(workers).run().done();
            assert_same_tree(&source, &into.join("t"), &What::ALL);
        }
    }
}

#[test]
fn times_and_modes_of_a_merged_folder() {
    let place = scratch();
    let source = Tree::new().folder("t").mode(0o700).file("t/new", "x").make(&place.join("source"));
    let into = Tree::new().folder("t").mode(0o755).file("t/old", "x").make(&place.join("into"));
    copy([source.join("t")], &into).run().done();
    // A folder that was there keeps its permissions: a merge does not lock its owner's
    // other files away, nor open them.
    assert_eq!(mode(&into.join("t")), 0o755);
}

#[test]
fn modes_are_kept_with_setuid_setgid_and_sticky() {
    let mut tree = Tree::new();
    for bits in [0o400, 0o444, 0o600, 0o644, 0o755, 0o777, 0o1644, 0o2755, 0o4755, 0o6711] {
        tree = tree.file(format!("t/file {bits:o}"), "x").mode(bits);
        tree = tree.file(format!("t/folder {bits:o}/inner"), "x");
    }
    for bits in [0o700, 0o755, 0o777, 0o1777, 0o2755, 0o3770] {
        tree = tree.folder(format!("t/mode {bits:o}")).mode(bits);
    }
    for fs in Fs::ALL {
        let Some(place) = fs.place() else { continue };
        let source = tree.make(&place).join("t");
        for reflink in [Reflink::Auto, Reflink::Never] {
            let into = place.join(format!("{reflink:?}"));
            copy([&source], &into).reflink(reflink).run().done();
            assert_same_tree(&source, &into.join("t"), &What::ALL);
        }
    }
}

fn under_umask(test: &'static str, umask: u32) {
    Child::of(test).umask(umask).run(|| {
        let place = scratch();
        let tree = Tree::new()
            .folder("t")
            .mode(0o777)
            .file("t/all", "x")
            .mode(0o777)
            .file("t/group", "x")
            .mode(0o664)
            .file_of("t/large", 3 << 20)
            .mode(0o666)
            .folder("t/folder")
            .mode(0o775)
            .fifo("t/fifo")
            .mode(0o666);
        let source = tree.make(&place.join("source")).join("t");
        copy([&source], place.join("into")).run().done();
        assert_same_tree(&source, &place.join("into/t"), &What::ALL);
        // The destination is no copy of anything: it is made as the user makes folders.
        assert_eq!(mode(&place.join("into")), 0o777 & !umask);
        // And the process goes on with its own umask.
        std::fs::write(place.join("own"), "x").unwrap();
        assert_eq!(mode(&place.join("own")), 0o666 & !umask);
    });
}

/// The first source is not there, so the destination is only made when another one comes.
fn made_for_later_sources(test: &'static str, umask: u32) {
    Child::of(test).umask(umask).run(|| {
        let place = scratch();
        let later = Tree::new().file("later", "x").mode(0o666).make(&place).join("later");
        let job = copy([place.join("missing")], place.join("deep/into"));
        let spec = JobSpec { sources: vec![later.clone()], ..job.spec.clone() };
        let mut session = Session::start();
        let id = session.add(job);
        session.send(Command::Pause { job: id });
        session.send(Command::AddSources { job: id, spec });
        session.send(Command::Resume { job: id });
        let _run = session.finish(id);
        assert_same_tree(&later, &place.join("deep/into/later"), &What::ALL);
        for folder in ["deep", "deep/into"] {
            assert_eq!(mode(&place.join(folder)), 0o777 & !umask, "{folder}");
        }
    });
}

#[test]
fn a_destination_made_for_later_sources_is_made_under_a_narrow_umask() {
    made_for_later_sources(test_name!(), 0o077);
}

#[test]
fn a_destination_made_for_later_sources_is_made_under_a_usual_umask() {
    made_for_later_sources(test_name!(), 0o022);
}

#[test]
fn a_narrow_umask_does_not_narrow_what_is_kept() {
    under_umask(test_name!(), 0o077);
}

#[test]
fn a_usual_umask_does_not_narrow_what_is_kept() {
    under_umask(test_name!(), 0o022);
}

#[test]
fn an_open_umask_does_not_widen_what_is_kept() {
    under_umask(test_name!(), 0);
}

#[test]
fn owners_are_kept_by_root() {
    if !is_root() {
        skip("other owners need root");
        return;
    }
    let tree = Tree::new()
        .folder("t")
        .owner(1001, 1002)
        .file("t/file", "x")
        .owner(1003, 1004)
        .file("t/program", "x")
        .owner(1003, 1004)
        .mode(0o6755)
        .link("t/link", "x")
        .owner(1005, 1006)
        .fifo("t/fifo")
        .owner(1007, 1008)
        .file("t/large id", "x")
        .owner(4_000_000_000, 4_000_000_001);
    for fs in Fs::ALL {
        let Some(place) = fs.place() else { continue };
        let source = tree.make(&place).join("t");
        let run = copy([&source], place.join("into")).run().done();
        assert_same_tree(&source, &place.join("into/t"), &What::ALL);
        assert_eq!(run.notice(NoticeKind::Owner), None);
    }
}

#[test]
fn attributes_access_lists_and_capabilities_are_kept() {
    for (from, to) in Fs::pairs() {
        let (Some(place), Some(target)) = (from.place(), to.place()) else { continue };
        if !takes_xattrs(&place) || !takes_xattrs(&target) {
            skip(&format!("no attributes on {from:?} or {to:?}"));
            continue;
        }
        let mut tree = Tree::new()
            .file("t/one", "x")
            .xattr("user.a", "1")
            .file("t/many", "x")
            .file("t/empty file", "")
            .xattr("user.empty", "")
            .file("t/large", "x")
            .xattr("user.large", vec![b'v'; 2000])
            .file("t/list", "x")
            .acl(1, 6)
            .file("t/list and note", "x")
            .xattr("user.b", "2")
            .acl(2, 4)
            .folder("t/folder")
            .xattr("user.c", "3")
            .folder("t/listed folder")
            .acl(1, 7)
            .default_acl(3, 5)
            .file("t/listed folder/inner", "x")
            .folder("t/listed folder/inner folder");
        for number in 0..20 {
            tree = tree.file(format!("t/n{number}"), "x").xattr(&format!("user.n{number}"), "n");
        }
        if is_root() {
            tree = tree.file("t/capable", "x").xattr("security.capability", CAP_NET_BIND_SERVICE);
            tree = tree.mode(0o755).owner(5, 5);
        }
        let source = tree.make(&place).join("t");
        for reflink in [Reflink::Auto, Reflink::Never] {
            let into = target.join(format!("{reflink:?}"));
            let run = copy([&source], &into).reflink(reflink).run().done();
            assert_same_tree(&source, &into.join("t"), &What::ALL);
            assert_eq!(run.summary.notices, [], "{from:?} {to:?}");
        }
    }
}

#[test]
fn a_replaced_file_gets_the_attributes_of_its_source_and_none_of_the_old_ones() {
    for fs in Fs::ALL {
        let Some(place) = fs.place() else { continue };
        if !takes_xattrs(&place) {
            continue;
        }
        let tree = Tree::new().file("f", "new").xattr("user.new", "1").mode(0o640);
        let source = tree.make(&place.join("source"));
        let old = Tree::new().file("f", "old").xattr("user.old", "1").mode(0o666).acl(1, 7);
        let into = old.make(&place.join("into"));
        copy([source.join("f")], &into).rule(ConflictRule::Replace).run().done();
        assert_same_tree(&source.join("f"), &into.join("f"), &What::ALL);
    }
}

#[test]
fn a_default_access_list_of_the_destination_does_not_change_what_is_kept() {
    for fs in Fs::ALL {
        let Some(place) = fs.place() else { continue };
        if !takes_xattrs(&place) {
            continue;
        }
        let source = Tree::new()
            .file("t/private", "x")
            .mode(0o600)
            .file("t/open", "x")
            .mode(0o666)
            .folder("t/folder")
            .mode(0o700)
            .make(&place.join("source"));
        let into = Tree::new().folder("into").default_acl(1, 7).make(&place).join("into");
        copy([source.join("t")], &into).run().done();
        let what = What { xattrs: false, modes: false, ..What::ALL };
        assert_same_tree(&source.join("t"), &into.join("t"), &what);
        for path in ["t/private", "t/folder"] {
            let others = mode(&into.join(path)) & 0o007;
            assert_eq!(others, 0, "{path}: not wider than its source");
        }
    }
}

#[test]
fn a_private_file_is_never_wider_while_it_is_copied() {
    let _one = one_big_copy();
    let big = big_source();
    let place = crate::common::Place::new_in(big.parent().unwrap());
    // The shared source is another's; a clone of it is private.
    let clone = place.folder("private").join("big");
    copy([big], clone.parent().unwrap()).run().done();
    std::fs::set_permissions(&clone, std::fs::Permissions::from_mode(0o600)).unwrap();
    let folder = clone.parent().unwrap();
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700)).unwrap();
    let target = big_destination();
    for existing in [false, true] {
        let into = target.folder(if existing { "over" } else { "new" });
        if existing {
            let old = Tree::new().folder("private").file("private/big", "old").mode(0o666);
            old.make(&into);
        }
        let mut session = Session::start();
        let job = copy([folder], &into).reflink(Reflink::Never).rule(ConflictRule::Replace);
        let job = session.add(job);
        session.wait_in_work(job);
        let mut seen = Vec::new();
        for entry in std::fs::read_dir(into.join("private")).unwrap() {
            let path = entry.unwrap().path();
            let old = existing && path.ends_with("big");
            seen.push(path.clone());
            assert!(old || mode(&path) & 0o077 == 0, "{}: {:o}", path.display(), mode(&path));
        }
        if !existing {
            assert_eq!(mode(&into.join("private")) & 0o077, 0, "the folder, with {seen:?}");
        }
        session.send(ferry::engine::Command::Cancel { job });
        session.finish(job);
    }
}

#[test]
fn a_target_without_attributes_gets_the_data_and_one_warning_a_kind() {
    let Some(target) = ramfs() else { return };
    let place = scratch();
    if !takes_xattrs(&place) {
        skip("no attributes where temporary files are");
        return;
    }
    let mut tree = Tree::new().file("t/plain", "x");
    for number in 0..10 {
        tree = tree.file_of(format!("t/noted {number}"), 5000).xattr("user.note", "1");
    }
    for number in 0..5 {
        tree = tree.file(format!("t/listed {number}"), "x").acl(1, 6);
    }
    let source = tree.make(&place).join("t");
    let run = copy([&source], &*target).verify().run().done();
    let what = What { xattrs: false, modes: false, ..What::ALL };
    assert_same_tree(&source, &target.join("t"), &what);
    assert_eq!(run.notice(NoticeKind::Xattr).map(|notice| notice.count), Some(10));
    assert_eq!(run.notice(NoticeKind::Acl).map(|notice| notice.count), Some(5));
    assert_eq!(run.summary.notices.len(), 2, "{:?}", run.summary.notices);
    // Without its list, the mask must not let the whole group in.
    for number in 0..5 {
        let wide = mode(&target.join(format!("t/listed {number}"))) & 0o020;
        assert_eq!(wide, 0, "the mask became the group's permission");
    }
}

#[test]
fn a_default_acl_of_the_destination_opens_nothing_that_was_closed() {
    use std::process::Command;
    let Some(place) = Fs::Ext4.place() else { return };
    let source = Tree::new().file("t/f", "x").mode(0o640).make(&place.join("source")).join("t");
    let into = place.folder("into");
    let set = Command::new("setfacl").args(["-d", "-m", "u:4321:rw"]).arg(&into).status();
    assert!(set.expect("setfacl runs").success());
    copy([&source], &into).run().done();
    assert_same_tree(&source, &into.join("t"), &What::ALL);
    for name in ["t", "t/f"] {
        let acl = Command::new("getfacl").arg("-c").arg(into.join(name)).output().unwrap();
        let acl = String::from_utf8_lossy(&acl.stdout).into_owned();
        assert!(!acl.contains("4321"), "{name}: {acl}");
    }
}
