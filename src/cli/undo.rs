//! A job is undone, or it is told what that would do.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use serde::Serialize;

use crate::engine::{JournalError, JournalId, LeftWhy, PastState, Store, UndoReport};
use crate::words;

use super::arguments::Shown;
use super::history::{read, say_which, sentence};
use super::session::Signals;
use super::{Status, complain, print_lines};

/// Undoes a job; without a number the last one that there is something to undo of.
pub fn undo(job: Option<JournalId>, dry_run: bool, shown: Shown) -> Status {
    let Some(id) = job.or_else(|| last(shown)) else {
        return Status::Incomplete;
    };
    let stopped = stop_at_signal();
    let report = Store::of_user().ok_or(JournalError::Unknown).and_then(|store| match dry_run {
        true => store.preview_undo(id),
        false => store.undo(id, &mut |_| !stopped.load(Relaxed)),
    });
    match report {
        Ok(report) => {
            let stopped = stopped.load(Relaxed);
            let head = match () {
                () if dry_run => "undo-would",
                () if stopped => "undo-stopped",
                () if report.is_whole() => "undo-did",
                () => "undo-did-in-part",
            };
            let status = match () {
                () if stopped => Status::Cancelled,
                () if report.is_whole() => Status::Done,
                () => Status::Incomplete,
            };
            print_lines(told(id, &report, head, shown), status)
        }
        Err(error) => {
            complain(&sentence(id, &error));
            Status::Incomplete
        }
    }
}

/// The newest job that did something which is still there to be taken back, else the newest
/// of which something is left that cannot be; says which one it is.
fn last(shown: Shown) -> Option<JournalId> {
    let all = read(Store::history)?;
    // Of one that was undone in part the rest may be taken back by now.
    let can_be_undone = |state| {
        use PastState::{Cancelled, Finished, Undone, Unfinished};
        matches!(state, Finished | Cancelled | Unfinished | Undone)
    };
    let mut left = None;
    let found = all.iter().filter(|past| can_be_undone(past.state)).find(|past| {
        let report = match Store::of_user().map(|store| store.preview_undo(past.id)) {
            Some(Ok(report)) => report,
            // Undoing an older one in its place is not what was meant.
            Some(Err(JournalError::NoDestination)) => {
                return past.state != PastState::Undone
                    && past.entries.is_none_or(|entries| entries.done > 0);
            }
            _ => return false,
        };
        // What an undo left is not brought up again and again.
        if !report.is_whole() && past.state != PastState::Undone {
            left = left.or(Some(*past));
        }
        let killed = || Store::of_user().is_some_and(|store| store.was_killed_at_work(past.id));
        report.does_anything() || (past.state != PastState::Undone && killed())
    });
    let Some(past) = found.or(left) else {
        complain(&words::text("undo-nothing"));
        return None;
    };
    say_which("undo-last", past, shown);
    Some(past.id)
}

/// Set by the first signal; the second one ends the program where it stands.
fn stop_at_signal() -> Arc<AtomicBool> {
    let stopped = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&stopped);
    // Without it a signal ends the program at once, which undo stands as well.
    let _detached_or_none = std::thread::Builder::new().spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
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

/// An undo as JSON.
#[derive(Serialize)]
struct Told<'a> {
    job: JournalId,
    #[serde(flatten)]
    report: &'a UndoReport,
}

/// What is to be told of an undo, line by line. Failures are told at once.
fn told(id: JournalId, report: &UndoReport, head: &str, shown: Shown) -> Vec<String> {
    if shown.json {
        // Nothing in it can fail to be JSON.
        return vec![serde_json::to_string(&Told { job: id, report }).unwrap_or_default()];
    }
    for error in &report.failures {
        complain(&words::error_and_remedy(error));
    }
    let mut lines = Vec::new();
    for left in &report.left {
        let why = match left.why {
            LeftWhy::Changed => "undo-left-changed",
            LeftWhy::ReplacedGone => "undo-left-replaced-gone",
            LeftWhy::PlaceTaken => "undo-left-place-taken",
            LeftWhy::NotThere => "undo-left-not-there",
            LeftWhy::NotEmpty => "undo-left-not-empty",
            LeftWhy::OldInTrash => "undo-left-old-in-trash",
            LeftWhy::AsideGone => "undo-left-aside-gone",
            LeftWhy::NotTold => "undo-left-not-told",
        };
        let args = words::args([("path", words::path(&left.path).into())]);
        lines.push(words::text_with(why, &args));
        if let Some(old) = &left.old {
            let args = words::args([("path", words::path(old).into())]);
            lines.push(words::text_with("undo-left-old", &args));
        }
    }
    let unnamed = report.left_count - report.left.len() as u64;
    if unnamed > 0 {
        let args = words::args([("count", unnamed.into())]);
        lines.push(words::text_with("undo-left-more", &args));
    }
    if !shown.quiet {
        let what: Vec<String> = [
            ("undo-removed", report.removed),
            ("undo-back", report.brought_back),
            ("undo-moved", report.moved_back),
            ("undo-folders", report.folders_removed),
            ("undo-gone", report.gone),
            ("undo-left", report.left_count),
        ]
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(id, count)| words::text_with(id, &words::args([("count", count.into())])))
        .collect();
        let what = match what.is_empty() {
            true if head == "undo-would" => words::text("undo-would-nothing"),
            true => words::text("undo-what-nothing"),
            false => what.join(", "),
        };
        let args = words::args([("job", id.0.to_string().into()), ("what", what.into())]);
        lines.push(words::text_with(head, &args));
    }
    lines
}
