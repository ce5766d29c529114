//! A hash of a file's contents that holes cost nothing: xxh3 of its blocks but for those that
//! are all zeros, and of where those are. One terabyte of hole is hashed as soon as it is
//! seen, and it makes no difference whether zeros were stored or not.

use xxhash_rust::xxh3::Xxh3;

/// Bytes of a block.
const BLOCK: usize = 4096;
const ZEROS: [u8; BLOCK] = [0; BLOCK];

/// The hashes that are taken of a source while it is read, as far as they are asked for.
#[derive(Default)]
pub struct Hashes {
    /// To compare the copy with.
    pub digest: Option<Digest>,
    /// For the list of checksums.
    pub checksum: Option<Box<blake3::Hasher>>,
}

impl Hashes {
    /// Whether none is asked for.
    pub fn is_empty(&self) -> bool {
        self.digest.is_none() && self.checksum.is_none()
    }

    /// The next bytes.
    pub fn update(&mut self, data: &[u8]) {
        if let Some(digest) = &mut self.digest {
            digest.update(data);
        }
        if let Some(checksum) = &mut self.checksum {
            let _same = checksum.update(data);
        }
    }

    /// So many zeros come next. A checksum must be told each of them, which takes its time.
    pub fn skip(&mut self, length: u64) {
        if let Some(digest) = &mut self.digest {
            digest.skip(length);
        }
        if let Some(checksum) = &mut self.checksum {
            static MANY: [u8; 64 * 1024] = [0; 64 * 1024];
            let mut left = length;
            while left > 0 {
                let now = left.min(MANY.len() as u64);
                let _same = checksum.update(&MANY[..now as usize]);
                left -= now;
            }
        }
    }
}

/// A hash that is being taken, from the file's beginning to its end.
#[derive(Clone, Default)]
pub struct Digest {
    contents: Xxh3,
    zeros: Xxh3,
    /// Bytes so far, in whole blocks.
    length: u64,
    /// Where the zeros that came last begin.
    zeros_from: Option<u64>,
    /// The block that is not yet full.
    rest: Vec<u8>,
}

impl Digest {
    /// The next bytes.
    pub fn update(&mut self, mut data: &[u8]) {
        if !self.rest.is_empty() {
            let wanted = (BLOCK - self.rest.len()).min(data.len());
            self.rest.extend_from_slice(&data[..wanted]);
            data = &data[wanted..];
            if self.rest.len() < BLOCK {
                return;
            }
            let full = std::mem::take(&mut self.rest);
            self.blocks(&full);
        }
        let whole = data.len() - data.len() % BLOCK;
        self.blocks(&data[..whole]);
        self.rest.extend_from_slice(&data[whole..]);
    }

    /// So many zeros come next.
    pub fn skip(&mut self, mut length: u64) {
        if !self.rest.is_empty() {
            let wanted = length.min((BLOCK - self.rest.len()) as u64);
            self.update(&ZEROS[..wanted as usize]);
            length -= wanted;
        }
        let whole = length - length % BLOCK as u64;
        if whole > 0 {
            let _begun = self.zeros_from.get_or_insert(self.length);
            self.length += whole;
        }
        self.update(&ZEROS[..(length - whole) as usize]);
    }

    /// The hash of all of it.
    pub fn finish(mut self) -> u64 {
        self.end_zeros();
        self.contents.update(&self.rest);
        self.contents.update(&self.zeros.digest().to_le_bytes());
        self.contents.update(&(self.length + self.rest.len() as u64).to_le_bytes());
        self.contents.digest()
    }

    fn blocks(&mut self, data: &[u8]) {
        let mut from = 0;
        for (number, block) in data.chunks_exact(BLOCK).enumerate() {
            let at = number * BLOCK;
            if *block == ZEROS {
                self.contents.update(&data[from..at]);
                from = at + BLOCK;
                let _begun = self.zeros_from.get_or_insert(self.length);
            } else {
                self.end_zeros();
            }
            self.length += BLOCK as u64;
        }
        self.contents.update(&data[from..]);
    }

    fn end_zeros(&mut self) {
        if let Some(from) = self.zeros_from.take() {
            self.zeros.update(&from.to_le_bytes());
            self.zeros.update(&self.length.to_le_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(data: &[u8]) -> u64 {
        let mut digest = Digest::default();
        digest.update(data);
        digest.finish()
    }

    fn some(len: usize) -> Vec<u8> {
        (0..len).map(|at| (at * 7 % 251) as u8 + 1).collect()
    }

    #[test]
    fn parts_and_holes_make_no_difference() {
        let mut data = some(20_000);
        data[5000..15_000].fill(0);
        let expected = whole(&data);
        for part in [1, 100, 4095, 4096, 4097, 8192] {
            let mut digest = Digest::default();
            data.chunks(part).for_each(|part| digest.update(part));
            assert_eq!(digest.finish(), expected, "in parts of {part}");
        }
        for (from, to) in [(5000, 15_000), (8192, 12_288), (5001, 5002), (9000, 14_999)] {
            let mut digest = Digest::default();
            digest.update(&data[..from]);
            digest.skip((to - from) as u64);
            digest.update(&data[to..]);
            assert_eq!(digest.finish(), expected, "skipped from {from} to {to}");
        }
    }

    #[test]
    fn every_difference_is_seen() {
        let mut all = vec![Vec::new(), vec![0], vec![0; 4096], vec![0; 4097], vec![0; 8192]];
        for at in [0, 4095, 4096, 9999] {
            let mut data = vec![0; 10_000];
            data[at] = 1;
            all.push(data);
        }
        all.push(some(4096));
        all.push([vec![0; 4096], some(4096)].concat());
        all.push([some(4096), vec![0; 4096]].concat());
        let mut hashes: Vec<u64> = all.iter().map(|data| whole(data)).collect();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), all.len());
    }

    #[test]
    fn a_hole_of_any_size_takes_no_time() {
        let mut digest = Digest::default();
        digest.skip(u64::MAX / 2);
        digest.update(b"end");
        let _hash = digest.finish();
    }
}
