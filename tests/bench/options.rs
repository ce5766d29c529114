//! The command line of the bench, and what follows from it.

use std::path::PathBuf;

use clap::Parser;

use crate::case::{Case, CaseName};
use crate::image::FileSystem;
use crate::tool::ToolName;
use crate::{chosen, latency, readers};

/// Measure Ferry against cp and other copiers, in alternating pairs of whole runs.
///
/// Exit status: 0 all copies were made and right; 1 one was wrong or failed; 2 wrong usage;
/// 130 interrupted.
#[derive(Debug, Parser)]
#[command(name = "bench", bin_name = "./x bench")]
pub struct Options {
    /// The folder to work in, on the file system to measure; images are made here, too
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,

    /// Measure on new file systems in image files, and not on DIR's own (needs root)
    #[arg(long, value_enum, value_delimiter = ',', value_name = "NAMES")]
    pub fs: Vec<FileSystem>,

    /// How many pairs of runs count
    #[arg(long, default_value_t = 9, value_parser = clap::value_parser!(u16).range(1..))]
    pub pairs: u16,

    /// What to copy [default: flat,tree,big]
    #[arg(long, value_enum, value_delimiter = ',', value_name = "NAMES")]
    pub case: Vec<CaseName>,

    /// What to compare with cp [default: all that are installed]
    #[arg(long, value_enum, value_delimiter = ',', value_name = "NAMES")]
    pub tools: Vec<ToolName>,

    /// Empty the caches before each run, and prove that they are empty (needs root)
    #[arg(long)]
    pub cold: bool,

    /// The full number of files: 1000 in `big`, 15 GB in `kde342056`
    #[arg(long)]
    pub full: bool,

    /// Only try cp and Ferry once on a tree of 3 MB
    #[arg(long, conflicts_with_all = ["pairs", "case", "tools", "full"])]
    pub tiny: bool,

    /// Also tell the time of each run, on standard error
    #[arg(long)]
    pub runs: bool,

    /// Print the table as Markdown
    #[arg(long)]
    pub markdown: bool,

    /// Ferry's program [default: target/release/ferry]
    #[arg(long, value_name = "FILE")]
    pub ferry: Option<PathBuf>,

    /// Stop a run that takes longer
    #[arg(long, default_value_t = 600, value_name = "SECONDS")]
    pub limit: u64,

    /// What cargo adds when it runs a benchmark
    #[arg(long, hide = true)]
    pub bench: bool,

    /// Already in a mount namespace of its own
    #[arg(long, hide = true)]
    pub unshared: bool,
}

impl Options {
    /// How many pairs count.
    pub fn pairs(&self) -> usize {
        if self.tiny { 1 } else { self.pairs.into() }
    }

    /// The file systems to make, or the one place that is there.
    pub fn places(&self) -> Vec<Option<FileSystem>> {
        if self.fs.is_empty() {
            vec![None]
        } else {
            FileSystem::expand(&self.fs).into_iter().map(Some).collect()
        }
    }

    /// What is measured.
    pub fn cases(&self) -> Vec<CaseName> {
        match (self.tiny, self.case.as_slice()) {
            (true, _) => vec![CaseName::Tiny],
            (false, []) => vec![CaseName::Flat, CaseName::Tree, CaseName::Big],
            (false, named) => named.to_vec(),
        }
    }

    /// Room for the largest case twice, and what a file system wants besides; never so small
    /// that a file system behaves differently (short journals, small block groups).
    pub fn image_bytes(&self) -> u64 {
        let largest = self
            .cases()
            .into_iter()
            .map(|name| {
                let case = Case::named(name, self.full);
                let other = latency::SPACE.max(readers::SPACE).max(2 * chosen::space());
                case.map_or(other, |case| 2 * case.space())
            })
            .max()
            .unwrap_or(0);
        (largest + largest / 8 + (1 << 30)).max(4 << 30)
    }
}
