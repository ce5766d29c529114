//! Ferry: chooses the face, the window or the terminal.

use std::path::PathBuf;
use std::process::ExitCode;

use ferry::cli::{self, Request, Status};
use ferry::settings::{self, Loaded};

fn main() -> ExitCode {
    let loaded = settings::load();
    let status = match cli::parse(std::env::args_os(), &loaded.settings) {
        Ok(Request::Job(job)) => {
            loaded.complaints.iter().for_each(|complaint| cli::complain(complaint));
            cli::run(job)
        }
        Ok(Request::Resume { job, shown }) => cli::resume(job, shown),
        Ok(Request::Undo { job, dry_run, shown }) => cli::undo(job, dry_run, shown),
        Ok(Request::Redo { job, shown }) => cli::redo(job, shown),
        Ok(Request::Free { dry_run }) => cli::free(dry_run),
        Ok(Request::History { job, json }) => cli::history(job, json),
        Ok(Request::Report { job, file }) => cli::report(job, file),
        Ok(Request::Window(sources)) => window(sources, loaded),
        Err(message) => cli::print(&message),
    };
    status.into()
}

#[cfg(feature = "gui")]
fn window(sources: Vec<PathBuf>, settings: Loaded) -> Status {
    // Shown and remembered as what they are, wherever the window was started.
    let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
    match ferry::ui::run(sources.into_iter().map(absolute).collect(), settings) {
        Ok(()) => Status::Done,
        Err(error) => {
            cli::complain(&error);
            Status::Incomplete
        }
    }
}

#[cfg(not(feature = "gui"))]
fn window(_sources: Vec<PathBuf>, _settings: Loaded) -> Status {
    cli::complain("there is no window in this build");
    Status::Incomplete
}
