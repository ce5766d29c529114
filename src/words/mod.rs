//! Words for people: sizes, times, names, errors and results, for both faces.
//!
//! Sentences stand in Fluent files under `assets/strings`, one folder a language:
//! `summary.ftl` and `common.ftl` for both faces, one more for each. Code names a sentence by its id and gives
//! numbers as numbers, so that plural forms and digit groups are the language's business.

mod errors;
mod names;
mod numbers;
mod report;

use std::sync::LazyLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};

pub use errors::{error, error_and_remedy, remedy, system_words};
pub use names::{name, path};
pub use numbers::{count, day, day_beside, duration, moment, moment_beside, moment_of, rate, size};
pub use report::{file_system, notice, notice_remedy, route, summary};

/// The files of a language.
const ENGLISH: [&str; 4] = [
    include_str!("../../assets/strings/en/summary.ftl"),
    include_str!("../../assets/strings/en/common.ftl"),
    include_str!("../../assets/strings/en/terminal.ftl"),
    include_str!("../../assets/strings/en/window.ftl"),
];

/// Each is parsed when something is looked for in it: what a job in the terminal says when
/// all is well stands in the first, and parsing all takes as long as copying ten files.
static BUNDLES: [LazyLock<Bundle>; 4] = [
    LazyLock::new(|| parsed(ENGLISH[0])),
    LazyLock::new(|| parsed(ENGLISH[1])),
    LazyLock::new(|| parsed(ENGLISH[2])),
    LazyLock::new(|| parsed(ENGLISH[3])),
];

type Bundle = FluentBundle<FluentResource>;

fn parsed(source: &str) -> Bundle {
    let mut bundle = FluentBundle::new_concurrent(vec!["en".parse().unwrap_or_default()]);
    bundle.set_use_isolating(false);
    bundle.set_formatter(Some(|value, _| match value {
        FluentValue::Number(number) => Some(numbers::plain(number)),
        _ => None,
    }));
    // A test checks that every file parses and that no message is doubled.
    let resource = FluentResource::try_new(source.to_owned()).unwrap_or_else(|(r, _)| r);
    let _doubled = bundle.add_resource(resource);
    bundle
}

/// The parsed file that has a sentence of this id.
fn find(id: &str) -> Option<&'static Bundle> {
    let has = |bundle: &Bundle| bundle.get_message(id).is_some_and(|m| m.value().is_some());
    BUNDLES.iter().map(|bundle| &**bundle).find(|bundle| has(bundle))
}

/// The sentence of an id, with arguments. An unknown id gives the id itself.
pub fn text_with(id: &str, args: &FluentArgs<'_>) -> String {
    let bundle = find(id);
    let Some((bundle, pattern)) = bundle.and_then(|b| Some((b, b.get_message(id)?.value()?)))
    else {
        return id.to_owned();
    };
    let mut errors = Vec::new();
    let text = bundle.format_pattern(pattern, Some(args), &mut errors).into_owned();
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
    find(id).is_some()
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
