//! The engine over real trees: every test is one behaviour, named by it.
//!
//! They go through the library's contract alone, and compare by other means than the
//! engine's own. Most run on whatever the temporary folder is; those about file systems
//! mount their own and say "skipped" where they may not.

#![allow(unused_results, reason = "set-up calls are made for what they do")]
#![allow(clippy::unwrap_used, reason = "a failed set-up fails its test")]

#[path = "../common/mod.rs"]
mod common;

mod actions;
mod attributes;
mod btrfs;
mod checksums;
mod cold;
mod commands;
mod conflict_model;
mod contract;
mod control;
mod data;
mod fixture;
mod folders;
mod folding;
mod foreign;
mod forget;
mod identity;
mod journal;
mod kept;
mod links;
mod lost;
mod mounted;
mod moves;
mod names;
mod past;
mod preserve;
mod privileges;
mod properties;
mod questions;
mod queue;
mod random_trees;
mod refused;
mod replace;
mod report;
mod rules;
mod serial;
mod sharing;
mod special;
mod whole_tree;
