//! Trees that nobody would think of, copied and moved between all pairs of file systems, and
//! compared entry by entry by what is not the engine.
//!
//! A few in each run; with `FERRY_SOAK` (a number of cases, or anything for two thousand) more.

use ferry::engine::{JobKind, Reflink};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::common::tree::takes_xattrs;
use crate::common::{Fs, Job, Tree, What, differences, scratch};

#[derive(Clone, Debug)]
enum Kind {
    Folder,
    File(usize),
    Sparse(u64, Vec<(u64, usize)>),
    Link(Vec<u8>),
    /// Another name of the file before it of this number, counted around.
    HardLink(usize),
    Fifo,
}

#[derive(Clone, Debug)]
struct Entry {
    /// The folder before it of this number, counted around; 0 is the top.
    parent: usize,
    name: Vec<u8>,
    kind: Kind,
    mode: u32,
    time: (i64, u32),
    xattr: Option<Vec<u8>>,
}

/// Sizes around pages, buffers and chunks.
fn sizes() -> impl Strategy<Value = usize> {
    let edges = [0, 1, 4096, 16 << 10, 64 << 10, 128 << 10, 256 << 10, 1 << 20, 2 << 20];
    let around = (prop::sample::select(edges.to_vec()), -1_isize..=1);
    prop_oneof![
        around.prop_map(|(edge, by): (usize, _)| edge.saturating_add_signed(by)),
        0..9000_usize
    ]
}

/// Offsets around pages and where 32 bits end, and anywhere.
fn offsets() -> impl Strategy<Value = u64> {
    let edges = [0, 4096, 1 << 20, 1 << 31, 1 << 32, 5 << 30];
    let around = (prop::sample::select(edges.to_vec()), -1_i64..=1);
    prop_oneof![
        around.prop_map(|(edge, by): (u64, _)| edge.saturating_add_signed(by)),
        0..6_u64 << 30,
    ]
}

fn kinds() -> impl Strategy<Value = Kind> {
    let islands = prop::collection::vec((offsets(), 1..9000_usize), 0..4);
    prop_oneof![
        3 => Just(Kind::Folder),
        6 => sizes().prop_map(Kind::File),
        2 => (offsets(), islands).prop_map(|(size, islands)| Kind::Sparse(size, islands)),
        1 => prop::collection::vec(1_u8.., 1..100).prop_map(Kind::Link),
        2 => any::<usize>().prop_map(Kind::HardLink),
        1 => Just(Kind::Fifo),
    ]
}

fn names() -> impl Strategy<Value = Vec<u8>> {
    let byte = (1_u8..).prop_filter("no slash", |byte| *byte != b'/');
    let bytes = prop_oneof![
        4 => prop::collection::vec(byte.clone(), 1..12),
        1 => prop::collection::vec(byte, 240..=255),
        3 => "[a-c .]{1,3}".prop_map(String::into_bytes),
    ];
    bytes.prop_filter("a name", |name| name != b"." && name != b"..")
}

fn entries() -> impl Strategy<Value = Vec<Entry>> {
    let times = (-2_000_000_000_i64..4_000_000_000, 0_u32..1_000_000_000);
    let xattr = prop::option::weighted(0.2, prop::collection::vec(any::<u8>(), 0..200));
    let entry = (any::<usize>(), names(), kinds(), 0_u32..0o10000, times, xattr);
    let entry = entry.prop_map(|(parent, name, kind, mode, time, xattr)| Entry {
        parent,
        name,
        kind,
        mode,
        time,
        xattr,
    });
    prop::collection::vec(entry, 1..40)
}

