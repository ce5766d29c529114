//! Numbers, sizes, rates and times as words.

use fluent_bundle::types::FluentNumber;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

use crate::engine::FileFacts;

use super::{args, text, text_with};

/// A narrow no-break space stands between groups of three digits.
const GROUP: char = '\u{202f}';

/// Decimal units of data, smallest first, by their message.
const UNITS: [&str; 6] =
    ["size-kilo", "size-mega", "size-giga", "size-tera", "size-peta", "size-exa"];

/// A count, its digits in groups: `18 420`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() * 2);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(GROUP);
        }
        grouped.push(digit);
    }
    grouped
}

/// How Fluent shows a number inside a sentence.
pub(super) fn plain(number: &FluentNumber) -> String {
    if number.value >= 0.0 && number.value.fract() == 0.0 {
        count(number.value as u64)
    } else {
        decimal(&number.as_string())
    }
}

/// A size in decimal units with three significant digits: `4 KB`, `6.1 MB`, `812 MB`.
pub fn size(bytes: u64) -> String {
    let Some((number, unit)) = scaled(bytes) else {
        return text_with("size-bytes", &args([("count", bytes.into())]));
    };
    let shortest = match number.contains('.') {
        true => number.trim_end_matches('0').trim_end_matches('.'),
        false => &number,
    };
    text_with(unit, &args([("number", decimal(shortest).into())]))
}

/// A rate in decimal units a second: `36.4 MB/s`. Always three digits from 1 KB/s on, so
/// that a changing rate keeps its width.
pub fn rate(bytes_per_second: u64) -> String {
    let size = match scaled(bytes_per_second) {
        Some((number, unit)) => text_with(unit, &args([("number", decimal(&number).into())])),
        None => text_with("size-bytes-short", &args([("count", bytes_per_second.into())])),
    };
    text_with("rate", &args([("size", size.into())]))
}

/// The number with three significant digits and its unit; `None` below 1 KB.
fn scaled(bytes: u64) -> Option<(String, &'static str)> {
    if bytes < 1000 {
        return None;
    }
    let mut unit = 0;
    let mut divisor = 1000_u64;
    // 999 500 is 1.00 MB, not 1000 KB: round before choosing the unit.
    while unit + 1 < UNITS.len() && bytes >= divisor * 1000 - divisor / 2 {
        unit += 1;
        divisor *= 1000;
    }
    let value = bytes as f64 / divisor as f64;
    let number = match value {
        v if v < 9.995 => format!("{v:.2}"),
        v if v < 99.95 => format!("{v:.1}"),
        v => format!("{v:.0}"),
    };
    Some((number, UNITS[unit]))
}

/// The language's decimal mark in the place of the point.
fn decimal(number: &str) -> String {
    number.replace('.', &text("decimal-mark"))
}

/// A length of time, given in milliseconds: `2.1 s`, `42 s`, `4 min`, `4 min 10 s`,
/// `1 h 20 min`.
pub fn duration(milliseconds: u64) -> String {
    let part = |id, number: u64| text_with(id, &args([("count", number.into())]));
    let parts = |ids: [&'static str; 2], large: u64, small: u64| match small {
        0 => part(ids[0], large),
        _ => format!("{} {}", part(ids[0], large), part(ids[1], small)),
    };
    let seconds = milliseconds.saturating_add(500) / 1000;
    let minutes = milliseconds.saturating_add(30_000) / 60_000;
    match milliseconds {
        0 => part("duration-seconds", 0),
        1..100 => part("duration-milliseconds", milliseconds),
        100..9_950 => {
            let number = decimal(&format!("{:.1}", milliseconds as f64 / 1000.0));
            text_with("duration-seconds-part", &args([("number", number.into())]))
        }
        _ if seconds < 60 => part("duration-seconds", seconds),
        _ if seconds < 600 => {
            parts(["duration-minutes", "duration-seconds"], seconds / 60, seconds % 60)
        }
        _ if minutes < 60 => part("duration-minutes", minutes),
        _ if minutes < 24 * 60 => {
            parts(["duration-hours", "duration-minutes"], minutes / 60, minutes % 60)
        }
        _ => {
            let hours = minutes / 60;
            parts(["duration-days", "duration-hours"], hours / 24, hours % 24)
        }
    }
}

/// When a file's contents last changed, in local time: `today 14:02`, `3 July 2026 09:15`.
pub fn moment(facts: &FileFacts) -> String {
    moment_seen(facts, &Zoned::now())
}

