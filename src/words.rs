//! Words for people: sizes, times and errors, for both faces.
//!
//! Sentences stand in Fluent files under `assets/strings`, one folder a language.

use std::sync::LazyLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource};

static ENGLISH: &[&str] = &[
    include_str!("../assets/strings/en/common.ftl"),
    include_str!("../assets/strings/en/terminal.ftl"),
    include_str!("../assets/strings/en/window.ftl"),
];

static BUNDLE: LazyLock<FluentBundle<FluentResource>> = LazyLock::new(|| {
    let mut bundle = FluentBundle::new_concurrent(vec!["en".parse().unwrap_or_default()]);
    bundle.set_use_isolating(false);
    for source in ENGLISH {
        // A test checks that every file parses and that no message is doubled.
        let resource = FluentResource::try_new((*source).to_owned()).unwrap_or_else(|(r, _)| r);
        let _doubled = bundle.add_resource(resource);
    }
    bundle
});

/// The sentence of an id, with arguments. An unknown id gives the id itself.
pub fn text_with(id: &str, args: &FluentArgs<'_>) -> String {
    let Some(pattern) = BUNDLE.get_message(id).and_then(|message| message.value()) else {
        return id.to_owned();
    };
    let mut errors = Vec::new();
    BUNDLE.format_pattern(pattern, Some(args), &mut errors).into_owned()
}

/// The sentence of an id.
pub fn text(id: &str) -> String {
    text_with(id, &FluentArgs::new())
}
