//! Tests of the bench's own parts: a wrong ruler measures nothing.
//!
//! A target of its own, since the bench is a plain program: the compiler drops tests from it.
#![allow(clippy::unwrap_used)] // Tests.

mod cachestat;
mod check;
mod statistics;
mod table;

mod medians_and_ratios {
    use std::time::Duration;

    use crate::statistics::*;

    fn durations(milliseconds: &[u64]) -> Vec<Duration> {
        milliseconds.iter().map(|ms| Duration::from_millis(*ms)).collect()
    }

    #[test]
    fn the_median_is_the_middle_or_the_mean_of_the_middle_two() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[7.0]), Some(7.0));
        assert_eq!(median(&[9.0, 1.0, 5.0]), Some(5.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 100.0]), Some(3.0));
        assert_eq!(
            median_milliseconds(&durations(&[30, 10, 1000])),
            Some(30.0),
            "one slow run does not move the median"
        );
    }

    #[test]
    fn ratios_are_taken_within_pairs_and_not_of_medians() {
        // The machine is ten times slower in the second pair; the tool takes half both times.
        let ratios = paired_ratios(&durations(&[50, 500, 60]), &durations(&[100, 1000, 100]));
        assert_eq!(ratios, Some(Ratios { median: 0.5, least: 0.5, most: 0.6 }));
        assert_eq!(paired_ratios(&[], &[]), None);
    }

    #[test]
    fn percentiles_are_values_that_occurred() {
        let values: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(percentile(&values, 50), Some(50.0));
        assert_eq!(percentile(&values, 99), Some(99.0));
        assert_eq!(percentile(&values, 100), Some(100.0));
        assert_eq!(percentile(&[3.0], 1), Some(3.0));
        assert_eq!(percentile(&[], 50), None);
    }
}

mod tables {
    use crate::table::*;

    fn example() -> Table {
        let mut table = Table::new(&[("tool", false), ("ms", true), ("check", false)]);
        table.push(vec!["cp".into(), "250".into(), "right".into()]);
        table.push(vec!["rsync".into(), "1250".into(), String::new()]);
        table
    }

    #[test]
    fn plain_columns_are_aligned_and_lines_have_no_trailing_space() {
        assert_eq!(
            example().render(Style::Plain),
            "tool     ms  check\n-----  ----  -----\ncp      250  right\nrsync  1250\n"
        );
    }

    #[test]
    fn markdown_marks_columns_of_numbers() {
        assert_eq!(
            example().render(Style::Markdown),
            "| tool  |   ms | check |\n| ----- | ---: | ----- |\n\
             | cp    |  250 | right |\n| rsync | 1250 |       |\n"
        );
    }
}

mod comparing_trees {
    use std::fs::{self, File, Permissions};
    use std::os::unix::fs::PermissionsExt;
    use std::path::{Path, PathBuf};
    use std::time::{Duration, UNIX_EPOCH};

    use crate::check::*;

    /// Two equal trees: a folder with one file in it.
    fn twins() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let scratch = tempfile::tempdir().unwrap();
        let (left, right) = (scratch.path().join("left"), scratch.path().join("right"));
        for root in [&left, &right] {
            fs::create_dir(root).unwrap();
            fs::write(root.join("file"), vec![7; 300_000]).unwrap();
            for path in [root.join("file"), root.clone()] {
                date(&path, 1_000_000_000);
            }
        }
        (scratch, left, right)
    }

    fn date(path: &Path, seconds: u64) {
        let time = UNIX_EPOCH + Duration::from_secs(seconds);
        File::open(path).unwrap().set_modified(time).unwrap();
    }

    #[test]
    fn equal_trees_are_equal() {
        let (_scratch, left, right) = twins();
        let all = Attributes { modes: Kept::All, times: Kept::All };
        assert_eq!(compare(&left, &right), Ok(all));
    }

    #[test]
    fn wrong_missing_short_and_surplus_files_are_found() {
        let (_scratch, left, right) = twins();
        let file = right.join("file");

        let mut bytes = vec![7; 300_000];
        bytes[299_999] = 8;
        fs::write(&file, &bytes).unwrap();
        assert!(compare(&left, &right).unwrap_err().contains("other bytes"));

        fs::write(&file, vec![7; 299_999]).unwrap();
        assert!(compare(&left, &right).unwrap_err().contains("other bytes"));

        fs::write(&file, vec![7; 300_001]).unwrap();
        assert!(compare(&left, &right).unwrap_err().contains("other bytes"));

        fs::remove_file(&file).unwrap();
        assert!(compare(&left, &right).unwrap_err().contains("No such file"));

        fs::write(&file, vec![7; 300_000]).unwrap();
        fs::write(right.join("surplus"), "").unwrap();
        assert!(compare(&left, &right).unwrap_err().contains("3 entries"));
    }

    #[test]
    fn lost_modes_and_times_are_told_for_files_and_folders() {
        let (_scratch, left, right) = twins();
        date(&right, 5);
        fs::set_permissions(right.join("file"), Permissions::from_mode(0o600)).unwrap();
        let found = compare(&left, &right).unwrap();
        assert_eq!(found.times, Kept::FilesOnly);
        assert_eq!(found.modes, Kept::No);
        assert_eq!(found.times.word(), "of files only");
    }
}

mod cached_pages_of_files {
    use std::io::Write;
    use std::os::fd::AsFd;

    use crate::cachestat::*;

    #[test]
    fn a_file_just_written_is_cached() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[1; 10_000]).unwrap();
        assert!(cached_pages(file.as_fd()).unwrap() >= 3);
        let empty = tempfile::tempfile().unwrap();
        assert_eq!(cached_pages(empty.as_fd()).unwrap(), 0);
    }
}
