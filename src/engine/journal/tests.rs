//! What earlier programs wrote is read still.

use std::path::PathBuf;

use super::codec::{frame, put, put_bytes, put_signed};
use super::record::SCHEMA;
use super::*;
use crate::engine::conflict::FileKind;
use crate::engine::message::{EntryId, JobKind, JobSpec, Options};
use crate::engine::plan::ROOT;

fn spec() -> JobSpec {
    JobSpec {
        kind: JobKind::Copy,
        sources: vec![PathBuf::from("/s/d")],
        destination: PathBuf::from("/to"),
        options: Options::default(),
        checksums: None,
    }
}

fn journal(opened: &[u8], since: &str, end: &str) -> Told {
    let header = super::record::Header { schema: SCHEMA, tag: 1, began: (7, 8), spec: spec() };
    let listed = Listed {
        folder: ROOT,
        origin: Some(PathBuf::from("/s")),
        first: EntryId(0),
        entries: vec![(FileKind::Folder, "d".into())],
    };
    let destination = format!("D{{\"inode\":3,\"magic\":4,{since}\"made\":[]}}");
    let end = format!(
        "Z{{\"outcome\":\"done\",\"entries\":{},\"bytes\":{},\"at\":99,{end}\"elapsed\":1}}",
        serde_json::to_string(&crate::engine::message::EntryCounts::default()).unwrap(),
        serde_json::to_string(&crate::engine::message::ByteCounts::default()).unwrap(),
    );
    let mut bytes = Vec::new();
    let records = [
        Record::Header(Box::new(header)).encode(),
        destination.into_bytes(),
        Record::Listed(listed).encode(),
        opened.to_vec(),
        end.into_bytes(),
    ];
    for record in records {
        let offset = bytes.len() as u64;
        frame(&record, offset, &mut bytes);
    }
    let told = Told::read(&bytes).unwrap();
    assert_eq!(told.valid, bytes.len() as u64, "all of it is understood");
    told
}

/// As it was written before folders were known by their inodes.
fn opened_before() -> Vec<u8> {
    let mut bytes = vec![b'O'];
    put(&mut bytes, 0);
    put(&mut bytes, 1);
    bytes.push(1);
    put_signed(&mut bytes, 1_400_000_000);
    put(&mut bytes, 5);
    put_bytes(&mut bytes, b"");
    bytes
}

#[test]
fn a_journal_of_an_earlier_program_is_read() {
    let told = journal(&opened_before(), "", "");
    let folder = &told.folders[1];
    assert!(folder.made && folder.modified == (1_400_000_000, 5));
    assert_eq!((folder.made_as, folder.mode), (None, None));
    assert_eq!(told.began(), (7, 8));
    // To the second, as the time of its end is known.
    assert!(!told.is_after((100, 999_999_999)) && told.is_after((101, 0)));
}

#[test]
fn what_a_folder_is_known_by_is_told_again() {
    let made_as = MadeAs { inode: 77, birth: Some((1_800_000_000, 999)) };
    let opened = |made_as, mode| {
        Record::Opened(Opened {
            entry: EntryId(0),
            folder: 1,
            made: true,
            followed: false,
            modified: (1, 2),
            name: None,
            made_as,
            mode,
        })
    };
    for (made_as, mode) in [(Some(made_as), Some(0o2750)), (None, Some(0)), (None, None)] {
        let record = opened(made_as, mode);
        assert_eq!(Record::decode(&record.encode()), Some(record.clone()));
        let told = journal(&record.encode(), "\"since\":[9,10],", "\"nanoseconds\":500,");
        assert_eq!((told.folders[1].made_as, told.folders[1].mode), (made_as, mode));
        assert_eq!(told.began(), (9, 10));
        assert!(!told.is_after((99, 500)) && told.is_after((99, 501)));
    }
    // What follows a record's last field is a later program's.
    let mut later = opened(Some(made_as), Some(1)).encode();
    later.extend(b"more");
    assert_eq!(Record::decode(&later), Some(opened(Some(made_as), Some(1))));
}
