//! What a job's failures are told as: where many have one reason, as in a destination that is
//! read-only, the first few of them and a count.

use crate::engine::{Error, Failure};

/// So many of one reason are named.
const NAMED: usize = 5;

/// One line.
#[derive(Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// A failure.
    One(&'a Error),
    /// So many more of the reason of those before it.
    More(u64),
}

/// The lines of all failures, those of one reason together: what was being done, and why it
/// failed.
pub fn lines(failures: &[Failure]) -> Vec<Line<'_>> {
    let mut reasons: Vec<Vec<&Error>> = Vec::new();
    for Failure { error, .. } in failures {
        let same = |one: &Error| (one.operation, &one.kind) == (error.operation, &error.kind);
        match reasons.iter_mut().find(|all| all.first().is_some_and(|one| same(one))) {
            Some(all) => all.push(error),
            None => reasons.push(vec![error]),
        }
    }
    reasons.into_iter().flat_map(told).collect()
}

fn told(all: Vec<&Error>) -> Vec<Line<'_>> {
    // A line that counts one would be as long as the one that names it.
    let named = if all.len() <= NAMED + 1 { all.len() } else { NAMED };
    let more = (all.len() - named) as u64;
    let ones = all.into_iter().take(named).map(Line::One);
    ones.chain((more > 0).then_some(Line::More(more))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{ErrorKind, Operation};

    fn failure(number: usize, operation: Operation, errno: i32) -> Failure {
        let (path, kind) = (format!("/to/{number}").into(), ErrorKind::Os(errno));
        Failure { entry: None, error: Error { operation, path, kind } }
    }

    fn texts(failures: &[Failure]) -> Vec<String> {
        let line = |line| match line {
            Line::One(error) => format!("{} {}", error.path.display(), error.kind),
            Line::More(count) => format!("+{count}"),
        };
        lines(failures).into_iter().map(line).collect()
    }

    #[test]
    fn many_of_one_reason_are_a_few_and_a_count() {
        let read_only = |count| (0..count).map(|n| failure(n, Operation::Create, libc::EROFS));
        for (count, lines, last) in
            [(1, 1, None), (6, 6, None), (7, 6, Some(2)), (5000, 6, Some(4995))]
        {
            let failures: Vec<_> = read_only(count).collect();
            let told = texts(&failures);
            assert_eq!(told.len(), lines, "{told:?}");
            let last: Option<String> = last.map(|more| format!("+{more}"));
            assert!(last.is_none_or(|last| told.last() == Some(&last)), "{told:?}");
        }
    }

    #[test]
    fn each_reason_is_told_in_the_order_in_which_it_came() {
        let kinds = [
            (Operation::Create, libc::EROFS),
            (Operation::Create, libc::EACCES),
            (Operation::Open, libc::EACCES),
        ];
        let failures: Vec<_> =
            (0..24).map(|n| failure(n, kinds[n % 3].0, kinds[n % 3].1)).collect();
        let told = texts(&failures);
        assert_eq!(told.len(), 18, "{told:?}");
        for (group, lines) in told.chunks(6).enumerate() {
            let path = |line: &String| line.split(' ').next().unwrap_or_default().to_owned();
            let paths: Vec<String> = lines[..5].iter().map(path).collect();
            let wanted: Vec<String> = (0..5).map(|n| format!("/to/{}", 3 * n + group)).collect();
            assert_eq!(paths, wanted);
            assert_eq!(lines[5], "+3");
        }
    }
}
