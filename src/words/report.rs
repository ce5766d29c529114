//! What became of a job, and how it is copied.

use crate::engine::{JobKind, Means, Notice, NoticeKind, Outcome, Route, Summary};

use super::{args, duration, path, size, text, text_with};

/// What was not kept or was left out, and of how many entries.
pub fn notice(notice: &Notice) -> String {
    let id = format!("notice-{}", notice_id(notice.kind));
    let example = path(&notice.example);
    text_with(&id, &args([("count", notice.count.into()), ("example", example.into())]))
}

/// What can be done about what was left, where something can.
pub fn notice_remedy(kind: NoticeKind) -> Option<String> {
    let id = match kind {
        NoticeKind::Unanswered => "left-unanswered",
        NoticeKind::TypeDiffers => "left-type-differs",
        NoticeKind::SameFile => "left-same-file",
        NoticeKind::ForeignName => "left-foreign-name",
        NoticeKind::NotCheckable => "left-not-checkable",
        _ => return None,
    };
    Some(text(id))
}

fn notice_id(kind: NoticeKind) -> &'static str {
    match kind {
        NoticeKind::Socket => "socket",
        NoticeKind::Owner => "owner",
        NoticeKind::Xattr => "xattr",
        NoticeKind::Acl => "acl",
        NoticeKind::Mode => "mode",
        NoticeKind::Times => "times",
        NoticeKind::HardLink => "hard-link",
        NoticeKind::CloneNotVerified => "clone-not-verified",
        NoticeKind::VerifiedInMemory => "verified-in-memory",
        NoticeKind::NotCheckable => "not-checkable",
        NoticeKind::SourceLeft => "source-left",
        NoticeKind::Unanswered => "unanswered",
        NoticeKind::TypeDiffers => "type-differs",
        NoticeKind::SameFile => "same-file",
        NoticeKind::ForeignName => "foreign-name",
        NoticeKind::ReplacedNotKept => "replaced-not-kept",
        NoticeKind::ReplacedGivenUp => "replaced-given-up",
        NoticeKind::EarlierGivenUp => "earlier-given-up",
        NoticeKind::NotRemembered => "not-remembered",
    }
}

/// How data goes: `cloned on Btrfs: no data moves`.
pub fn route(route: &Route) -> String {
    let id = match route.means {
        Means::Clone => "route-clone",
        Means::InKernel => "route-in-kernel",
        Means::ReadWrite => "route-read-write",
        Means::Rename => "route-rename",
    };
    let (source, destination) =
        (file_system(&route.source_type), file_system(&route.destination_type));
    let same = if source == destination { "yes" } else { "no" };
    let args = args([
        ("source", source.into()),
        ("destination", destination.into()),
        ("same", same.into()),
    ]);
    text_with(id, &args)
}

/// A file system's name as people write it, from the kernel's: `Btrfs` from `btrfs`.
pub fn file_system(kernel_name: &str) -> &str {
    match kernel_name {
        "btrfs" => "Btrfs",
        "xfs" => "XFS",
        "zfs" => "ZFS",
        "f2fs" => "F2FS",
        "jfs" => "JFS",
        "bcachefs" => "Bcachefs",
        "vfat" | "msdos" => "FAT",
        "exfat" => "exFAT",
        "ntfs" | "ntfs3" => "NTFS",
        "nfs" | "nfs4" => "NFS",
        "cifs" | "smb3" | "smbfs" => "SMB",
        "iso9660" => "CD",
        "udf" => "UDF",
        other => other.strip_prefix("fuse.").unwrap_or(other),
    }
}

/// What became of a job, in one line without names: `Copied 18 420 items (1.4 GB) in 2.1 s.
/// 3 skipped, 1 failed.`
pub fn summary(kind: JobKind, summary: &Summary) -> String {
    let id = match (summary.outcome, kind) {
        (Outcome::Refused, JobKind::Copy) => "summary-refused-copy",
        (Outcome::Refused, JobKind::Move) => "summary-refused-move",
        (Outcome::Done, JobKind::Copy) => "summary-copied",
        (Outcome::Done, JobKind::Move) => "summary-moved",
        (Outcome::Cancelled, JobKind::Copy) => "summary-cancelled-copy",
        (Outcome::Cancelled, JobKind::Move) => "summary-cancelled-move",
        (Outcome::Stopped, JobKind::Copy) => "summary-stopped-copy",
        (Outcome::Stopped, JobKind::Move) => "summary-stopped-move",
    };
    let counted = |id: &str, count: u64| text_with(id, &args([("count", count.into())]));
    let head = text_with(
        id,
        &args([
            ("count", summary.made().into()),
            ("size", in_size(summary.bytes.done).into()),
            ("time", time(summary.elapsed).into()),
        ]),
    );
    // Said only where it is all that there is to say.
    let merged = if summary.made() == 0 { summary.merged } else { 0 };
    let parts: Vec<String> = [
        ("summary-merged", merged),
        ("summary-renamed", summary.renamed),
        ("summary-set-aside", summary.set_aside),
        ("summary-skipped", summary.entries.skipped),
        ("summary-unanswered", summary.entries.unanswered),
        ("summary-failed", summary.entries.failed),
        ("summary-changed", summary.changed),
        ("summary-verified", summary.verified),
    ]
    .into_iter()
    .filter(|(_, count)| *count > 0)
    .map(|(id, count)| counted(id, count))
    .collect();
    if parts.is_empty() { head } else { format!("{head} {}.", parts.join(", ")) }
}

