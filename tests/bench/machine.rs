//! The machine in words: a number without it says little.

use std::fs;
use std::path::Path;

/// Processor, cores, memory, kernel, and how busy it is with other things.
pub fn describe() -> String {
    let kernel = rustix::system::uname();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "{}, {cores} cores, {} GiB, Linux {}, load {} at the start",
        value_of("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown processor".to_owned()),
        memory_bytes("MemTotal").div_ceil(1 << 30),
        kernel.release().to_string_lossy(),
        fs::read_to_string("/proc/loadavg")
            .ok()
            .and_then(|text| text.split(' ').next().map(str::to_owned))
            .unwrap_or_else(|| "unknown".to_owned()),
    )
}

/// A line of /proc/meminfo in bytes; 0 when it is not there.
pub fn memory_bytes(name: &str) -> u64 {
    value_of("/proc/meminfo", name)
        .and_then(|value| value.trim_end_matches("kB").trim().parse::<u64>().ok())
        .map_or(0, |kibibytes| kibibytes * 1024)
}

/// The first value of that name in a file of lines `name : value`.
fn value_of(file: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    text.lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(key, _)| key.trim() == name)
        .map(|(_, value)| value.trim().to_owned())
}

/// The type of the file system that holds `path`, by the magic numbers of linux/magic.h.
pub fn file_system(path: &Path) -> String {
    let Ok(found) = rustix::fs::statfs(path) else {
        return "unknown".to_owned();
    };
    match found.f_type as u32 {
        0xef53 => "ext4".to_owned(), // also ext2 and ext3
        0x5846_5342 => "xfs".to_owned(),
        0x9123_683e => "btrfs".to_owned(),
        0x0102_1994 => "tmpfs".to_owned(),
        0xf2f5_2010 => "f2fs".to_owned(),
        0x2fc1_2fc1 => "zfs".to_owned(),
        0xca45_1a4e => "bcachefs".to_owned(),
        0x794c_7630 => "overlay".to_owned(),
        other => format!("type {other:#x}"),
    }
}
