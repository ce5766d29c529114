//! Questions: taken names and failures, and how they are answered.

use std::ffi::OsString;

use ferry::engine::{Action as Answer, *};
use ferry::ui::Message;
use ferry::ui::dialog::{Message as Dialog, conflict as dialog};
use ferry::ui::keys::Press;
use iced::keyboard::key::Named;

use crate::common::*;

/// A job that asks about three taken names.
fn asking() -> Stage {
    let mut stage = Stage::new();
    let job = stage.job(1, spec(&["/home/anna/Photos"], "/srv/backup"), photos(10));
    stage.event(Event::State { job, state: JobState::Running });
    stage.event(Event::Progress { job, snapshot: sample(1000, 36_400_000) });
    let questions = (1..=3).map(|n| conflict(n, n as u32, &format!("Photos/IMG_{n}.jpg")));
    stage.event(Event::Asked { job, questions: questions.collect() });
    stage
}

fn answered(question: u64, action: Answer, scope: Scope) -> Command {
    Command::Answer { job: JobId(1), question: QuestionId(question), action, scope }
}

fn type_name(stage: &mut Stage, name: &str) {
    stage.tell(Message::Dialog(Dialog::Conflict(dialog::Message::Named(name.into()))));
}

#[test]
fn a_banner_says_how_many_wait_while_the_rest_goes_on() {
    let stage = asking();
    assert!(stage.shows("3 files need a decision. The other 10 890 go on."));
    assert!(stage.shows("3 wait for you"));
}

#[test]
fn one_answer_is_for_one_file_and_the_next_question_follows() {
    let mut stage = asking();
    stage.click("Decide");
    assert!(stage.shows("“IMG_1.jpg” is already there"));
    assert!(stage.shows("newer · larger"));
    stage.seen(1);
    stage.click("Replace");
    assert_eq!(stage.sent(), [answered(1, Answer::Replace, Scope::This)]);
    assert!(stage.shows("“IMG_2.jpg” is already there"));
    stage.seen(2);
    stage.click("Skip");
    assert_eq!(stage.sent(), [answered(2, Answer::Skip, Scope::This)]);
    stage.seen(3);
    stage.click("Keep both as “IMG_3 (2).jpg”");
    assert_eq!(stage.sent(), [answered(3, Answer::KeepBoth, Scope::This)]);
    assert!(!stage.shows("Later"));
}

#[test]
fn an_answer_can_be_for_all_of_the_kind() {
    let mut stage = asking();
    stage.click("Decide");
    stage.click("Do the same for the other 2 of this kind");
    stage.seen(1);
    stage.click("if newer");
    assert_eq!(stage.sent(), [answered(1, Answer::ReplaceIfNewer, Scope::AllOfKind)]);
    assert!(!stage.shows("Later"));
}

#[test]
fn a_stray_enter_answers_nothing() {
    let mut stage = asking();
    stage.letter('d');
    stage.key(Named::Enter);
    stage.letter('r');
    stage.key(Named::Space);
    assert!(stage.sent().is_empty());
    assert!(stage.shows("“IMG_1.jpg” is already there"));
    stage.seen(1);
    stage.key(Named::Enter);
    assert_eq!(stage.sent(), [answered(1, Answer::Skip, Scope::This)]);
    // The second question has not been seen yet.
    stage.key(Named::Enter);
    stage.seen(1);
    stage.key(Named::Enter);
    assert!(stage.sent().is_empty());
    stage.seen(2);
    stage.letter('r');
    assert_eq!(stage.sent(), [answered(2, Answer::Replace, Scope::This)]);
}

#[test]
fn answers_look_as_if_they_cannot_be_pressed_until_they_count() {
    let mut stage = asking();
    stage.click("Decide");
    let answers = ["Skip", "Keep both as “IMG_1 (2).jpg”", "if newer", "if different", "Replace"];
    for answer in answers {
        assert!(!stage.try_click(answer), "{answer}");
    }
    assert!(stage.sent().is_empty());
    stage.seen(1);
    stage.click("if different");
    assert_eq!(stage.sent(), [answered(1, Answer::ReplaceIfDifferent, Scope::This)]);
}

