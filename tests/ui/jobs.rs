//! Jobs: what the engine tells is shown, what the user does is sent.

use ferry::engine::*;
use ferry::ui::Message;
use ferry::ui::keys::Press;
use ferry::ui::screen::jobs;
use iced::Theme;
use iced::keyboard::Modifiers;
use iced::keyboard::key::Named;

use crate::common::*;
use crate::pictures::{busy, summary};

#[test]
fn progress_is_seen_in_figures() {
    let stage = busy();
    for words in [
        "63 %",
        "41.2 GB of 65.4 GB · 3 left out",
        "18 items/s",
        "4 min 8 s",
        "18 420",
        "2 skipped · 1 failed",
        "18 422 of 29 316 items",
        "Copied in the kernel, ext4 to XFS · to /media/anna/Backup stick",
    ] {
        assert!(stage.shows(words), "{words}");
    }
}

#[test]
fn the_head_counts_open_jobs_and_their_rate() {
    let mut stage = Stage::new();
    let one = stage.job(1, spec(&["/a"], "/b"), Plan::default());
    let _two = stage.job(2, spec(&["/c"], "/b"), Plan::default());
    stage.event(Event::State { job: one, state: JobState::Running });
    stage.event(Event::Progress { job: one, snapshot: sample(2000, 412_000_000) });
    assert!(stage.shows("2 jobs · 412 MB/s"));
    stage.event(Event::Finished { job: one, summary: summary(5, 0) });
    assert!(stage.shows("1 job"));
}

#[test]
fn space_pauses_and_goes_on() {
    let mut stage = busy();
    stage.key(Named::Space);
    assert_eq!(stage.sent(), [Command::Pause { job: JobId(1) }]);
    stage.event(Event::State { job: JobId(1), state: JobState::Paused });
    assert!(stage.shows("Paused"));
    stage.key(Named::Space);
    assert_eq!(stage.sent(), [Command::Resume { job: JobId(1) }]);
}

#[test]
fn delete_asks_once_before_it_cancels() {
    let mut stage = busy();
    stage.key(Named::Delete);
    assert!(stage.shows("Cancel “Photos 2026 and 3 more”?"));
    stage.key(Named::Enter);
    assert!(stage.sent().is_empty(), "the focus stands on what loses nothing");
    stage.key(Named::Delete);
    stage.key(Named::Delete);
    assert_eq!(stage.sent(), [Command::Cancel { job: JobId(1) }]);
}

#[test]
fn a_confirm_goes_when_its_job_ends() {
    let mut stage = busy();
    stage.key(Named::Delete);
    stage.event(Event::Finished { job: JobId(1), summary: summary(5, 0) });
    assert!(!stage.shows("Cancel the job"));
}

#[test]
fn arrows_choose_a_job() {
    let mut stage = busy();
    stage.key(Named::ArrowDown);
    stage.key(Named::ArrowDown);
    stage.key(Named::Space);
    assert_eq!(stage.sent(), [Command::Resume { job: JobId(3) }]);
    stage.key(Named::ArrowUp);
    stage.key(Named::Delete);
    assert_eq!(stage.sent(), [Command::Forget { job: JobId(2) }]);
    assert!(!stage.shows("linux-7.3"));
}

#[test]
fn ended_jobs_are_taken_off_the_list_together() {
    let mut stage = busy();
    stage.event(Event::Finished { job: JobId(1), summary: summary(5, 0) });
    stage.click("Remove ended");
    let forget = |job| Command::Forget { job: JobId(job) };
    assert_eq!(stage.sent(), [forget(1), forget(2)]);
    assert!(stage.shows("Letters"));
    assert!(!stage.shows("linux-7.3"));
}

#[test]
fn a_waiting_job_can_run_earlier() {
    let mut stage = busy();
    let _notes = stage.job(5, spec(&["/home/anna/Notes"], "/srv"), Plan::default());
    stage.tell(Message::Jobs(jobs::Message::Choose(JobId(5))));
    stage.press(Press::named(Named::ArrowUp).with(Modifiers::CTRL));
    let earlier = Command::Reorder { job: JobId(5), before: Some(JobId(4)) };
    assert_eq!(stage.sent(), [earlier]);
    // Nothing moves until the engine says so.
    let order = [1, 3, 5, 4].map(JobId).to_vec();
    stage.event(Event::Order { jobs: order });
    stage.press(Press::named(Named::ArrowDown).with(Modifiers::CTRL));
    assert_eq!(stage.sent(), [Command::Reorder { job: JobId(5), before: None }]);
}

