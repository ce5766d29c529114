//! The engine while system calls fail: errors, short counts and zeros put in at the engine's
//! one seam (`engine/fs`).
//!
//! A target of its own, since a fault is felt by the whole process: its tests take turns.
//! The seam has a hook only in builds with debug assertions.

#![allow(unused_results, reason = "set-up calls are made for what they do")]
#![allow(clippy::unwrap_used, reason = "a failed set-up fails its test")]

#[cfg(debug_assertions)]
#[path = "../common/mod.rs"]
mod common;

#[cfg(debug_assertions)]
mod away;
#[cfg(debug_assertions)]
mod deaths;
#[cfg(debug_assertions)]
mod exchanges;
mod fault;
#[cfg(debug_assertions)]
mod matrix;
#[cfg(debug_assertions)]
mod mends;
#[cfg(debug_assertions)]
mod model;
#[cfg(debug_assertions)]
mod pace;
#[cfg(debug_assertions)]
mod pauses;
#[cfg(debug_assertions)]
mod threads;
#[cfg(debug_assertions)]
mod verify;