#[test]
fn a_double_click_answers_one_question() {
    let mut stage = asking();
    stage.click("Decide");
    stage.seen(1);
    stage.click("Replace");
    assert!(!stage.try_click("Replace"), "the button of the next question cannot be pressed yet");
    assert_eq!(stage.sent(), [answered(1, Answer::Replace, Scope::This)]);
    assert!(stage.shows("“IMG_2.jpg” is already there"));
}

/// Where words stand on the window: the left and the right edge.
fn place_of(stage: &Stage, words: &str) -> (f32, f32) {
    let place = stage.look(|eye| eye.find(words.to_owned()).map(|text| text.bounds()));
    let place = place.unwrap_or_else(|error| panic!("“{words}”: {error}"));
    (place.x, place.x + place.width)
}

#[test]
fn a_long_name_pushes_no_answer_out_of_the_dialog() {
    for name in ["a.txt".to_owned(), format!("{}.txt", "long name ".repeat(20))] {
        let mut stage = Stage::new();
        stage.size = (720.0, 480.0);
        let job = stage.job(1, spec(&["/home/anna/x"], "/srv"), photos(0));
        let mut question = conflict(1, 1, &name);
        let other = format!("2 {name}");
        if let About::Conflict { other_name, .. } = &mut question.about {
            *other_name = OsString::from(&other);
        }
        stage.event(Event::Asked { job, questions: vec![question] });
        stage.letter('d');
        let (_, keep_both) = place_of(&stage, &format!("Keep both as “{other}”"));
        let (rename, end) = place_of(&stage, "Rename…");
        // Two half buttons and the gap between them: it stands right beside.
        assert!((rename - keep_both - 34.0).abs() < 1.0, "{keep_both} {rename}");
        assert!(end < 720.0 - 40.0 - 12.0 + 1.0, "{end}");
    }
}

#[test]
fn tab_and_enter_reach_every_answer() {
    let mut stage = asking();
    stage.letter('d');
    stage.seen(1);
    for _ in 0..6 {
        stage.key(Named::Tab);
    }
    stage.key(Named::Enter);
    assert_eq!(stage.sent(), [answered(1, Answer::ReplaceIfDifferent, Scope::This)]);
}

#[test]
fn escape_leaves_the_questions_open() {
    let mut stage = asking();
    stage.letter('d');
    stage.key(Named::Escape);
    assert!(stage.sent().is_empty());
    assert!(!stage.shows("Later"));
    assert!(stage.shows("Decide"));
}

#[test]
fn questions_can_be_turned_over() {
    let mut stage = asking();
    stage.letter('d');
    stage.key(Named::PageDown);
    assert!(stage.shows("“IMG_2.jpg” is already there"));
    stage.key(Named::PageUp);
    assert!(stage.shows("“IMG_1.jpg” is already there"));
}

#[test]
fn another_name_is_checked_as_it_is_typed() {
    let mut stage = asking();
    stage.click("Decide");
    stage.click("Rename…");
    for bad in ["", ".", "..", "a/b", &"x".repeat(256)] {
        type_name(&mut stage, bad);
        stage.seen(1);
        stage.key(Named::Enter);
        assert!(stage.sent().is_empty(), "{bad:?}");
        let told = if bad.is_empty() {
            "A name cannot be empty."
        } else {
            "A name cannot be “.” or “..”, hold “/”, or be longer than 255 bytes."
        };
        assert!(stage.shows(told), "{bad:?}");
    }
    type_name(&mut stage, "Rīga.jpg");
    stage.seen(1);
    stage.click("Copy under this name");
    let name = Answer::Rename(OsString::from("Rīga.jpg"));
    assert_eq!(stage.sent(), [answered(1, name, Scope::This)]);
}

