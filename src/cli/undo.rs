//! A job is undone, or it is told what that would do.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::engine::{JournalError, JournalId, LeftWhy, PastState, Store, UndoReport};
use crate::words;

use super::arguments::Shown;
use super::history::{newest, sentence};
use super::session::Signals;
use super::{Status, complain};

/// Undoes a job; without a number the newest one that was not.
pub fn undo(job: Option<JournalId>, dry_run: bool, shown: Shown) -> Status {
    let can_be_undone =
        |state| matches!(state, PastState::Finished | PastState::Cancelled | PastState::Unfinished);
    let Some(id) = job.or_else(|| newest(can_be_undone, "undo-nothing")) else {
        return Status::Incomplete;
    };
    let stopped = stop_at_signal();
    let report = Store::of_user().ok_or(JournalError::Unknown).and_then(|store| match dry_run {
        true => store.preview_undo(id),
        false => store.undo(id, &mut |_| !stopped.load(Relaxed)),
    });
    match report {
        Ok(report) => {
            tell(id, &report, dry_run, shown);
            match () {
                () if stopped.load(Relaxed) => Status::Cancelled,
                () if report.is_whole() => Status::Done,
                () => Status::Incomplete,
            }
        }
        Err(error) => {
            complain(&sentence(id, &error));
            Status::Incomplete
        }
    }
}

/// Set by the first signal; the second one ends the program where it stands.
fn stop_at_signal() -> Arc<AtomicBool> {
    let stopped = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&stopped);
    let _detached = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        // Without it a signal ends the program at once, which undo stands as well.
        let Ok(runtime) = runtime else { return };
        runtime.block_on(async {
            let Ok(mut signals) = Signals::new() else { return };
            signals.next().await;
            seen.store(true, Relaxed);
            signals.next().await;
            std::process::exit(Status::Cancelled as i32);
        });
    });
    stopped
}

fn tell(id: JournalId, report: &UndoReport, dry_run: bool, shown: Shown) {
    if shown.json {
        // Nothing in it can fail to be JSON.
        println(&serde_json::to_string(report).unwrap_or_default());
        return;
    }
    for error in &report.failures {
        complain(&words::error(error));
    }
    for left in &report.left {
        let why = match left.why {
            LeftWhy::Changed => "undo-left-changed",
            LeftWhy::ReplacedGone => "undo-left-replaced-gone",
            LeftWhy::PlaceTaken => "undo-left-place-taken",
            LeftWhy::NotThere => "undo-left-not-there",
            LeftWhy::NotEmpty => "undo-left-not-empty",
        };
        let args = words::args([("path", words::path(&left.path).into())]);
        println(&words::text_with(why, &args));
    }
    let unnamed = report.left_count - report.left.len() as u64;
    if unnamed > 0 {
        println(&words::text_with("undo-left-more", &words::args([("count", unnamed.into())])));
    }
    if !shown.quiet {
        let args = words::args([
            ("job", id.0.to_string().into()),
            ("removed", report.removed.into()),
            ("back", report.brought_back.into()),
            ("moved", report.moved_back.into()),
            ("folders", report.folders_removed.into()),
            ("left", report.left_count.into()),
        ]);
        println(&words::text_with(if dry_run { "undo-would" } else { "undo-did" }, &args));
    }
}

fn println(line: &str) {
    use std::io::Write;
    // Where nobody reads it, there is nobody to tell.
    let _written = writeln!(std::io::stdout(), "{line}");
}
