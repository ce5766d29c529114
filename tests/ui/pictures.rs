//! Pictures of every state of the window, to be looked at:
//! `FERRY_PICTURES=/tmp/pictures cargo test --test ui pictures`.

use ferry::engine::*;
use ferry::ui::theme::Choice;

use crate::common::*;

const SIZES: [(&str, (f32, f32)); 3] =
    [("middle", (1120.0, 720.0)), ("small", (720.0, 480.0)), ("large", (1600.0, 1000.0))];

pub fn everywhere(stage: &mut Stage, name: &str) {
    for (size_name, size) in SIZES {
        for (theme_name, choice) in [("light", Choice::Light), ("dark", Choice::Dark)] {
            let theme = choice.theme().expect("a theme");
            stage.size = size;
            stage.picture(&format!("{name}-{size_name}-{theme_name}"), &theme);
        }
    }
}

/// Four jobs: one that runs and asks, an ended, a paused, a waiting one.
pub fn busy() -> Stage {
    let mut stage = Stage::new();
    let photos_spec = spec(
        &["/home/anna/Pictures/Photos 2026", "/home/anna/a", "/home/anna/b", "/home/anna/c"],
        "/media/anna/Backup stick",
    );
    let job = stage.job(1, photos_spec, photos(29_300));
    let linux = stage.job(2, spec(&["/home/anna/linux-7.3"], "/srv/Archive/src"), Plan::default());
    let film = stage.job(
        3,
        spec(&["/home/anna/Interview_raw.mov"], "/srv/Archive/video"),
        Plan::default(),
    );
    let _letters =
        stage.job(4, spec(&["/home/anna/Letters"], "/media/anna/Backup stick"), Plan::default());
    stage.event(Event::State { job, state: JobState::Running });
    stage.event(Event::Route {
        job,
        route: Route {
            means: Means::InKernel,
            source_type: "ext4".into(),
            destination_type: "xfs".into(),
        },
    });
    for step in 0..240_u64 {
        let wave = (step as f64 / 17.0).sin() * 9e6 + (step as f64 / 5.0).sin() * 3e6;
        let rise = 36.4e6 * (1.0 - (-(step as f64) / 12.0).exp());
        let rate = (rise + wave * (rise / 36.4e6)).max(0.0) as u64;
        stage.event(Event::Progress { job, snapshot: sample(step * 500, rate) });
    }
    stage.event(Event::Asked {
        job,
        questions: vec![
            conflict(1, 4, "Photos 2026/Rīga, vecpilsēta.xcf"),
            conflict(2, 900, "Photos 2026/IMG_2013.jpg"),
            conflict(3, 901, "Photos 2026/IMG_2014.jpg"),
        ],
    });
    stage.event(Event::State { job: linux, state: JobState::Ended });
    stage.event(Event::Finished { job: linux, summary: summary(92_104, 0) });
    stage.event(Event::State { job: film, state: JobState::Paused });
    let mut paused = sample(10_000, 0);
    paused.entries = EntryCounts { total: 1, total_is_final: true, ..EntryCounts::default() };
    paused.fraction = Some(0.38);
    paused.left = None;
    stage.event(Event::Progress { job: film, snapshot: paused });
    stage.tell(ferry::ui::Message::Jobs(ferry::ui::screen::jobs::Message::Choose(job)));
    let _sent = stage.sent();
    stage
}

pub fn summary(done: u64, failed: u64) -> Summary {
    let failure = |number: u64| Failure {
        entry: Some(EntryId(number as u32)),
        error: Error {
            operation: Operation::Open,
            path: format!("/home/anna/Pictures/secret {number}.txt").into(),
            kind: ErrorKind::Os(13),
        },
    };
    Summary {
        outcome: Outcome::Done,
        entries: EntryCounts {
            total: done + failed,
            total_is_final: true,
            done,
            failed,
            ..EntryCounts::default()
        },
        bytes: ByteCounts { done: 1_400_000_000, cloned: 0, total: Some(1_400_000_000) },
        elapsed: 2_100,
        merged: 0,
        renamed: 0,
        set_aside: 0,
        changed: 0,
        verified: 0,
        failures: (0..failed).map(failure).collect(),
        notices: if failed > 0 {
            vec![Notice { kind: NoticeKind::Owner, count: 12, example: "Photos/a.jpg".into() }]
        } else {
            Vec::new()
        },
    }
}