#[test]
fn a_new_name_is_not_for_all() {
    let mut stage = asking();
    stage.letter('d');
    stage.seen(1);
    stage.letter('m');
    type_name(&mut stage, "x.jpg");
    for scope in [Scope::AllOfKind, Scope::All] {
        stage.tell(Message::Dialog(Dialog::Conflict(dialog::Message::For(scope))));
        stage.tell(Message::Dialog(Dialog::Conflict(dialog::Message::TakeName)));
        assert!(stage.sent().is_empty());
        assert!(stage.shows(
            "For several, a name needs {name}; it may have {ext}, {date}, {time} and {number}."
        ));
    }
    type_name(&mut stage, "{name}-{number}{ext}");
    stage.click("Copy under this name");
    let pattern = Answer::RenameBy("{name}-{number}{ext}".parse().unwrap());
    assert_eq!(stage.sent(), [answered(1, pattern, Scope::All)]);
    assert!(!stage.shows("Later"));
}

/// A job with one question.
fn asked(change: impl FnOnce(&mut About)) -> Stage {
    let mut stage = Stage::new();
    let job = stage.job(1, spec(&["/home/anna/x"], "/srv"), photos(0));
    let mut question = conflict(1, 1, "x");
    change(&mut question.about);
    stage.event(Event::Asked { job, questions: vec![question] });
    stage.letter('d');
    stage.seen(1);
    stage
}

fn both_folders(about: &mut About) {
    if let About::Conflict { source, existing, .. } = about {
        (source.kind, existing.kind) = (FileKind::Folder, FileKind::Folder);
        (source.size, existing.size) = (0, 0);
    }
}

#[test]
fn folders_have_answers_of_their_own() {
    for (words, letter, answer) in [
        ("Merge the folders", 'g', Answer::Merge),
        ("Replace, the old one to the trash", 'r', Answer::Replace),
        ("Rename what is there to “x (2)”", 'e', Answer::KeepExisting),
        ("Skip", 's', Answer::Skip),
        ("Keep both as “x (2)”", 'k', Answer::KeepBoth),
    ] {
        let mut stage = asked(both_folders);
        assert!(stage.shows("The folder “x” is already there"));
        assert!(!stage.shows("if newer") && !stage.shows("the contents differ"));
        stage.click(words);
        assert_eq!(stage.sent(), [answered(1, answer.clone(), Scope::This)], "{words}");
        let mut stage = asked(both_folders);
        stage.letter(letter);
        assert_eq!(stage.sent(), [answered(1, answer, Scope::This)], "{letter}");
    }
}

#[test]
fn files_have_all_their_answers() {
    for (words, letter, answer) in [
        ("if size or time differ", 't', Answer::ReplaceIfSizeOrTime),
        ("Rename what is there to “x (2)”", 'e', Answer::KeepExisting),
        ("if different", 'd', Answer::ReplaceIfDifferent),
    ] {
        let mut stage = asked(|_| {});
        stage.click(words);
        assert_eq!(stage.sent(), [answered(1, answer.clone(), Scope::This)], "{words}");
        let mut stage = asked(|_| {});
        stage.letter(letter);
        assert_eq!(stage.sent(), [answered(1, answer, Scope::This)], "{letter}");
    }
}

#[test]
fn sources_that_meet_are_told_apart_and_none_replaces_the_other() {
    let mut stage = asked(|about| {
        if let About::Conflict { sources_meet, .. } = about {
            *sources_meet = true;
        }
    });
    assert!(stage.shows("“x” comes from two sources"));
    assert!(stage.shows("From another source of this job"));
    for letter in ['r', 'n', 't', 'e'] {
        stage.letter(letter);
    }
    assert!(stage.sent().is_empty() && !stage.shows("Replace"));
    stage.letter('k');
    assert_eq!(stage.sent(), [answered(1, Answer::KeepBoth, Scope::This)]);
}