fn tree(entries: &[Entry], xattrs: bool) -> Tree {
    let mut tree = Tree::new().folder("t");
    let (mut folders, mut files) = (vec![b"t".to_vec()], Vec::<Vec<u8>>::new());
    let mut taken = std::collections::HashSet::new();
    for Entry { parent, name, kind, mode, time, xattr } in entries {
        let path = [&folders[parent % folders.len()], &b"/"[..], name].concat();
        if !taken.insert(path.clone()) {
            continue;
        }
        // Whoever owns it can read it: what cannot be read has tests of its own.
        tree = match kind {
            Kind::Folder => {
                folders.push(path.clone());
                tree.folder(&path).mode(mode | 0o500)
            }
            Kind::File(size) => {
                files.push(path.clone());
                tree.file_of(&path, *size).mode(mode | 0o400)
            }
            Kind::Sparse(size, islands) => {
                files.push(path.clone());
                let within: Vec<(u64, Vec<u8>)> = islands
                    .iter()
                    .filter(|(at, _)| at < size)
                    .map(|(at, len)| {
                        let len = (*len as u64).min(size - at) as usize;
                        (*at, crate::common::pattern(len, at + 1))
                    })
                    .collect();
                let within: Vec<(u64, &[u8])> =
                    within.iter().map(|(at, bytes)| (*at, bytes.as_slice())).collect();
                tree.sparse(&path, *size, &within).mode(mode | 0o400)
            }
            Kind::Link(text) => tree.link(&path, text),
            Kind::HardLink(_) if files.is_empty() => continue,
            Kind::HardLink(number) => {
                tree = tree.hard_link(&path, &files[number % files.len()]);
                continue;
            }
            Kind::Fifo => tree.fifo(&path).mode(mode & 0o777),
        };
        tree = tree.time(time.0, time.1);
        if let (Some(value), true) = (xattr, xattrs && !matches!(kind, Kind::Link(_) | Kind::Fifo))
        {
            tree = tree.xattr("user.random", value);
        }
    }
    tree
}

fn settings() -> impl Strategy<Value = (JobKind, Reflink, bool, u16)> {
    let kinds = prop::sample::select(vec![JobKind::Copy, JobKind::Copy, JobKind::Move]);
    let reflink = prop::sample::select(vec![Reflink::Auto, Reflink::Never]);
    (kinds, reflink, any::<bool>(), 1_u16..4)
}

fn cases(least: u32) -> u32 {
    match std::env::var("FERRY_SOAK") {
        Ok(number) => number.parse().unwrap_or(2000),
        Err(_) => least,
    }
}

#[test]
fn any_tree_arrives_as_it_is_between_any_two_file_systems() {
    let file_systems = || prop::sample::select(Fs::ALL.to_vec());
    let all = (entries(), file_systems(), file_systems(), settings());
    let config = ProptestConfig {
        cases: cases(40),
        failure_persistence: None,
        max_shrink_iters: 300,
        ..ProptestConfig::default()
    };
    let result = TestRunner::new(config).run(&all, |(entries, from, to, settings)| {
        let (kind, reflink, verify, workers) = settings;
        let place = from.place().unwrap_or_else(scratch);
        let target = to.place().unwrap_or_else(scratch);
        let tree = tree(&entries, takes_xattrs(&place) && takes_xattrs(&target));
        let expected = tree.make(&place.join("expected")).join("t");
        let source = match kind {
            JobKind::Copy => expected.clone(),
            JobKind::Move => tree.make(&place.join("moved")).join("t"),
        };
        let mut job = Job::new(kind, [&source], &*target).reflink(reflink).workers(workers);
        job.spec.options.verify = verify;
        let run = job.run();
        prop_assert!(run.summary.all_done(), "{:?}", run.summary);
        prop_assert_eq!(
            &run.summary
                .notices
                .iter()
                .filter(|notice| { notice.kind != ferry::engine::NoticeKind::CloneNotVerified })
                .count(),
            &0,
            "{:?}",
            run.summary.notices
        );
        let found = differences(&expected, &target.join("t"), &What::ALL);
        prop_assert!(found.is_empty(), "{from:?} to {to:?}: {found:?}");
        prop_assert_eq!(source.exists(), kind == JobKind::Copy);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}