#[test]
fn empty() {
    everywhere(&mut Stage::new(), "empty");
}

#[test]
fn main() {
    everywhere(&mut busy(), "main");
}

#[test]
fn main_with_failures() {
    let mut stage = busy();
    let failures = vec![
        failure(11, 5, "Photos 2026/старый архив.zip", 5),
        failure(
            12,
            6,
            "Photos 2026/a long folder name that goes on/and another one/secret.txt",
            13,
        ),
    ];
    stage.event(Event::Asked { job: JobId(1), questions: failures });
    everywhere(&mut stage, "main-failures");
    stage.click("Look");
    everywhere(&mut stage, "failures");
}

#[test]
fn conflict_dialog() {
    let mut stage = busy();
    stage.click("Decide");
    stage.seen(1);
    everywhere(&mut stage, "conflict");
    stage.click("Rename…");
    everywhere(&mut stage, "conflict-rename");
}

#[test]
fn conflict_dialog_of_folders() {
    let mut stage = busy();
    let mut question = conflict(90, 3, "Photos 2026");
    if let About::Conflict { source, existing, .. } = &mut question.about {
        (source.kind, existing.kind) = (FileKind::Folder, FileKind::Folder);
    }
    stage.event(Event::Asked { job: JobId(1), questions: vec![question] });
    stage.tell(ferry::ui::Message::Detail(ferry::ui::screen::detail::Message::Entries(
        ferry::ui::screen::entries::Message::Decide(JobId(1), QuestionId(90)),
    )));
    stage.seen(1);
    everywhere(&mut stage, "conflict-folders");
}

#[test]
fn conflict_dialog_of_a_long_name() {
    let mut stage = busy();
    let name = format!("{}.txt", "a long name that goes on ".repeat(6));
    let mut question = conflict(90, 3, &name);
    if let About::Conflict { other_name, .. } = &mut question.about {
        *other_name = format!("{} (2).txt", "a long name that goes on ".repeat(6)).into();
    }
    stage.event(Event::Asked { job: JobId(1), questions: vec![question] });
    stage.tell(ferry::ui::Message::Detail(ferry::ui::screen::detail::Message::Entries(
        ferry::ui::screen::entries::Message::Decide(JobId(1), QuestionId(90)),
    )));
    everywhere(&mut stage, "conflict-long");
}

#[test]
fn ended() {
    let mut stage = busy();
    stage.event(Event::Finished { job: JobId(1), summary: summary(29_000, 3) });
    everywhere(&mut stage, "ended");
    stage.click("linux-7.3");
    everywhere(&mut stage, "ended-well");
}

#[test]
fn confirm() {
    let mut stage = busy();
    stage.tell(ferry::ui::Message::CloseRequested);
    everywhere(&mut stage, "close");
}

#[test]
fn drop_veil() {
    use ferry::ui::Message::Intake;
    use ferry::ui::intake::Message;
    let mut stage = busy();
    stage.tell(Intake(Message::Hovered));
    everywhere(&mut stage, "drop");
}