#[test]
fn an_answer_can_be_for_every_kind() {
    let mut stage = asking();
    let mut folders = conflict(9, 9, "Photos/sub");
    both_folders(&mut folders.about);
    stage.event(Event::Asked { job: JobId(1), questions: vec![folders] });
    stage.letter('d');
    stage.click("and for every kind");
    stage.seen(1);
    stage.click("Replace");
    assert_eq!(stage.sent(), [answered(1, Answer::Replace, Scope::All)]);
    // Said of a file, it replaces no folder.
    assert!(stage.shows("The folder “sub” is already there"));
    stage.seen(2);
    // And what was said of all kinds is not said of this one as well.
    stage.letter('k');
    assert_eq!(stage.sent(), [answered(9, Answer::KeepBoth, Scope::This)]);
    assert!(!stage.shows("Later"));
}

#[test]
fn equal_sizes_are_compared_in_the_background() {
    let same_size = |about: &mut About| {
        if let About::Conflict { source, existing, .. } = about {
            existing.size = source.size;
        }
    };
    for (equal, words) in [
        (Some(true), "the contents are equal"),
        (Some(false), "the contents differ"),
        (None, "the contents could not be compared"),
    ] {
        let mut stage = asked(same_size);
        let (job, question) = (JobId(1), QuestionId(1));
        assert_eq!(stage.sent(), [Command::Compare { job, question }]);
        assert!(stage.shows("comparing the contents"));
        stage.event(Event::Compared { job, question, equal });
        assert!(stage.shows(words));
    }
    // The next question is compared when it is shown, and not again when it is known.
    let mut stage = asking();
    let (job, question) = (JobId(1), QuestionId(9));
    let mut same = conflict(9, 9, "Photos/same");
    same_size(&mut same.about);
    stage.event(Event::Asked { job, questions: vec![same] });
    stage.letter('d');
    assert!(stage.sent().is_empty(), "other sizes are other contents");
    for _ in 0..3 {
        stage.key(Named::PageDown);
    }
    assert_eq!(stage.sent(), [Command::Compare { job, question }]);
    stage.event(Event::Compared { job, question, equal: Some(true) });
    stage.key(Named::PageUp);
    stage.key(Named::PageDown);
    assert!(stage.sent().is_empty() && stage.shows("the contents are equal"));
}

#[test]
fn a_file_never_replaces_a_folder() {
    let mut stage = Stage::new();
    let job = stage.job(1, spec(&["/home/anna/x"], "/srv"), photos(0));
    let mut question = conflict(1, 1, "x");
    if let About::Conflict { existing, .. } = &mut question.about {
        existing.kind = FileKind::Folder;
    }
    stage.event(Event::Asked { job, questions: vec![question] });
    stage.letter('d');
    assert!(stage.shows("“x” is already there as a folder"));
    assert!(!stage.shows("Replace"));
    stage.seen(1);
    stage.letter('r');
    assert!(stage.sent().is_empty());
}

#[test]
fn one_and_the_same_file_is_said_plainly() {
    let mut stage = Stage::new();
    let job = stage.job(1, spec(&["/home/anna/x"], "/home/anna"), photos(0));
    let mut question = conflict(1, 1, "x");
    if let About::Conflict { same_file, .. } = &mut question.about {
        *same_file = true;
    }
    stage.event(Event::Asked { job, questions: vec![question] });
    stage.letter('d');
    assert!(stage.shows("one and the same file"));
    assert!(!stage.shows("Replace"));
    assert!(!stage.shows("newer · larger"));
}

#[test]
fn a_settled_question_gives_way_to_the_next() {
    let mut stage = asking();
    stage.letter('d');
    stage.event(Event::Settled { job: JobId(1), questions: vec![QuestionId(1)] });
    assert!(stage.shows("“IMG_2.jpg” is already there"));
    let rest = vec![QuestionId(2), QuestionId(3)];
    stage.event(Event::Settled { job: JobId(1), questions: rest });
    assert!(!stage.shows("Later"));
}