#[test]
fn the_end_tells_what_was_not_copied_and_why() {
    let mut stage = busy();
    stage.event(Event::Finished { job: JobId(1), summary: summary(29_000, 2) });
    for words in [
        "Copied 29 000 items (1.4 GB) in 2.1 s. 2 failed.",
        "Could not open “secret 0.txt”: you do not have permission.",
        "The owner or group of 12 items could not be kept; one is “Photos/a.jpg”.",
    ] {
        assert!(stage.shows(words), "{words}");
    }
}

#[test]
fn a_refused_job_says_why() {
    let mut stage = Stage::new();
    let job = stage.job(1, spec(&["/home/anna"], "/home/anna/in"), Plan::default());
    let error = Error {
        operation: Operation::Inspect,
        path: "/home/anna".into(),
        kind: ErrorKind::IntoItself,
    };
    let refused = Summary {
        outcome: Outcome::Refused,
        failures: vec![Failure { entry: None, error }],
        ..summary(0, 0)
    };
    stage.event(Event::Finished { job, summary: refused });
    assert!(stage.shows("could not start"));
    assert!(stage.shows("Nothing was copied."));
    assert!(stage.shows("The folder “anna” would be copied into itself."));
}

#[test]
fn closing_asks_while_jobs_run() {
    let mut stage = busy();
    stage.tell(Message::CloseRequested);
    assert!(stage.shows("3 jobs have not ended yet"));
    stage.click("Keep the window open");
    assert!(stage.sent().is_empty());
    stage.tell(Message::CloseRequested);
    stage.click("Cancel and close");
    assert_eq!(stage.sent(), [Command::ShutDown]);
}

#[test]
fn jobs_can_be_stopped_for_now_when_the_window_closes() {
    let mut stage = busy();
    let jobs = [1, 3, 4].map(JobId);
    stage.tell(Message::CloseRequested);
    assert!(stage.shows("What is stopped for now can go on when Ferry is opened again. What is already copied stays."));
    stage.click("Stop for now");
    let mut expected: Vec<Command> = jobs.into_iter().map(|job| Command::Stop { job }).collect();
    expected.push(Command::ShutDown);
    assert_eq!(stage.sent(), expected);
}

#[test]
fn closing_without_jobs_just_ends() {
    let mut stage = Stage::new();
    stage.tell(Message::CloseRequested);
    assert_eq!(stage.sent(), [Command::ShutDown]);
}

#[test]
fn light_and_dark_differ_and_both_draw() {
    let stage = busy();
    let picture = |theme: Theme| {
        let path = std::env::temp_dir().join(format!("ferry-ui-{}-{theme}", std::process::id()));
        let snapshot = stage.look(|eye| eye.snapshot(&theme)).expect("a picture");
        assert!(snapshot.matches_hash(&path).expect("a hash"));
        let path = path.with_file_name(format!(
            "{}-tiny-skia.sha256",
            path.file_name().expect("a name").to_string_lossy()
        ));
        let hash = std::fs::read_to_string(&path).expect("a hash");
        std::fs::remove_file(path).expect("a file of this test");
        hash
    };
    assert_ne!(picture(Theme::Light), picture(Theme::Dark));
}

#[test]
fn t_goes_through_the_colours() {
    let mut stage = Stage::new();
    assert_eq!(stage.window.theme(), None);
    for dark in [false, true] {
        stage.letter('t');
        let theme = stage.window.theme().expect("a choice");
        assert_eq!(theme.extended_palette().is_dark, dark);
    }
}

