//! The jobs so far: listed, and resumed.

use std::io;
use std::path::{Path, PathBuf};

use crate::engine::{JobKind, JournalError, JournalId, Operation, Past, PastState, Store};
use crate::report::Format;
use crate::words;

use super::arguments::Shown;
use super::output::Output;
use super::session::Begin;
use super::{ReportFile, Status, complain, print_lines, run_session, unreadable};

/// Lists the jobs so far, newest first, or one of them.
pub fn history(job: Option<JournalId>, json: bool) -> Status {
    let Some(mut all) = read(Store::history) else { return Status::Incomplete };
    if let Some(id) = job {
        all.retain(|past| past.id == id);
        if all.is_empty() {
            complain(&sentence(id, &why_not_listed(id)));
            return Status::Incomplete;
        }
    }
    let lines = all.iter().map(|past| match json {
        // Nothing in it can fail to be JSON.
        true => serde_json::to_string(past).unwrap_or_default(),
        false => line(past),
    });
    let mut lines: Vec<String> = lines.collect();
    if lines.is_empty() && !json {
        lines.push(words::text("history-empty"));
    }
    print_lines(lines, Status::Done)
}

/// Why the history does not have a job: there is none, or its journal cannot be understood.
fn why_not_listed(id: JournalId) -> JournalError {
    let looked = Store::of_user().ok_or(JournalError::Unknown).and_then(|store| store.spec(id));
    looked.err().unwrap_or(JournalError::Unknown)
}

/// Writes the report of a job that has ended.
pub fn report(job: JournalId, (path, format): (PathBuf, Format)) -> Status {
    let past = match Store::of_user().ok_or(JournalError::Unknown).and_then(|s| s.report(job)) {
        Ok(Some(past)) => past,
        Ok(None) => {
            let args = words::args([("job", job.0.to_string().into())]);
            complain(&words::text_with("history-not-ended", &args));
            return Status::Incomplete;
        }
        Err(error) => {
            complain(&sentence(job, &error));
            return Status::Incomplete;
        }
    };
    let file = match ReportFile::open((path, format)) {
        Ok(file) => file,
        Err((path, error)) => return unreadable(&path, &error, Operation::Create),
    };
    match file.write(&past.spec, &past.summary, &past.report) {
        Ok(()) => Status::Done,
        Err(error) => {
            complain(&words::error_and_remedy(&error));
            Status::Incomplete
        }
    }
}

/// Lets a job go on that was left unfinished; without a number the only one.
pub fn resume(job: Option<JournalId>, shown: Shown) -> Status {
    let Some(all) = read(Store::history) else { return Status::Incomplete };
    let named = job.and_then(|id| all.iter().find(|past| past.id == id));
    let past = match (job, named) {
        (Some(id), None) => {
            complain(&sentence(id, &why_not_listed(id)));
            return Status::Incomplete;
        }
        (_, Some(past)) => past,
        (None, None) => {
            let left = |past: &&Past| past.state == PastState::Unfinished;
            let left: Vec<&Past> = all.iter().filter(left).collect();
            match left.as_slice() {
                &[only] => {
                    say_which("resume-only", only, shown);
                    only
                }
                [] => {
                    complain(&words::text("resume-nothing"));
                    return Status::Incomplete;
                }
                several => {
                    complain(&words::text("resume-which"));
                    return print_lines(several.iter().map(|past| line(past)), Status::Usage);
                }
            }
        }
    };
    run_session(Begin::Left(past.id, past.kind), shown, None, Output::start())
}

/// Does a job again; without a number the newest one that was undone.
pub fn redo(job: Option<JournalId>, shown: Shown) -> Status {
    let Some(id) = job.or_else(|| last_undone(shown)) else { return Status::Incomplete };
    let spec = Store::of_user().ok_or(JournalError::Unknown).and_then(|store| store.spec(id));
    match spec {
        Ok(spec) => run_session(Begin::New(spec), shown, None, Output::start()),
        Err(error) => {
            complain(&sentence(id, &error));
            Status::Incomplete
        }
    }
}