fn failing() -> Stage {
    let mut stage = Stage::new();
    let job = stage.job(1, spec(&["/home/anna/Photos"], "/srv/backup"), photos(10));
    stage.event(Event::State { job, state: JobState::Waiting });
    let questions =
        vec![failure(7, 5, "Photos/secret.txt", 13), failure(8, 6, "Photos/broken.mov", 5)];
    stage.event(Event::Asked { job, questions });
    stage
}

#[test]
fn failures_are_told_with_reason_and_remedy() {
    let mut stage = failing();
    assert!(stage.shows("2 items have failed."));
    stage.click("Look");
    assert!(stage.shows("Could not open “secret.txt”: you do not have permission."));
    stage.letter('r');
    assert_eq!(stage.sent(), [answered(7, Answer::Retry, Scope::This)]);
    stage.key(Named::ArrowDown);
    stage.letter('s');
    assert_eq!(stage.sent(), [answered(8, Answer::Skip, Scope::This)]);
    let both = vec![QuestionId(7), QuestionId(8)];
    stage.event(Event::Settled { job: JobId(1), questions: both });
    assert!(!stage.shows("Later"));
}

#[test]
fn all_failures_are_answered_at_once() {
    let mut stage = failing();
    stage.click("Retry all");
    assert_eq!(stage.sent(), [answered(7, Answer::Retry, Scope::AllOfKind)]);
    stage.click("Skip all");
    assert_eq!(stage.sent(), [answered(7, Answer::Skip, Scope::AllOfKind)]);
}

/// A window whose job asks about many names, with the table open.
fn table() -> Stage {
    let mut stage = asking();
    let mut older = conflict(4, 4, "Photos/b old.jpg");
    if let About::Conflict { source, .. } = &mut older.about {
        *source = facts(FileKind::File, 6_100_000, 1_000_000_000);
    }
    let mut folder = conflict(5, 5, "Photos/a folder");
    if let About::Conflict { existing, .. } = &mut folder.about {
        existing.kind = FileKind::Folder;
    }
    stage.event(Event::Asked { job: JobId(1), questions: vec![older, folder] });
    stage.click("List");
    stage
}

fn tell_table(stage: &mut Stage, message: ferry::ui::dialog::table::Message) {
    stage.tell(Message::Dialog(Dialog::Table(message)));
}

/// Where words stand from the top.
fn height_of(stage: &Stage, words: &str) -> f32 {
    let place = stage.look(|eye| eye.find(words.to_owned()).map(|text| text.bounds().y));
    place.unwrap_or_else(|error| panic!("“{words}”: {error}"))
}

#[test]
fn a_table_shows_every_taken_name_and_sorts_them() {
    let mut stage = table();
    assert!(stage.shows("5 files are already there"));
    assert!(height_of(&stage, "Photos/a folder") < height_of(&stage, "Photos/b old.jpg"));
    stage.click("Name");
    assert!(height_of(&stage, "Photos/b old.jpg") < height_of(&stage, "Photos/a folder"));
    stage.click("Coming");
    assert!(height_of(&stage, "Photos/b old.jpg") < height_of(&stage, "Photos/IMG_1.jpg"));
    tell_table(&mut stage, ferry::ui::dialog::table::Message::Find("img".into()));
    assert!(stage.shows("Photos/IMG_1.jpg"));
    assert!(!stage.shows("Photos/b old.jpg"));
}

