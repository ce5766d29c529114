//! Numbers and bytes as they stand in a journal, and the frames around its records.
//!
//! A frame is the record's length and its checksum, four bytes each, little-endian. The
//! checksum (the low half of xxh3) is seeded with the frame's place in the file, so that
//! neither a torn tail nor old data at another place passes for a record.

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Bytes before each record.
pub const HEAD: usize = 8;

fn checksum(payload: &[u8], offset: u64) -> u32 {
    xxh3_64_with_seed(payload, offset) as u32
}

/// Appends a record in its frame, which is going to stand at this offset of the file.
pub fn frame(payload: &[u8], offset: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(&(payload.len() as u32).to_le_bytes());
    out.extend_from_slice(&checksum(payload, offset).to_le_bytes());
    out.extend_from_slice(payload);
}

/// The records of a file, up to the first one that is not whole.
pub struct Frames<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Frames<'a> {
    /// The records of these bytes, the file's first.
    pub fn of(bytes: &'a [u8]) -> Frames<'a> {
        Frames { bytes, offset: 0 }
    }

    /// How many bytes the whole records so far take.
    pub fn valid(&self) -> u64 {
        self.offset as u64
    }
}

impl<'a> Iterator for Frames<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = &self.bytes[self.offset..];
        let length = u32::from_le_bytes(*rest.first_chunk()?) as usize;
        let sum = u32::from_le_bytes(*rest.get(4..)?.first_chunk()?);
        let payload = rest.get(HEAD..HEAD.checked_add(length)?)?;
        if sum != checksum(payload, self.offset as u64) {
            return None;
        }
        self.offset += HEAD + length;
        Some(payload)
    }
}

/// Appends a number, seven bits a byte.
pub fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends a number that may be negative.
pub fn put_signed(out: &mut Vec<u8>, number: i64) {
    put(out, ((number << 1) ^ (number >> 63)) as u64);
}

/// Appends bytes and their count.
pub fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Takes numbers and bytes from a record; `None` where it is not what was written.
pub struct Taker<'a>(pub &'a [u8]);

impl<'a> Taker<'a> {
    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One byte.
    pub fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// A number.
    pub fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// A number of 32 bits.
    pub fn small(&mut self) -> Option<u32> {
        self.number()?.try_into().ok()
    }

    /// A number that may be negative.
    pub fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// Bytes.
    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for number in [0, 1, 127, 128, 16_384, u64::from(u32::MAX), u64::MAX] {
            let mut out = Vec::new();
            put(&mut out, number);
            assert_eq!(Taker(&out).number(), Some(number));
        }
        for number in [0, -1, 1, i64::MIN, i64::MAX, -1_700_000_000] {
            let mut out = Vec::new();
            put_signed(&mut out, number);
            assert_eq!(Taker(&out).signed(), Some(number));
        }
    }

    #[test]
    fn a_record_at_another_place_is_none() {
        let mut out = Vec::new();
        frame(b"one", 0, &mut out);
        let second = out.len() as u64;
        frame(b"two", second, &mut out);
        assert_eq!(Frames::of(&out).collect::<Vec<_>>(), [b"one", b"two"]);
        assert_eq!(Frames::of(&out[second as usize..]).next(), None);
    }
}
