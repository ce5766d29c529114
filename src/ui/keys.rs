//! The keyboard: what a key press means, in the main window and in dialogs.
//!
//! In iced only text fields take the keyboard, so the window has a table of its own. Keys
//! that a field has used up are `captured`; only those that leave a field still count then.

use iced::keyboard::key::Named;
use iced::keyboard::{Event, Key, Modifiers};

/// A key that was pressed.
#[derive(Clone, Debug, PartialEq)]
pub struct Press {
    /// The key, without the effect of Shift.
    pub key: Key,
    /// What was held with it.
    pub modifiers: Modifiers,
    /// Whether a text field has used it.
    pub captured: bool,
    /// Whether the key is being held down.
    pub repeat: bool,
}

impl Press {
    /// The press that an event tells of.
    pub fn of(event: Event, captured: bool) -> Option<Press> {
        let Event::KeyPressed { key, physical_key, modifiers, repeat, .. } = event else {
            return None;
        };
        // A shortcut is a place on the keyboard: Ctrl+O also with a Cyrillic layout.
        let key = match key.to_latin(physical_key) {
            Some(letter) => Key::Character(letter.to_string().into()),
            None => key,
        };
        Some(Press { key, modifiers, captured, repeat })
    }

    /// A named key without modifiers.
    pub fn named(key: Named) -> Press {
        Press {
            key: Key::Named(key),
            modifiers: Modifiers::empty(),
            captured: false,
            repeat: false,
        }
    }

    /// A letter or digit without modifiers.
    pub fn letter(letter: char) -> Press {
        let key = Key::Character(letter.to_string().into());
        Press { key, ..Press::named(Named::Enter) }
    }

    /// The same with modifiers.
    pub fn with(self, modifiers: Modifiers) -> Press {
        Press { modifiers, ..self }
    }

    /// The letter or digit, when no field has used it and no more than Shift was held.
    pub fn plain_letter(&self) -> Option<char> {
        let plain = (self.modifiers - Modifiers::SHIFT).is_empty();
        match &self.key {
            Key::Character(text) if plain && !self.captured => {
                text.chars().next().map(|letter| letter.to_ascii_lowercase())
            }
            _ => None,
        }
    }
}

/// What a key means in a dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InDialog {
    /// To the next control.
    Next,
    /// To the one before.
    Previous,
    /// Press the control that has the focus.
    Activate,
    /// Leave the dialog.
    Leave,
    /// Up a list.
    Up,
    /// Down a list.
    Down,
    /// A page up.
    PageUp,
    /// A page down.
    PageDown,
    /// A letter or digit.
    Letter(char),
    /// A letter with Alt.
    Alt(char),
    /// The delete key.
    Delete,
}

impl InDialog {
    /// The meaning of a press in a dialog.
    pub fn of(press: &Press) -> Option<InDialog> {
        let free = !press.captured;
        Some(match &press.key {
            Key::Character(text) if free && press.modifiers == Modifiers::ALT => {
                InDialog::Alt(text.chars().next()?.to_ascii_lowercase())
            }
            Key::Named(Named::Tab) if press.modifiers.shift() => InDialog::Previous,
            Key::Named(Named::Tab) => InDialog::Next,
            Key::Named(Named::Escape) => InDialog::Leave,
            // A key that is held down must not press one button after another.
            Key::Named(Named::Enter) if !press.repeat => InDialog::Activate,
            Key::Named(Named::Space) if free && !press.repeat => InDialog::Activate,
            Key::Named(Named::ArrowUp) => InDialog::Up,
            Key::Named(Named::ArrowDown) => InDialog::Down,
            Key::Named(Named::ArrowLeft) if free => InDialog::Previous,
            Key::Named(Named::ArrowRight) if free => InDialog::Next,
            Key::Named(Named::PageUp) => InDialog::PageUp,
            Key::Named(Named::PageDown) => InDialog::PageDown,
            Key::Named(Named::Delete) if free && !press.repeat => InDialog::Delete,
            _ if !press.repeat => InDialog::Letter(press.plain_letter()?),
            _ => return None,
        })
    }
}

/// What a key means in the main window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InWindow {
    /// Choose files.
    AddFiles,
    /// Choose a folder.
    AddFolder,
    /// Close the window.
    Close,
    /// Pause or go on.
    PauseOrResume,
    /// Cancel the chosen job, or take it off the list.
    Cancel,
    /// Choose the job some places on.
    ChooseBy(isize),
    /// Let the chosen job run earlier.
    Earlier,
    /// Let it run later.
    Later,
    /// Let it run beside the others.
    RunNow,
    /// Skip the file in work.
    SkipFile,
    /// Answer what is asked.
    Decide,
    /// Look at all taken names.
    Table,
    /// The jobs so far.
    History,
    /// The settings.
    Settings,
    /// Undo an ended job.
    Undo,
    /// Look at what failed.
    Failures,
    /// Open the destination of an ended job.
    Open,
    /// Do the same once more.
    Repeat,
    /// Save the report of an ended job.
    SaveReport,
    /// To the tab some places on.
    TabBy(isize),
    /// Scroll the list of entries by some rows.
    ScrollBy(i64),
    /// To the field that finds entries.
    Find,
    /// The next colours.
    NextTheme,
    /// To the next button of the head.
    Next,
    /// To the one before.
    Previous,
    /// Press the button that has the focus.
    Activate,
    /// No button has the focus any more.
    Leave,
}

