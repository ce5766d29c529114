//! What of an entry is kept beside its data.

use serde::{Deserialize, Serialize};

/// What of an entry is kept beside its data. What is not asked for is not lost, and nothing
/// is said of it. A rename keeps all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preserve {
    /// Permissions and access lists. Without, new entries get those of their source as far
    /// as the umask and the destination's folder let them.
    pub mode: bool,
    /// Times of access and modification.
    pub times: bool,
    /// Owner and group.
    pub owner: bool,
    /// Extended attributes, capabilities included.
    pub xattrs: bool,
    /// Several names of one file stay names of one file.
    pub links: bool,
}

impl Preserve {
    /// All that the destination can keep.
    pub const ALL: Preserve =
        Preserve { mode: true, times: true, owner: true, xattrs: true, links: true };
    /// The data alone.
    pub const NONE: Preserve =
        Preserve { mode: false, times: false, owner: false, xattrs: false, links: false };
}

impl Default for Preserve {
    fn default() -> Self {
        Preserve::ALL
    }
}
