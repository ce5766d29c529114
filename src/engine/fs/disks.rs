//! Which disk a file system lies on, and whether it serves two jobs at once.
//!
//! A disk with a head loses most of its speed to seeking between two jobs, and a stick or a
//! card to mixing them; a solid-state disk does not. Virtual disks say that they turn, and
//! do not: they are let alone. Asked of sysfs and the mount table, never of the file system.

use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{major, makedev, minor};

use super::mounts::mounts;

/// Where something lies, as far as it can be told by its descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    /// The number of its device.
    pub device: u64,
    /// The number of its mount, where the device's own tells no disk: btrfs numbers its
    /// subvolumes itself.
    mount: Option<u64>,
}

impl Spot {
    /// Of an open folder on a device.
    pub fn of(folder: impl AsFd, device: u64) -> Spot {
        let mount = (major(device) == 0).then(|| super::mount_of(folder).ok()).flatten();
        Spot { device, mount }
    }
}

/// The disks among those of some spots that serve one job at a time, by their numbers.
pub fn one_at_a_time(spots: &[Spot]) -> Vec<u64> {
    let mut all = Vec::new();
    for spot in spots {
        let device = match spot.mount {
            Some(number) => device_of_mount(number),
            None => Some(spot.device),
        };
        if let Some(device) = device {
            gather(Path::new("/sys/dev/block"), device, &mut all);
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

fn device_of_mount(number: u64) -> Option<u64> {
    let mount = mounts().into_iter().find(|mount| mount.number == number)?;
    if mount.file_system != "btrfs" {
        return None;
    }
    // The device's node, which lies on no device that could hang.
    let stat = rustix::fs::stat(&mount.source).ok()?;
    Some(stat.st_rdev)
}

/// Adds the disks below a block device, which may be a partition or be put together from
/// others.
fn gather(sys: &Path, device: u64, all: &mut Vec<u64>) {
    let path = sys.join(format!("{}:{}", major(device), minor(device)));
    let Ok(mut path) = std::fs::canonicalize(path) else { return };
    if path.join("partition").exists() {
        let _has_a_parent = path.pop();
    }
    let below = std::fs::read_dir(path.join("slaves")).into_iter().flatten();
    let below: Vec<u64> = below.filter_map(|entry| number(&entry.ok()?.path())).collect();
    if !below.is_empty() {
        return below.into_iter().for_each(|device| gather(sys, device, all));
    }
    if serves_one(&path)
        && let Some(number) = number(&path)
    {
        all.push(number);
    }
}

fn number(path: &Path) -> Option<u64> {
    let text = std::fs::read_to_string(path.join("dev")).ok()?;
    let (major, minor) = text.trim().split_once(':')?;
    Some(makedev(major.parse().ok()?, minor.parse().ok()?))
}

fn serves_one(path: &Path) -> bool {
    let bus = path.to_string_lossy();
    if bus.contains("/virtual/") || bus.contains("/virtio") {
        return false;
    }
    let turns = || {
        std::fs::read_to_string(path.join("queue/rotational")).is_ok_and(|text| text.trim() == "1")
    };
    bus.contains("/usb") || bus.contains("/mmc") || turns()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A device: its number, its path, and the files in its folder.
    type Device<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);

    /// A folder like `/sys` with these devices.
    fn sys(devices: &[Device<'_>]) -> tempfile::TempDir {
        let sys = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(sys.path().join("dev/block")).unwrap();
        for (number, path, files) in devices {
            let folder = sys.path().join("devices").join(path);
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("dev"), format!("{number}\n")).unwrap();
            for (name, contents) in *files {
                let file = folder.join(name);
                std::fs::create_dir_all(file.parent().unwrap()).unwrap();
                if let Some(to) = contents.strip_prefix("->") {
                    let to = sys.path().join("devices").join(to);
                    std::os::unix::fs::symlink(to, file).unwrap();
                } else {
                    std::fs::write(file, contents).unwrap();
                }
            }
            std::os::unix::fs::symlink(&folder, sys.path().join("dev/block").join(number)).unwrap();
        }
        sys
    }

    fn disks(sys: &tempfile::TempDir, device: (u32, u32)) -> Vec<u64> {
        let mut all = Vec::new();
        gather(&sys.path().join("dev/block"), makedev(device.0, device.1), &mut all);
        all
    }

    const TURNS: (&str, &str) = ("queue/rotational", "1\n");
    const STANDS: (&str, &str) = ("queue/rotational", "0\n");

    #[test]
    fn two_partitions_of_a_turning_disk_are_one_disk() {
        let sys = sys(&[
            ("8:0", "pci0/ata1/host0/sda", &[TURNS]),
            ("8:1", "pci0/ata1/host0/sda/sda1", &[("partition", "1")]),
            ("8:2", "pci0/ata1/host0/sda/sda2", &[("partition", "2")]),
        ]);
        for partition in [(8, 0), (8, 1), (8, 2)] {
            assert_eq!(disks(&sys, partition), [makedev(8, 0)]);
        }
    }

    #[test]
    fn a_stick_serves_one_though_it_does_not_turn_and_an_ssd_serves_many() {
        let sys = sys(&[
            ("8:16", "pci0/usb1/1-1/host6/sdb", &[STANDS]),
            ("179:0", "platform/mmc_host/mmc0/mmcblk0", &[STANDS]),
            ("259:0", "pci0/nvme/nvme0/nvme0n1", &[STANDS]),
            ("253:0", "pci0/virtio2/block/vda", &[TURNS]),
            ("7:0", "virtual/block/loop0", &[TURNS]),
        ]);
        assert_eq!(disks(&sys, (8, 16)), [makedev(8, 16)]);
        assert_eq!(disks(&sys, (179, 0)), [makedev(179, 0)]);
        for many in [(259, 0), (253, 0), (7, 0), (1, 2)] {
            assert!(disks(&sys, many).is_empty(), "{many:?}");
        }
    }

    #[test]
    fn a_volume_is_the_disks_that_it_lies_on() {
        let sys = sys(&[
            ("8:0", "pci0/ata1/sda", &[TURNS]),
            ("8:1", "pci0/ata1/sda/sda1", &[("partition", "1")]),
            ("8:16", "pci0/ata2/sdb", &[TURNS]),
            (
                "252:0",
                "virtual/block/dm-0",
                &[("slaves/sda1", "->pci0/ata1/sda/sda1"), ("slaves/sdb", "->pci0/ata2/sdb")],
            ),
        ]);
        let mut found = disks(&sys, (252, 0));
        found.sort_unstable();
        assert_eq!(found, [makedev(8, 0), makedev(8, 16)]);
    }
}