#[test]
fn a_job_that_came_to_rest_early_shows_how_far_it_is() {
    let mut stage = Stage::new();
    let job = stage.job(1, spec(&["/a"], "/b"), Plan::default());
    let entries =
        EntryCounts { total: 300, total_is_final: true, done: 75, ..EntryCounts::default() };
    let snapshot = Snapshot { entries, ..Snapshot::default() };
    stage.event(Event::State { job, state: JobState::Running });
    stage.event(Event::Progress { job, snapshot });
    assert!(!stage.shows("25 %"));
    stage.event(Event::State { job, state: JobState::Waiting });
    assert!(stage.shows("25 %"));
}

#[test]
fn a_cancelled_job_counts_only_what_is_whole() {
    let mut stage = Stage::new();
    let job = stage.job(1, spec(&["/a/film.mkv"], "/b"), Plan::default());
    stage.event(Event::State { job, state: JobState::Running });
    let bytes = ByteCounts { done: 56_000_000, cloned: 0, total: Some(1_400_000_000) };
    let begun = Snapshot { bytes, fraction: Some(0.9), ..sample(1000, 50_000_000) };
    stage.event(Event::Progress { job, snapshot: begun });
    assert!(stage.shows("4 %"));
    let bytes = ByteCounts { done: 0, cloned: 0, total: Some(1_400_000_000) };
    let entries = EntryCounts { total: 1, total_is_final: true, ..EntryCounts::default() };
    let cancelled = Summary { outcome: Outcome::Cancelled, bytes, entries, ..summary(0, 0) };
    stage.event(Event::Finished { job, summary: cancelled.clone() });
    assert!(stage.shows("0 %"));
    assert!(stage.shows("0 bytes of 1.4 GB"));
    // Where nothing is known of the whole, no part of it is told.
    let unknown = ByteCounts { total: None, ..bytes };
    let entries = EntryCounts { total_is_final: false, ..entries };
    stage.event(Event::Finished { job, summary: Summary { bytes: unknown, entries, ..cancelled } });
    assert!(!stage.shows("0 %"));
}

#[test]
fn the_end_lists_what_was_skipped_renamed_and_set_aside() {
    let mut stage = busy();
    let report = Report::new(std::sync::Arc::new(photos(0)), "/media/anna/Backup stick".into());
    let told = ferry::ui::job::notable(&report);
    stage.event(Event::Finished { job: JobId(1), summary: summary(29_000, 1) });
    stage.tell(Message::Told(JobId(1), told.clone()));
    let renamed = |entry: &&ReportEntry| entry.state == EntryState::Renamed;
    let skipped = |entry: &&ReportEntry| entry.state == EntryState::Skipped;
    for entry in [told.iter().find(renamed), told.iter().find(skipped)] {
        let sentence = ferry::report::sentences(entry.expect("an entry")).remove(0);
        assert!(stage.texts().contains(&sentence), "{sentence}: {:?}", stage.texts());
    }
    assert!(
        stage.shows("The owner or group of 12 items could not be kept; one is “Photos/a.jpg”.")
    );
    assert!(told.iter().all(|entry| entry.state != EntryState::Failed), "those are told already");
    crate::pictures::everywhere(&mut stage, "ended-told");
}

#[test]
fn percent_and_bytes_agree_after_a_failure() {
    let mut stage = Stage::new();
    let job = stage.job(1, spec(&["/a"], "/b"), Plan::default());
    let bytes = ByteCounts { done: 300_000_000, cloned: 0, total: Some(1_200_000_000) };
    let entries =
        EntryCounts { total: 4, total_is_final: true, done: 1, failed: 1, ..Default::default() };
    stage.event(Event::State { job, state: JobState::Running });
    let snapshot = Snapshot { bytes, entries, fraction: Some(0.7), ..sample(1000, 5) };
    stage.event(Event::Progress { job, snapshot });
    assert!(stage.shows("25 %") && stage.shows("300 MB of 1.2 GB · 1 left out"));
    let ended = Summary { bytes, entries, ..summary(1, 1) };
    stage.event(Event::Finished { job, summary: ended });
    assert!(stage.shows("25 %") && stage.shows("300 MB of 1.2 GB · 1 left out"));
}

