//! Ferry: chooses the face, the window or the terminal.

fn main() {}