impl InWindow {
    /// The meaning of a press in the main window.
    pub fn of(press: &Press) -> Option<InWindow> {
        let control = press.modifiers.control();
        if let Key::Character(letter) = &press.key
            && control
        {
            return Some(match letter.to_lowercase().as_str() {
                "o" if press.modifiers.shift() => InWindow::AddFolder,
                "o" => InWindow::AddFiles,
                "f" => InWindow::Find,
                "," => InWindow::Settings,
                "w" | "q" => InWindow::Close,
                _ => return None,
            });
        }
        match press.key {
            Key::Named(Named::Tab) if press.modifiers.shift() => return Some(InWindow::Previous),
            Key::Named(Named::Tab) => return Some(InWindow::Next),
            _ if press.captured => return None,
            _ => {}
        }
        Some(match press.key {
            Key::Named(Named::Escape) => InWindow::Leave,
            Key::Named(Named::Enter) if !press.repeat => InWindow::Activate,
            Key::Named(Named::Space) if !press.repeat => InWindow::PauseOrResume,
            Key::Named(Named::Delete) if !press.repeat => InWindow::Cancel,
            Key::Named(Named::ArrowUp) if control => InWindow::Earlier,
            Key::Named(Named::ArrowDown) if control => InWindow::Later,
            Key::Named(Named::ArrowUp) => InWindow::ChooseBy(-1),
            Key::Named(Named::ArrowDown) => InWindow::ChooseBy(1),
            Key::Named(Named::ArrowLeft) => InWindow::TabBy(-1),
            Key::Named(Named::ArrowRight) => InWindow::TabBy(1),
            Key::Named(Named::PageUp) => InWindow::ScrollBy(-8),
            Key::Named(Named::PageDown) => InWindow::ScrollBy(8),
            Key::Named(Named::Home) => InWindow::ScrollBy(-i64::from(u32::MAX)),
            Key::Named(Named::End) => InWindow::ScrollBy(i64::from(u32::MAX)),
            _ if press.repeat => return None,
            _ => match press.plain_letter()? {
                'd' => InWindow::Decide,
                'l' => InWindow::Table,
                'h' => InWindow::History,
                'u' => InWindow::Undo,
                'f' => InWindow::Failures,
                'n' => InWindow::RunNow,
                's' => InWindow::SkipFile,
                'o' => InWindow::Open,
                'r' => InWindow::Repeat,
                'e' => InWindow::SaveReport,
                't' => InWindow::NextTheme,
                _ => return None,
            },
        })
    }
}

/// The control after (or before) the one that has the focus, round and round.
pub fn next_focus<T: Copy + PartialEq>(controls: &[T], focus: T, back: bool) -> T {
    let Some(at) = controls.iter().position(|control| *control == focus) else {
        return controls.first().copied().unwrap_or(focus);
    };
    let count = controls.len();
    controls[if back { (at + count - 1) % count } else { (at + 1) % count }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_keeps_its_keys_but_lets_tab_enter_and_escape_go() {
        let press = |key| Press { captured: true, ..Press::named(key) };
        assert_eq!(InDialog::of(&press(Named::Tab)), Some(InDialog::Next));
        assert_eq!(InDialog::of(&press(Named::Enter)), Some(InDialog::Activate));
        assert_eq!(InDialog::of(&press(Named::Escape)), Some(InDialog::Leave));
        assert_eq!(InDialog::of(&press(Named::Space)), None);
        assert_eq!(InDialog::of(&press(Named::ArrowLeft)), None);
        assert_eq!(InWindow::of(&press(Named::Delete)), None);
        let letter = Press { captured: true, ..Press::letter('d') };
        assert_eq!(InWindow::of(&letter), None);
    }

    #[test]
    fn a_held_key_answers_nothing() {
        let held = Press { repeat: true, ..Press::named(Named::Enter) };
        assert_eq!(InDialog::of(&held), None);
        let held = Press { repeat: true, ..Press::letter('r') };
        assert_eq!(InDialog::of(&held), None);
    }

    #[test]
    fn focus_goes_round() {
        let controls = ['a', 'b', 'c'];
        assert_eq!(next_focus(&controls, 'c', false), 'a');
        assert_eq!(next_focus(&controls, 'a', true), 'c');
        assert_eq!(next_focus(&controls, 'x', false), 'a');
    }
}