#[test]
fn answers_of_the_table_are_told_together_when_they_are_applied() {
    let mut stage = table();
    stage.letter('a');
    assert!(stage.shows("For the 5 selected:"));
    stage.click("Replace if newer");
    assert!(stage.sent().is_empty());
    // A folder is never replaced by a file.
    assert!(stage.shows("4 decided · 1 open"));
    stage.letter('a');
    stage.key(Named::Home);
    stage.letter('s');
    assert!(stage.shows("5 decided · 0 open"));
    stage.click("Apply");
    let newer = |question| answered(question, Answer::ReplaceIfNewer, Scope::This);
    let skip = answered(5, Answer::Skip, Scope::This);
    assert_eq!(stage.sent(), [newer(1), newer(2), newer(3), newer(4), skip]);
    assert!(!stage.shows("Apply"));
}

#[test]
fn the_table_is_used_by_the_keyboard_and_follows_the_job() {
    let mut stage = table();
    stage.key(Named::Enter);
    assert!(stage.shows("For the 1 selected:"));
    stage.key(Named::Enter);
    stage.key(Named::ArrowDown);
    stage.letter('k');
    assert!(stage.shows("1 decided · 4 open"));
    stage.key(Named::Escape);
    assert!(stage.sent().is_empty(), "nothing is told before it is applied");
    stage.letter('l');
    stage.letter('r');
    stage.event(Event::Settled { job: JobId(1), questions: vec![QuestionId(1)] });
    assert!(stage.shows("4 files are already there"));
    let rest = [2, 3, 4, 5].map(QuestionId).to_vec();
    stage.event(Event::Settled { job: JobId(1), questions: rest });
    assert!(!stage.shows("Apply"));
}

#[test]
fn what_is_decided_in_the_table_is_kept_when_it_is_left() {
    let mut stage = table();
    stage.letter('k');
    stage.key(Named::ArrowDown);
    stage.letter('s');
    assert!(stage.shows("2 decided · 3 open"));
    stage.key(Named::Escape);
    assert!(stage.sent().is_empty() && !stage.shows("Apply"));
    let told = "5 files need a decision. 2 are decided in the list, not yet applied.";
    assert!(stage.shows(told));
    // Whatever takes its place.
    for leave in [Message::CloseRequested, Message::Press(Press::letter('d'))] {
        stage.letter('l');
        assert!(stage.shows("2 decided · 3 open"));
        stage.tell(leave);
        stage.key(Named::Escape);
    }
    stage.event(Event::Settled { job: JobId(1), questions: vec![QuestionId(5)] });
    stage.letter('l');
    assert!(stage.shows("1 decided · 3 open"));
    stage.click("Apply");
    assert_eq!(stage.sent().len(), 1);
    assert!(stage.shows("0 decided · 4 open"));
    stage.key(Named::Escape);
    assert!(!stage.shows("1 is decided in the list, not yet applied."));
}

#[test]
fn escape_closes_an_open_list_before_the_table() {
    use ferry::ui::dialog::table::Message::{Decide, Turned};
    let mut stage = table();
    stage.letter('k');
    for closes in [Turned(None), Decide(QuestionId(1), Some(Answer::Skip))] {
        tell_table(&mut stage, Turned(Some(QuestionId(1))));
        stage.key(Named::Escape);
        assert!(stage.shows("Apply"), "only the list is left");
        tell_table(&mut stage, Turned(Some(QuestionId(1))));
        tell_table(&mut stage, closes);
    }
    stage.key(Named::Escape);
    assert!(!stage.shows("Apply"));
}

#[test]
fn the_same_for_all_is_not_said_of_the_next_kind() {
    let mut stage = asking();
    for id in [8, 9] {
        let mut folders = conflict(id, 10 + id as u32, &format!("Photos/sub {id}"));
        both_folders(&mut folders.about);
        stage.event(Event::Asked { job: JobId(1), questions: vec![folders] });
    }
    stage.letter('d');
    stage.seen(1);
    stage.letter('a');
    stage.letter('r');
    assert_eq!(stage.sent(), [answered(1, Answer::Replace, Scope::AllOfKind)]);
    stage.seen(2);
    stage.letter('k');
    assert_eq!(stage.sent(), [answered(8, Answer::KeepBoth, Scope::This)]);
    // Nor where it is only looked at.
    let mut stage = asking();
    let mut folders = conflict(9, 9, "Photos/sub");
    both_folders(&mut folders.about);
    stage.event(Event::Asked { job: JobId(1), questions: vec![folders] });
    stage.letter('d');
    stage.letter('a');
    for _ in 0..3 {
        stage.key(Named::PageDown);
    }
    assert!(stage.shows("The folder “sub” is already there"));
    stage.seen(4);
    stage.letter('k');
    assert_eq!(stage.sent(), [answered(9, Answer::KeepBoth, Scope::This)]);
}

