//! File names are bytes: how they travel through serde.
//!
//! A path is not always UTF-8, so serde's own `PathBuf` would refuse some of them. In a
//! text format (JSON) a path is a string where it is UTF-8 and an array of its bytes where
//! it is not; in a binary format it is always its bytes. For use with `#[serde(with = …)]`.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use serde::de::{Deserializer, Error as _, SeqAccess, Visitor};
use serde::ser::{SerializeSeq, Serializer};
use serde::{Deserialize, Serialize};

/// Bytes that are a string in text formats whenever they can be.
struct Bytes(Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_bytes(&self.0, serializer)
    }
}

fn serialize_bytes<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    if !serializer.is_human_readable() {
        return serializer.serialize_bytes(bytes);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => serializer.serialize_str(text),
        Err(_) => serializer.collect_seq(bytes),
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Bytes;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a string or an array of bytes")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Bytes, E> {
                Ok(Bytes(text.as_bytes().to_vec()))
            }

            fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Bytes, A::Error> {
                let mut bytes = Vec::new();
                while let Some(byte) = seq.next_element::<u8>()? {
                    bytes.push(byte);
                }
                Ok(Bytes(bytes))
            }
        }
        let bytes = if deserializer.is_human_readable() {
            deserializer.deserialize_any(Any)?
        } else {
            deserializer.deserialize_byte_buf(Any)?
        };
        if bytes.0.contains(&0) {
            return Err(D::Error::custom("a file name holds no NUL"));
        }
        Ok(bytes)
    }
}

/// For a field that is an `OsString` or a `PathBuf`.
pub mod name {
    use super::*;

    /// Writes the name as a string or as bytes.
    pub fn serialize<S: Serializer>(
        name: impl AsRef<std::ffi::OsStr>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serialize_bytes(name.as_ref().as_bytes(), serializer)
    }

    /// Reads a name.
    ///
    /// # Errors
    /// When it is neither a string nor bytes, or holds a NUL.
    pub fn deserialize<'de, D: Deserializer<'de>, N: From<OsString>>(
        deserializer: D,
    ) -> Result<N, D::Error> {
        let bytes = Bytes::deserialize(deserializer)?;
        Ok(N::from(OsString::from_vec(bytes.0)))
    }
}

/// For a field that is an `Option<PathBuf>`.
pub mod optional {
    use super::*;

    /// Writes the path as a string or as bytes, or nothing.
    pub fn serialize<S: Serializer>(path: &Option<PathBuf>, s: S) -> Result<S::Ok, S::Error> {
        path.as_ref().map(|path| Bytes(path.as_os_str().as_bytes().to_vec())).serialize(s)
    }

    /// Reads a path or nothing.
    ///
    /// # Errors
    /// When it is neither a string nor bytes, or holds a NUL.
    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<PathBuf>, D::Error> {
        let bytes = Option::<Bytes>::deserialize(d)?;
        Ok(bytes.map(|bytes| PathBuf::from(OsString::from_vec(bytes.0))))
    }
}

/// For a field that is a `Vec<PathBuf>`.
pub mod paths {
    use super::*;

    /// Writes each path as a string or as bytes.
    pub fn serialize<S: Serializer>(paths: &[PathBuf], serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(Some(paths.len()))?;
        for path in paths {
            seq.serialize_element(&Bytes(path.as_os_str().as_bytes().to_vec()))?;
        }
        seq.end()
    }

    /// Reads a list of paths.
    ///
    /// # Errors
    /// When one of them is neither a string nor bytes, or holds a NUL.
    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<PathBuf>, D::Error> {
        let all = Vec::<Bytes>::deserialize(d)?;
        Ok(all.into_iter().map(|bytes| PathBuf::from(OsString::from_vec(bytes.0))).collect())
    }
}
