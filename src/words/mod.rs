//! Words for people: sizes, times, names, errors and results, for both faces.
//!
//! Sentences stand in Fluent files under `assets/strings`, one folder a language:
//! `common.ftl` for both faces, one more for each. Code names a sentence by its id and gives
//! numbers as numbers, so that plural forms and digit groups are the language's business.

mod errors;
mod names;
mod numbers;
mod report;

use std::sync::LazyLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};

pub use errors::{error, remedy};
pub use names::{name, path};
pub use numbers::{count, duration, moment, rate, size};
pub use report::{file_system, notice, route, summary};

static ENGLISH: &[&str] = &[
    include_str!("../../assets/strings/en/common.ftl"),
    include_str!("../../assets/strings/en/terminal.ftl"),
    include_str!("../../assets/strings/en/window.ftl"),
];

static BUNDLE: LazyLock<FluentBundle<FluentResource>> = LazyLock::new(|| {
    let mut bundle = FluentBundle::new_concurrent(vec!["en".parse().unwrap_or_default()]);
    bundle.set_use_isolating(false);
    bundle.set_formatter(Some(|value, _| match value {
        FluentValue::Number(number) => Some(numbers::plain(number)),
        _ => None,
    }));
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
    let text = BUNDLE.format_pattern(pattern, Some(args), &mut errors).into_owned();
    debug_assert!(errors.is_empty(), "{id}: {errors:?}");
    text
}

/// The sentence of an id.
pub fn text(id: &str) -> String {
    text_with(id, &FluentArgs::new())
}

/// Arguments for [`text_with`]: numbers stay numbers, all else is text.
pub fn args<'a, const N: usize>(pairs: [(&'static str, FluentValue<'a>); N]) -> FluentArgs<'a> {
    pairs.into_iter().collect()
}

/// Whether a sentence of this id exists.
#[cfg(test)]
fn exists(id: &str) -> bool {
    BUNDLE.get_message(id).is_some_and(|message| message.value().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_parses_and_no_id_is_doubled() {
        let mut bundle = FluentBundle::new_concurrent(vec![]);
        for source in ENGLISH {
            let resource = FluentResource::try_new((*source).to_owned())
                .unwrap_or_else(|(_, errors)| panic!("does not parse: {errors:?}"));
            bundle.add_resource(resource).unwrap_or_else(|errors| panic!("doubled: {errors:?}"));
        }
    }

    #[test]
    fn numbers_are_grouped_and_counted() {
        let items = |n: u64| text_with("items", &args([("count", n.into())]));
        assert_eq!(items(0), "0 items");
        assert_eq!(items(1), "1 item");
        assert_eq!(items(18_420), "18\u{202f}420 items");
    }

    #[test]
    fn an_unknown_id_is_shown_as_it_is() {
        assert_eq!(text("no-such-sentence"), "no-such-sentence");
    }
}