#[test]
fn destination() {
    use ferry::ui::Message::Dialog;
    use ferry::ui::dialog::Message::Destination;
    use ferry::ui::dialog::destination::Message;
    use ferry::ui::places::{Facts, Place, PlaceKind};
    let mut stage = busy();
    let pictures = (0..128).map(|number| format!("/home/anna/Pictures/{number}").into());
    stage.tell(ferry::ui::Message::Intake(ferry::ui::intake::Message::Picked(
        ferry::ui::intake::Picked::Paths(pictures.collect()),
    )));
    let places = [
        ("/srv/share", PlaceKind::Recent, Facts::Silent),
        ("/media/anna/Backup stick", PlaceKind::Device, space("exfat", 48)),
        ("/home/anna/Documents/Letters", PlaceKind::InHome, space("ext4", 210)),
        ("/home/anna/Downloads", PlaceKind::InHome, space("ext4", 210)),
        ("/home/anna/Pictures", PlaceKind::InHome, space("ext4", 210)),
        ("/home/anna", PlaceKind::Home, space("btrfs", 1200)),
    ];
    fn space(file_system: &str, giga: u64) -> Facts {
        Facts::Folder(Space {
            file_system: Some(file_system.into()),
            free: Some(giga * 1_000_000_000),
        })
    }
    let offered =
        places.iter().map(|(path, kind, _)| Place { path: path.into(), kind: *kind }).collect();
    stage.tell(Dialog(Destination(Message::Offered(offered))));
    for (path, _, facts) in places {
        stage.tell(Dialog(Destination(Message::Looked(path.into(), facts))));
    }
    stage.tell(Dialog(Destination(Message::Choose(1))));
    everywhere(&mut stage, "destination");
    stage.click("Options");
    everywhere(&mut stage, "destination-options");
}

#[test]
fn many_jobs_with_odd_names() {
    use std::os::unix::ffi::OsStringExt;
    let mut stage = Stage::new();
    let odd = std::ffi::OsString::from_vec(b"caf\xe9 \xff\n line.txt".to_vec());
    let long = "a name that goes on and on without an end in sight ".repeat(5);
    let sources = [odd.into_string().unwrap_or_else(|odd| odd.to_string_lossy().into()), long];
    for number in 0..40_u64 {
        let source = format!("/home/anna/{}", sources[number as usize % 2]);
        let destination = format!("/srv/{}", sources[(number as usize + 1) % 2]);
        let job = stage.job(number, spec(&[&source, "/b"], &destination), photos(3));
        let state = [JobState::Running, JobState::Paused, JobState::Waiting, JobState::Queued];
        stage.event(Event::State { job, state: state[number as usize % 4] });
        let mut snapshot = sample(3_600_000 * 30, 999_500_000);
        snapshot.entries.done = 123_456_789;
        snapshot.entries.total = 999_999_999;
        snapshot.entries.skipped = 1_234_567;
        snapshot.entries.failed = 7_654_321;
        snapshot.left = Some(3_600_000 * 26);
        snapshot.bytes = ByteCounts { done: 999 << 40, cloned: 0, total: Some(1 << 60) };
        if number % 4 != 3 {
            stage.event(Event::Progress { job, snapshot });
        }
        let questions = vec![conflict(number * 10, 4, "x"), failure(number * 10 + 1, 5, "y", 5)];
        stage.event(Event::Asked { job, questions });
    }
    stage.tell(ferry::ui::Message::Jobs(ferry::ui::screen::jobs::Message::Choose(JobId(4))));
    everywhere(&mut stage, "many");
}

#[test]
fn conflict_table() {
    let mut stage = busy();
    let mut questions = Vec::new();
    for number in 10..50_u64 {
        let path = format!("Photos 2026/2026-07/IMG_20{number}.jpg");
        let mut question = conflict(number, number as u32, &path);
        if let About::Conflict { source, .. } = &mut question.about {
            source.modified_seconds -= (number as i64 % 3) * 86_400 * 20;
            source.size -= (number % 2) * 3_000_000;
        }
        questions.push(question);
    }
    stage.event(Event::Asked { job: JobId(1), questions });
    stage.letter('l');
    stage.key(iced::keyboard::key::Named::Enter);
    stage.key(iced::keyboard::key::Named::ArrowDown);
    stage.key(iced::keyboard::key::Named::Enter);
    stage.letter('k');
    everywhere(&mut stage, "table");
}
