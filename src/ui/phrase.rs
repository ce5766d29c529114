//! Sentences of the window that take a job, a path or a count.

use std::path::{Path, PathBuf};

use crate::engine::{ByteCounts, Error, JobKind, JobState, Outcome, Past};
use crate::words::{self, args, text, text_with};

use super::job::Job;
use super::widget::{CutText, cut_text};

/// A sentence about a count.
pub fn counted(id: &str, count: u64) -> String {
    text_with(id, &args([("count", count.into())]))
}

/// A sentence with one word in it.
pub fn with(id: &str, name: &'static str, value: String) -> String {
    text_with(id, &args([(name, value.into())]))
}

/// What a list of sources is called: `Photos 2026`, `Photos 2026 and 3 more`.
pub fn sources(sources: &[PathBuf]) -> String {
    let Some(first) = sources.first() else { return text("window-nothing") };
    let name = last_name(first);
    match sources.len() as u64 - 1 {
        0 => name,
        more => {
            text_with("window-and-more", &args([("name", name.into()), ("count", more.into())]))
        }
    }
}

/// The same for where there may be little room: their number stays to the end.
pub fn sources_cut(sources: &[PathBuf]) -> CutText {
    let whole = cut_text(self::sources(sources));
    match (sources.first(), sources.len() as u64) {
        (Some(first), 2..) => {
            let more = sources.len() as u64 - 1;
            let parts = args([("name", last_name(first).into()), ("count", more.into())]);
            whole.or(text_with("window-and-more-short", &parts))
        }
        _ => whole,
    }
}

/// What the sources of a job of the history are called.
pub fn past_sources(past: &Past) -> String {
    match (past.sources.first(), past.source_count) {
        (Some(first), 2..) => {
            let more = (past.source_count - 1).into();
            let parts = args([("name", last_name(first).into()), ("count", more)]);
            text_with("window-and-more", &parts)
        }
        _ => sources(&past.sources),
    }
}

/// The folder that all sources lie in, when there is one.
pub fn common_parent(sources: &[PathBuf]) -> Option<&Path> {
    let parent = sources.first()?.parent()?;
    sources.iter().all(|source| source.parent() == Some(parent)).then_some(parent)
}

/// The last name of a path; the path itself where there is none.
pub fn last_name(path: &Path) -> String {
    path.file_name().map_or_else(|| words::path(path), words::name)
}

/// A path with the home folder as `~`.
pub fn short_path(path: &Path) -> String {
    // Without the slash that may stand at its end.
    let path = path.components().as_path();
    match std::env::home_dir().and_then(|home| path.strip_prefix(home).ok().map(Path::to_owned)) {
        Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Some(rest) => format!("~/{}", words::path(&rest)),
        None => words::path(path),
    }
}

/// A folder to copy into: those in the home folder without it.
pub fn place(path: &Path) -> String {
    let short = short_path(path);
    match short.strip_prefix('~') {
        Some("") => text("window-place-home"),
        Some(rest) => rest.trim_start_matches('/').to_owned(),
        None => short,
    }
}

/// How data goes, of all pairs of mounts of a job: one sentence.
pub fn routes(job: &Job) -> String {
    let parts: Vec<String> = job.routes.iter().map(words::route).collect();
    if parts.is_empty() {
        return text(match job.state {
            JobState::Queued => "window-route-queued",
            JobState::Ended => "window-route-none",
            _ => "window-route-unknown",
        });
    }
    capital(&parts.join(&text("window-separator")))
}

/// A sentence with a capital letter at its start.
pub fn capital(sentence: &str) -> String {
    let mut chars = sentence.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// The part that is done: `63 %`.
pub fn percent(job: &Job) -> Option<String> {
    let percent = (job.fraction()?.clamp(0.0, 1.0) * 100.0).floor() as u64;
    Some(counted("window-percent", percent))
}

/// How much of the data is done: `41.2 GB of 108 GB`.
pub fn bytes(bytes: &ByteCounts) -> String {
    match bytes.total {
        Some(total) if total > 0 => {
            let args = args([
                ("done", words::size(bytes.done.min(total)).into()),
                ("total", words::size(total).into()),
            ]);
            text_with("window-bytes-of", &args)
        }
        _ => words::size(bytes.done),
    }
}

/// How many entries are through: `18 420 of 29 316 items`.
pub fn entries(job: &Job) -> String {
    let entries = &job.snapshot.entries;
    let through = entries.done + entries.skipped + entries.unanswered;
    if job.state == JobState::Queued && !job.waits_to_go_on() {
        return counted("window-sources", job.spec.sources.len() as u64);
    }
    if job.ended() && entries.done == entries.total {
        return counted("window-items", entries.done);
    }
    let args = args([("count", entries.total.into()), ("through", through.into())]);
    let id = if entries.total_is_final { "window-items-of" } else { "window-items-of-so-far" };
    text_with(id, &args)
}

/// What failed and why, with the file's name alone in place of its path.
pub fn short_error(error: &Error) -> String {
    let name = error.path.file_name().map_or_else(|| error.path.clone(), PathBuf::from);
    words::error(&Error { path: name, ..error.clone() })
}

/// A job's outcome in a word or two.
pub fn outcome(job: &Job) -> Option<String> {
    let summary = job.summary.as_ref()?;
    let entries = &summary.entries;
    Some(match summary.outcome {
        Outcome::Refused => text("window-refused"),
        Outcome::Cancelled => text("window-cancelled"),
        Outcome::Stopped => text("window-stopped"),
        Outcome::Done if entries.failed > 0 => counted("window-failed-count", entries.failed),
        Outcome::Done if entries.unanswered > 0 => {
            counted("window-unanswered-count", entries.unanswered)
        }
        Outcome::Done => {
            let done = text(match job.spec.kind {
                JobKind::Copy => "window-done-copied",
                JobKind::Move => "window-done-moved",
            });
            match entries.skipped {
                0 => done,
                skipped => {
                    [done, counted("window-skipped-count", skipped)].join(&text("window-separator"))
                }
            }
        }
    })
}

/// The time of day some milliseconds from now: `15:42`.
pub fn clock_in(milliseconds: u64) -> String {
    let span = jiff::SignedDuration::from_millis(milliseconds.min(1 << 42) as i64);
    let then = jiff::Timestamp::now().checked_add(span).unwrap_or(jiff::Timestamp::MAX);
    then.to_zoned(jiff::tz::TimeZone::system()).strftime("%H:%M").to_string()
}