/// How long a job took; what took no millisecond took some time all the same.
fn time(milliseconds: u64) -> String {
    match milliseconds {
        0 => text("summary-no-time"),
        some => duration(some),
    }
}

/// The size behind a count, in brackets; nothing where no data was copied.
fn in_size(bytes: u64) -> String {
    match bytes {
        0 => String::new(),
        _ => text_with("summary-size", &args([("size", size(bytes).into())])),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::engine::{ByteCounts, EntryCounts};

    #[test]
    fn every_notice_has_words() {
        use NoticeKind::*;
        for kind in [
            Socket,
            Owner,
            Xattr,
            Acl,
            Mode,
            Times,
            HardLink,
            CloneNotVerified,
            VerifiedInMemory,
            NotCheckable,
            SourceLeft,
            Unanswered,
            TypeDiffers,
            SameFile,
            ReplacedNotKept,
            ReplacedGivenUp,
            EarlierGivenUp,
        ] {
            for count in [1, 12] {
                let words = notice(&Notice { kind, count, example: PathBuf::from("a/b") });
                assert!(!words.starts_with("notice-"), "{words}");
                assert!(words.contains("a/b"), "{words}");
            }
        }
    }

    #[test]
    fn routes_name_the_file_systems() {
        let told = |means, source: &str, destination: &str| {
            route(&Route {
                means,
                source_type: source.to_owned(),
                destination_type: destination.to_owned(),
            })
        };
        assert_eq!(told(Means::Clone, "btrfs", "btrfs"), "cloned on Btrfs: no data moves");
        assert_eq!(told(Means::InKernel, "ext4", "xfs"), "copied in the kernel, ext4 to XFS");
        assert_eq!(told(Means::InKernel, "ext4", "ext4"), "copied in the kernel, on ext4");
        assert_eq!(told(Means::ReadWrite, "tmpfs", "vfat"), "read and written, tmpfs to FAT");
        assert_eq!(told(Means::Rename, "xfs", "xfs"), "renamed on XFS: no data moves");
    }

    #[test]
    fn a_summary_never_hides_what_was_not_copied() {
        let result = Summary {
            outcome: Outcome::Done,
            entries: EntryCounts {
                total: 8,
                total_is_final: true,
                done: 3,
                skipped: 2,
                unanswered: 1,
                waiting: 0,
                failed: 2,
            },
            bytes: ByteCounts { done: 1_400_000_000, cloned: 0, total: None },
            elapsed: 2_100,
            merged: 2,
            renamed: 1,
            set_aside: 0,
            changed: 1,
            verified: 0,
            failures: vec![],
            notices: vec![],
        };
        assert_eq!(
            summary(JobKind::Copy, &result),
            "Copied 1 item (1.4 GB) in 2.1 s. 1 under another name, 2 skipped, \
             1 left undecided, 2 failed, 1 changed while it was copied."
        );
    }

    #[test]
    fn folders_that_were_there_are_not_counted_as_copied() {
        let mut result = ended(3, 2);
        result.bytes.done = 1000;
        result.elapsed = 2_100;
        assert_eq!(summary(JobKind::Copy, &result), "Copied 1 item (1 KB) in 2.1 s.");
        result.entries.done = 2;
        assert_eq!(
            summary(JobKind::Copy, &result),
            "Nothing was copied. 2 folders were there already."
        );
    }

    #[test]
    fn no_size_is_told_where_no_data_was_copied() {
        assert_eq!(summary(JobKind::Move, &ended(1, 0)), "Moved 1 item in less than a second.");
        let cancelled = Summary { outcome: Outcome::Cancelled, ..ended(2, 0) };
        let words = summary(JobKind::Move, &cancelled);
        assert_eq!(words, "Cancelled after less than a second: 2 items had been moved.");
    }

    fn ended(done: u64, merged: u64) -> Summary {
        Summary {
            outcome: Outcome::Done,
            entries: EntryCounts { done, total: done, ..EntryCounts::default() },
            bytes: ByteCounts::default(),
            elapsed: 0,
            merged,
            renamed: 0,
            set_aside: 0,
            changed: 0,
            verified: 0,
            failures: vec![],
            notices: vec![],
        }
    }
}
