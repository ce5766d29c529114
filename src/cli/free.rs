//! The room that replaced files take: told, and given back.

use crate::engine::{KeptRoom, Store};
use crate::words::{self, args, text, text_with};

use super::history::read;
use super::{Status, print_lines};

/// Removes what jobs that have ended keep of what they replaced, or only tells how much it is.
pub fn free(dry_run: bool) -> Status {
    let act = if dry_run { Store::kept } else { Store::free_kept };
    let Some(room) = read(act) else { return Status::Incomplete };
    print_lines([sentence(&room, dry_run)], Status::Done)
}

fn sentence(room: &KeptRoom, dry_run: bool) -> String {
    let Some(oldest) = room.oldest else { return text("free-nothing") };
    let args = args([
        ("count", room.files.into()),
        ("size", words::size(room.bytes).into()),
        ("when", words::moment_of(oldest).into()),
    ]);
    text_with(if dry_run { "free-would" } else { "free-did" }, &args)
}
