//! The jobs so far: listed, and resumed.

use std::path::{Path, PathBuf};

use crate::engine::{JobKind, JournalError, JournalId, Operation, Past, PastState, Store};
use crate::report::Format;
use crate::words;

use super::arguments::Shown;
use super::output::Output;
use super::session::Begin;
use super::{ReportFile, Status, complain, run_session, unreadable};

/// Lists the jobs so far, newest first, or one of them.
pub fn history(job: Option<JournalId>, json: bool) -> Status {
    let Some(mut all) = read(Store::history) else { return Status::Incomplete };
    if let Some(id) = job {
        all.retain(|past| past.id == id);
        if all.is_empty() {
            complain(&sentence(id, &JournalError::Unknown));
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
    print(&lines);
    Status::Done
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
            complain(&words::error(&error));
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
            complain(&sentence(id, &JournalError::Unknown));
            return Status::Incomplete;
        }
        (_, Some(past)) => past,
        (None, None) => {
            let left = |past: &&Past| past.state == PastState::Unfinished;
            let left: Vec<&Past> = all.iter().filter(left).collect();
            match left.as_slice() {
                &[only] => only,
                [] => {
                    complain(&words::text("resume-nothing"));
                    return Status::Incomplete;
                }
                several => {
                    complain(&words::text("resume-which"));
                    print(&several.iter().map(|past| line(past)).collect::<Vec<_>>());
                    return Status::Usage;
                }
            }
        }
    };
    run_session(Begin::Left(past.id, past.kind), shown, None, Output::start())
}

/// Does a job again; without a number the newest one that was undone.
pub fn redo(job: Option<JournalId>, shown: Shown) -> Status {
    let Some(id) = job.or_else(|| newest(|state| state == PastState::Undone, "redo-nothing"))
    else {
        return Status::Incomplete;
    };
    let spec = Store::of_user().ok_or(JournalError::Unknown).and_then(|store| store.spec(id));
    match spec {
        Ok(spec) => run_session(Begin::New(spec), shown, None, Output::start()),
        Err(error) => {
            complain(&sentence(id, &error));
            Status::Incomplete
        }
    }
}

/// The newest job in a state; complains where there is none.
pub fn newest(wanted: impl Fn(PastState) -> bool, nothing: &str) -> Option<JournalId> {
    let all = read(Store::history)?;
    let newest = all.iter().find(|past| wanted(past.state)).map(|past| past.id);
    if newest.is_none() {
        complain(&words::text(nothing));
    }
    newest
}

/// Reads the store; complains where that cannot be done.
pub fn read<T>(what: impl FnOnce(&Store) -> Result<T, JournalError>) -> Option<T> {
    let Some(store) = Store::of_user() else {
        complain(&words::text("history-no-home"));
        return None;
    };
    what(&store).inspect_err(|error| complain(&error.to_string())).ok()
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
        JournalError::Io(error) => return error.to_string(),
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
            ("history-count-done", entries.done),
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

pub fn print(lines: &[String]) {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    for line in lines {
        // A reader that has gone needs no more.
        if writeln!(out, "{line}").is_err() {
            return;
        }
    }
}