/// The same beside another moment: as exact as it takes to tell them apart.
pub fn moment_beside(facts: &FileFacts, other: &FileFacts) -> String {
    moment_exact(facts, &Zoned::now(), Exact::beside(facts, other))
}

/// The day of it beside another one: with the time where both are of one day.
pub fn day_beside(facts: &FileFacts, other: &FileFacts) -> String {
    let now = Zoned::now();
    let date = |facts: &FileFacts| {
        let nanoseconds = facts.modified_nanoseconds as i32;
        let timestamp = Timestamp::new(facts.modified_seconds, nanoseconds).ok()?;
        Some(timestamp.to_zoned(zone(&now)).date())
    };
    let differ = facts.modified() != other.modified();
    match differ && date(facts) == date(other) {
        true => moment_exact(facts, &now, Exact::beside(facts, other)),
        false => day_seen(facts, &now),
    }
}

/// How exactly a time is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exact {
    Minutes,
    Seconds,
    Milliseconds,
}

impl Exact {
    /// Enough to tell two moments apart.
    fn beside(one: &FileFacts, other: &FileFacts) -> Exact {
        let same = |unit: i64| {
            one.modified_seconds.div_euclid(unit) == other.modified_seconds.div_euclid(unit)
        };
        match one.modified() != other.modified() {
            true if same(1) => Exact::Milliseconds,
            true if same(60) => Exact::Seconds,
            _ => Exact::Minutes,
        }
    }
}

/// A moment, in seconds since 1970, in local time.
pub fn moment_of(seconds: i64) -> String {
    let facts = FileFacts {
        kind: crate::engine::FileKind::File,
        size: 0,
        modified_seconds: seconds,
        modified_nanoseconds: 0,
    };
    moment(&facts)
}

/// The day of it, as short as can be: `today 14:02`, `yesterday`, `3 July 2026`.
pub fn day(facts: &FileFacts) -> String {
    day_seen(facts, &Zoned::now())
}

fn day_seen(facts: &FileFacts, now: &Zoned) -> String {
    let Ok(timestamp) = Timestamp::new(facts.modified_seconds, facts.modified_nanoseconds as i32)
    else {
        return text("moment-unknown");
    };
    let moment = timestamp.to_zoned(zone(now));
    if moment.date() == now.date() {
        return moment_seen(facts, now);
    }
    if now.yesterday().is_ok_and(|yesterday| moment.date() == yesterday.date()) {
        return text("day-yesterday");
    }
    let date = args([
        ("day", moment.day().to_string().into()),
        ("month", text(&format!("month-{}", moment.month())).into()),
        ("year", moment.year().to_string().into()),
    ]);
    text_with("day", &date)
}

fn moment_seen(facts: &FileFacts, now: &Zoned) -> String {
    moment_exact(facts, now, Exact::Minutes)
}

fn moment_exact(facts: &FileFacts, now: &Zoned, exact: Exact) -> String {
    let nanoseconds = facts.modified_nanoseconds as i32;
    let Ok(timestamp) = Timestamp::new(facts.modified_seconds, nanoseconds) else {
        return text("moment-unknown");
    };
    let moment = timestamp.to_zoned(zone(now));
    let time = moment.strftime(match exact {
        Exact::Minutes => "%H:%M",
        Exact::Seconds => "%H:%M:%S",
        Exact::Milliseconds => "%H:%M:%S%.3f",
    });
    let time = time.to_string();
    if moment.date() == now.date() {
        return text_with("moment-today", &args([("time", time.into())]));
    }
    if now.yesterday().is_ok_and(|yesterday| moment.date() == yesterday.date()) {
        return text_with("moment-yesterday", &args([("time", time.into())]));
    }
    // Day and year are no quantities: as text, they are not grouped.
    let date = args([
        ("day", moment.day().to_string().into()),
        ("month", text(&format!("month-{}", moment.month())).into()),
        ("year", moment.year().to_string().into()),
        ("time", time.into()),
    ]);
    text_with("moment", &date)
}