#[test]
fn a_job_says_what_it_waits_for() {
    let mut stage = busy();
    stage.click("Letters");
    assert!(stage.shows("The job waits for its turn."), "nothing is listed before");
    assert!(!stage.shows("The sources are being listed."));
    assert!(stage.shows("Queued") && stage.shows("waits for its turn"));
    // A job that goes on after a pause is at its place in the queue, not at its beginning.
    stage.click("Interview_raw.mov");
    stage.event(Event::State { job: JobId(3), state: JobState::Queued });
    assert!(stage.shows("waits to go on") && stage.shows("goes on in its turn"));
    // One that is paused says so, whatever else it asks.
    stage.click("Photos 2026 and 3 more");
    stage.event(Event::State { job: JobId(1), state: JobState::Paused });
    assert!(stage.shows("paused") && stage.shows("3 wait for you"));
    assert!(stage.shows("3 files need a decision. The job is paused."));
    stage.key(Named::Delete);
    assert!(stage.shows("Keep the job") && !stage.shows("Go on copying"));
}

#[test]
fn the_list_stays_where_it_is_when_a_rate_comes() {
    let mut stage = Stage::new();
    let job = stage.job(1, spec(&["/a"], "/b"), photos(3));
    let place = |stage: &Stage| {
        let place = stage.look(|eye| eye.find("Done".to_owned()).map(|text| text.bounds().y));
        place.or_else(|_| {
            stage.look(|eye| eye.find("Done 18\u{202f}420".to_owned()).map(|text| text.bounds().y))
        })
    };
    let before = place(&stage).expect("the tab");
    stage.event(Event::State { job, state: JobState::Running });
    stage.event(Event::Progress { job, snapshot: sample(1000, 5) });
    assert_eq!(place(&stage).expect("the tab"), before);
}

#[test]
fn tab_leads_through_the_head() {
    let mut stage = Stage::new();
    stage.key(Named::Tab);
    stage.key(Named::Tab);
    stage.key(Named::Tab);
    // What has the focus is what Enter and Space press.
    stage.key(Named::Space);
    assert!(stage.shows("History"), "the third one opens the history");
    stage.key(Named::Escape);
    assert!(!stage.shows("History"));
    // Without a focus Space is for the job, as ever.
    let mut stage = busy();
    stage.key(Named::Tab);
    stage.key(Named::Escape);
    stage.key(Named::Space);
    assert_eq!(stage.sent(), [Command::Pause { job: JobId(1) }]);
}

#[test]
fn the_head_tells_no_rate_of_a_job_that_rests() {
    for state in [JobState::Paused, JobState::Waiting, JobState::Cancelling] {
        let mut stage = Stage::new();
        let job = stage.job(1, spec(&["/a"], "/b"), Plan::default());
        stage.event(Event::State { job, state: JobState::Running });
        stage.event(Event::Progress { job, snapshot: sample(2000, 412_000_000) });
        assert!(stage.shows("1 job · 412 MB/s"));
        stage.event(Event::State { job, state });
        assert!(stage.shows("1 job"), "{state:?}");
    }
}

#[test]
fn a_folder_is_named_without_a_slash_at_its_end() {
    let mut stage = Stage::new();
    let job = stage.job(1, spec(&["/home/anna/Letters/"], "/srv/backup/"), Plan::default());
    assert!(stage.shows("to /srv/backup"));
    stage.event(Event::Asked { job, questions: vec![conflict(1, 0, "a.txt")] });
    stage.letter('d');
    assert!(stage.shows("in /srv/backup"));
}

#[test]
fn what_follows_the_copying_is_told_with_its_own_progress() {
    let mut stage = Stage::new();
    let job = stage.job(1, spec(&["/a"], "/b"), Plan::default());
    stage.event(Event::State { job, state: JobState::Running });
    let phase = |phase, fraction| Snapshot { phase, fraction, ..sample(2000, 412_000_000) };
    let flushing = phase(Phase::Flushing, None);
    stage.event(Event::Progress { job, snapshot: flushing });
    assert!(stage.shows("writing to the device"));
    assert!(stage.shows("through to the device"));
    stage.event(Event::Progress { job, snapshot: phase(Phase::Verifying, Some(0.25)) });
    for words in ["verifying", "25 %", "verified"] {
        assert!(stage.shows(words), "{words}");
    }
    stage.event(Event::Progress { job, snapshot: phase(Phase::Removing, None) });
    assert!(stage.shows("removing the sources"));
}

