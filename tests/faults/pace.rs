//! A job that lasts, and works with a worker less for a while.

use std::sync::Arc;

use ferry::engine::faults::{Call, Faults};
use ferry::engine::{Event, Reflink};

use crate::common::{Session, Tree, What, assert_same_tree, copy, scratch};
use crate::fault::Gate;

#[test]
fn a_job_whose_workers_rest_in_turn_ends_right() {
    let (place, target) = (scratch(), scratch());
    let mut tree = Tree::new();
    for number in 0..140 {
        tree = tree.file(format!("t/{number}/file"), "x");
    }
    let source = tree.make(&place).join("t");
    let gate = Arc::<Gate>::default();
    let creates = Arc::clone(&gate);
    let _faults = Faults::inject(move |call, _| {
        if call == Call::Create {
            creates.stand();
        }
        None
    });
    let mut session = Session::start();
    let job = session.add(copy([&source], &*target).reflink(Reflink::Never));
    // Every worker makes a file from one sample to the next: the job lasts, and each brings
    // something.
    let mut at_work = Vec::new();
    session.wait("the end", |event| {
        gate.open(false);
        match event {
            Event::Progress { snapshot, .. } => at_work.push(snapshot.in_work.len()),
            Event::Finished { .. } => return Some(()),
            _ => {}
        }
        None
    });
    let most = at_work.iter().copied().max().unwrap_or_default();
    let run = session.finish(job).done();
    assert_same_tree(&source, &target.join("t"), &What::ALL);
    assert_eq!(run.summary.entries.done, 281);
    // One processor has one worker, whose job lasts twice as long.
    let fewer = at_work.windows(2).any(|pair| pair[0] < most && pair[1] < most);
    assert!(most == 1 || fewer, "{at_work:?}");
}