fn zone(now: &Zoned) -> TimeZone {
    now.time_zone().clone()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::FileKind;

    #[test]
    fn moments_side_by_side_are_told_apart() {
        let facts = |modified_seconds, modified_nanoseconds| FileFacts {
            kind: FileKind::File,
            size: 0,
            modified_seconds,
            modified_nanoseconds,
        };
        let one = facts(1_784_000_000, 0);
        let told = |other| moment_beside(&one, &other).matches(':').count();
        assert_eq!(told(facts(1_784_000_000 + 60, 0)), 1, "another minute");
        assert_eq!(told(facts(1_784_000_000 + 7, 0)), 2, "the same minute");
        assert_eq!(told(one), 1, "the same moment");
        let part = facts(1_784_000_000, 482_000_000);
        assert!(moment_beside(&part, &one).ends_with(".482"), "the same second");
        assert_eq!(day_beside(&one, &one), day(&one));
        assert!(day_beside(&part, &one).ends_with(".482"));
    }

    #[test]
    fn counts_are_grouped() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1000), "1\u{202f}000");
        assert_eq!(count(18_420), "18\u{202f}420");
        assert_eq!(count(u64::MAX), "18 446 744 073 709 551 615".replace(' ', "\u{202f}"));
    }

    #[test]
    fn sizes_have_three_digits_at_most() {
        let cases = [
            (0, "0 bytes"),
            (1, "1 byte"),
            (999, "999 bytes"),
            (1000, "1 KB"),
            (4000, "4 KB"),
            (4096, "4.1 KB"),
            (9_994, "9.99 KB"),
            (9_996, "10 KB"),
            (99_960, "100 KB"),
            (999_499, "999 KB"),
            (999_500, "1 MB"),
            (6_100_000, "6.1 MB"),
            (812_000_000, "812 MB"),
            (1_400_000_000, "1.4 GB"),
            (1_099_511_627_776, "1.1 TB"),
            (u64::MAX, "18.4 EB"),
        ];
        for (bytes, words) in cases {
            assert_eq!(size(bytes), words, "{bytes}");
        }
    }

    #[test]
    fn days_are_as_short_as_can_be() {
        let now: Zoned = "2026-07-14T15:00:00+00:00[UTC]".parse().unwrap();
        let seen = |hours_ago: i64| {
            let facts = FileFacts {
                kind: FileKind::File,
                size: 0,
                modified_seconds: now.timestamp().as_second() - hours_ago * 3600,
                modified_nanoseconds: 0,
            };
            day_seen(&facts, &now)
        };
        assert_eq!(seen(1), "today 14:00");
        assert_eq!(seen(20), "yesterday");
        assert_eq!(seen(24 * 40), "4 June 2026");
    }

    #[test]
    fn rates_keep_their_width() {
        assert_eq!(rate(0), "0 B/s");
        assert_eq!(rate(36_400_000), "36.4 MB/s");
        assert_eq!(rate(36_000_000), "36.0 MB/s");
        assert_eq!(rate(1_400_000_000), "1.40 GB/s");
    }

    #[test]
    fn durations_grow_coarser() {
        let cases = [
            (0, "0 s"),
            (8, "8 ms"),
            (2_100, "2.1 s"),
            (9_949, "9.9 s"),
            (9_950, "10 s"),
            (42_000, "42 s"),
            (59_499, "59 s"),
            (59_500, "1 min"),
            (240_000, "4 min"),
            (250_000, "4 min 10 s"),
            (599_600, "10 min"),
            (3_600_000, "1 h"),
            (4_800_000, "1 h 20 min"),
            (183_600_000, "2 d 3 h"),
        ];
        for (milliseconds, words) in cases {
            assert_eq!(duration(milliseconds), words, "{milliseconds}");
        }
        assert!(!duration(u64::MAX).is_empty());
    }

    #[test]
    fn moments_are_told_as_people_tell_them() {
        let now: Zoned = "2026-07-04T15:30[Europe/Riga]".parse().unwrap();
        let told = |moment: &str| {
            let moment: Zoned = format!("{moment}[Europe/Riga]").parse().unwrap();
            let facts = FileFacts {
                kind: FileKind::File,
                size: 0,
                modified_seconds: moment.timestamp().as_second(),
                modified_nanoseconds: 999_999_999,
            };
            moment_seen(&facts, &now)
        };
        assert_eq!(told("2026-07-04T14:02"), "today 14:02");
        assert_eq!(told("2026-07-03T23:59"), "yesterday 23:59");
        assert_eq!(told("2026-07-02T09:15"), "2 July 2026 09:15");
        assert_eq!(told("2026-07-05T00:00"), "5 July 2026 00:00");
        assert_eq!(told("1969-12-31T23:00"), "31 December 1969 23:00");
    }

    #[test]
    fn a_time_beyond_the_calendar_is_said_to_be_unknown() {
        let facts = FileFacts {
            kind: FileKind::File,
            size: 0,
            modified_seconds: i64::MAX,
            modified_nanoseconds: 0,
        };
        assert_eq!(moment(&facts), text("moment-unknown"));
    }
}