/// The newest job that was undone, and says which one it is; complains where there is none.
fn last_undone(shown: Shown) -> Option<JournalId> {
    let all = read(Store::history)?;
    let Some(newest) = all.iter().find(|past| past.state == PastState::Undone) else {
        complain(&words::text("redo-nothing"));
        return None;
    };
    say_which("redo-last", newest, shown);
    Some(newest.id)
}

/// Says which job it is that none was named for.
pub fn say_which(id: &str, past: &Past, shown: Shown) {
    if !shown.json && !shown.quiet {
        let args = words::args([("job", line(past).into())]);
        // What is done next says that it could not be written, too.
        let _told_or_not = print_lines([words::text_with(id, &args)], Status::Done);
    }
}

/// Reads the store; complains where that cannot be done.
pub fn read<T>(what: impl FnOnce(&Store) -> Result<T, JournalError>) -> Option<T> {
    let Some(store) = Store::of_user() else {
        complain(&words::text("history-no-home"));
        return None;
    };
    let complain = |error: &JournalError| match error {
        JournalError::Io(error) => complain(&unusable(error)),
        // None of one job.
        other => complain(&other.to_string()),
    };
    what(&store).inspect_err(complain).ok()
}

/// The journals cannot be used.
fn unusable(error: &io::Error) -> String {
    let reason = words::system_words(error.raw_os_error().unwrap_or(libc::EIO));
    words::text_with("history-io", &words::args([("reason", reason.into())]))
}

/// Why a job of the history cannot be had.
pub fn sentence(id: JournalId, error: &JournalError) -> String {
    let id = id.0.to_string();
    let words_id = match error {
        JournalError::Unknown => "history-unknown",
        JournalError::Running => "history-is-running",
        JournalError::Unreadable => "history-unreadable",
        JournalError::Undone => "history-is-undone",
        JournalError::Ended => "history-ended",
        JournalError::NoDestination => "history-no-destination",
        JournalError::Io(error) => return unusable(error),
    };
    words::text_with(words_id, &words::args([("job", id.into())]))
}

/// A job as the history lists it.
pub fn line(past: &Past) -> String {
    let state = match past.state {
        PastState::Running => "running",
        PastState::Unfinished => "unfinished",
        PastState::Finished => "finished",
        PastState::Cancelled => "cancelled",
        PastState::Refused => "refused",
        PastState::Undone => "undone",
    };
    let kind = match past.kind {
        JobKind::Copy => "copy",
        JobKind::Move => "move",
    };
    let first = past.sources.first().map_or_else(String::new, |source| words::path(source));
    let counts = past.entries.map_or_else(String::new, |entries| {
        let counts: Vec<String> = [
            ("history-count-done", past.made().unwrap_or_default()),
            ("history-count-skipped", entries.skipped + entries.unanswered),
            ("history-count-failed", entries.failed),
        ]
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(id, count)| words::text_with(id, &words::args([("count", count.into())])))
        .collect();
        match counts.is_empty() {
            true => String::new(),
            false => {
                let args = words::args([("counts", counts.join(", ").into())]);
                words::text_with("history-counts", &args)
            }
        }
    });
    let args = words::args([
        ("job", past.id.0.to_string().into()),
        ("when", moment(past.began).into()),
        ("state", words::text(&format!("history-{state}")).into()),
        ("kind", kind.into()),
        ("source", first.into()),
        ("more", past.source_count.saturating_sub(1).into()),
        ("destination", words::path(Path::new(&past.destination)).into()),
        ("counts", counts.into()),
    ]);
    words::text_with("history-line", &args)
}

fn moment(seconds: i64) -> String {
    let zoned = jiff::Timestamp::from_second(seconds).unwrap_or_default();
    zoned.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string()
}