#[test]
fn ticks_are_there_where_there_are_others_to_apply_to() {
    let mut stage = asking();
    stage.letter('d');
    assert!(stage.shows("Do the same for the other 2 of this kind"), "two are asked about");
    assert!(stage.shows("and for every kind"), "more may follow");
    stage.event(Event::State { job: JobId(1), state: JobState::Waiting });
    assert!(stage.shows("Do the same for the other 2 of this kind"));
    assert!(!stage.shows("and for every kind"), "there is no other kind, and nothing follows");
    let rest = vec![QuestionId(2), QuestionId(3)];
    stage.event(Event::Settled { job: JobId(1), questions: rest });
    assert!(!stage.shows("Do the same for all of this kind") && !stage.shows("List"));
    stage.seen(1);
    stage.letter('a');
    stage.letter('y');
    stage.letter('k');
    assert_eq!(stage.sent(), [answered(1, Answer::KeepBoth, Scope::This)]);
}

/// Where the lowest button of the dialog stands, and where its title does.
fn edges(stage: &Stage, title: &str) -> (f32, f32) {
    (height_of(stage, title), height_of(stage, "Later"))
}

#[test]
fn the_dialog_keeps_its_size_from_question_to_question() {
    for size in [(720.0, 480.0), (1120.0, 720.0)] {
        let file = |stage: &mut Stage| {
            stage.size = size;
            edges(stage, "“x” is already there")
        };
        let mut stage = asked(|_| {});
        let edge = file(&mut stage);
        assert!(edge.0 > 20.0 && edge.1 < size.1 - 40.0, "{edge:?}");
        stage.click("Rename…");
        assert_eq!(file(&mut stage), edge, "while it is named");
        type_name(&mut stage, "..");
        assert_eq!(file(&mut stage), edge, "while the name is wrong");
        let mut stage = asked(both_folders);
        stage.size = size;
        assert_eq!(edges(&stage, "The folder “x” is already there"), edge, "of folders");
        let mut stage = asked(|about| {
            if let About::Conflict { same_file, .. } = about {
                *same_file = true;
            }
        });
        assert_eq!(file(&mut stage), edge, "of one and the same file");
    }
}

#[test]
fn times_of_the_same_minute_are_told_with_seconds() {
    let stage = asked(|about| {
        if let About::Conflict { source, existing, .. } = about {
            source.modified_seconds = 1_784_000_010;
            existing.modified_seconds = 1_784_000_017;
        }
    });
    let times = stage.texts().into_iter().filter(|text| text.matches(':').count() == 2);
    assert_eq!(times.count(), 2, "{:?}", stage.texts());
}

#[test]
fn folders_have_a_kind_and_files_a_size() {
    let stage = asked(both_folders);
    assert!(stage.count("Kind") == 2 && stage.count("Folder") == 2 && !stage.shows("Size"));
    let stage = asked(|_| {});
    assert!(stage.count("Size") == 2 && !stage.shows("Kind"));
}

#[test]
fn a_small_table_shows_the_times_too() {
    let mut stage = table();
    stage.size = (720.0, 480.0);
    assert!(stage.shows("For this row:"));
    let day = |seconds| ferry::words::day(&facts(FileKind::File, 1, seconds));
    assert!(stage.count(&day(1_784_000_000)) >= 4 && stage.count(&day(1_000_000_000)) == 1);
}