#[test]
fn a_waiting_job_is_dragged_to_another_place() {
    let mut stage = busy();
    let _notes = stage.job(5, spec(&["/home/anna/Notes"], "/srv"), Plan::default());
    stage.size.1 = 1000.0;
    stage.drag("Notes", "Letters", -50.0, None);
    let before = Command::Reorder { job: JobId(5), before: Some(JobId(4)) };
    assert_eq!(stage.sent(), [before]);
    stage.drag("Letters", "Notes", 60.0, None);
    assert_eq!(stage.sent(), [Command::Reorder { job: JobId(4), before: None }]);
    // Let go where it was, or given up by Escape, it stays; one that runs cannot be dragged.
    stage.drag("Notes", "Notes", 20.0, None);
    let escape = iced_test::simulator::press_key(Named::Escape, None);
    stage.drag("Notes", "Letters", -50.0, Some(escape));
    stage.drag("Photos 2026 and 3 more", "Letters", 60.0, None);
    assert!(stage.sent().is_empty());
}

#[test]
fn an_ended_job_can_be_repeated_unless_it_moved_its_sources() {
    let mut stage = busy();
    stage.click("linux-7.3");
    stage.click("Repeat");
    let [Command::Add { spec: again, .. }] = &stage.sent()[..] else { panic!("one job") };
    assert_eq!(*again, spec(&["/home/anna/linux-7.3"], "/srv/Archive/src"));
    stage.letter('r');
    assert_eq!(stage.sent().len(), 1);
    let moved = JobSpec { kind: JobKind::Move, ..spec(&["/a"], "/b") };
    let job = stage.job(9, moved, Plan::default());
    stage.event(Event::State { job, state: JobState::Ended });
    stage.event(Event::Finished { job, summary: summary(3, 0) });
    assert!(stage.shows("Open folder"));
    assert!(!stage.shows("Repeat"));
    stage.letter('r');
    assert!(stage.sent().is_empty());
}

#[test]
fn a_file_manager_that_is_not_there_is_told() {
    let mut stage = busy();
    stage.tell(Message::Opened(true));
    assert!(!stage.shows("No file manager could be opened"));
    stage.tell(Message::Opened(false));
    assert!(stage.shows("No file manager could be opened"));
    stage.key(Named::Enter);
    assert!(!stage.shows("No file manager could be opened"));
}

#[test]
fn cards_are_as_high_as_the_list_thinks() {
    let stage = busy();
    let top =
        |words: &str| stage.look(|eye| eye.find(words.to_owned()).expect("a card").bounds().y);
    assert_eq!(top("Interview_raw.mov") - top("linux-7.3"), jobs::STEP);
}

#[test]
fn a_waiting_job_can_run_beside_the_others() {
    let mut stage = busy();
    stage.letter('n');
    assert!(stage.sent().is_empty(), "it runs already");
    stage.click("Letters");
    stage.click("Run now");
    stage.letter('n');
    let now = Command::RunNow { job: JobId(4) };
    assert_eq!(stage.sent(), [now.clone(), now]);
}

#[test]
fn a_file_in_work_can_be_skipped() {
    let mut stage = busy();
    let skip = |entry| Command::SkipEntry { job: JobId(1), entry: EntryId(entry) };
    stage.letter('s');
    assert_eq!(stage.sent(), [skip(2)]);
    use ferry::ui::screen::{detail, entries};
    let message = entries::Message::Skip(JobId(1), EntryId(3));
    stage.tell(Message::Detail(detail::Message::Entries(message)));
    assert_eq!(stage.sent(), [skip(3)]);
    stage.event(Event::State { job: JobId(1), state: JobState::Cancelling });
    stage.letter('s');
    assert!(stage.sent().is_empty());
}

#[test]
fn a_job_can_be_stopped_for_now_instead_of_cancelled() {
    let mut stage = busy();
    stage.key(Named::Delete);
    stage.click("Stop for now");
    assert_eq!(stage.sent(), [Command::Stop { job: JobId(1) }]);
    stage.key(Named::Delete);
    stage.key(Named::Tab);
    stage.key(Named::Enter);
    assert_eq!(stage.sent(), [Command::Stop { job: JobId(1) }]);
}
