//! What can end a measurement, and what the table says of it.

use std::fmt::Display;

/// Why a measurement, or the whole run, ended early.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// Something did not work; the text says what.
    #[error("failed: {0}")]
    Failed(String),
    /// A copier said that all went well, and left a wrong copy.
    #[error("WRONG COPY: {0}")]
    Wrong(String),
    /// The measurement makes no sense here: not an error.
    #[error("left out: {0}")]
    LeftOut(String),
    /// SIGINT, SIGTERM or SIGHUP arrived.
    #[error("interrupted")]
    Interrupted,
}

impl BenchError {
    /// A failure in words.
    pub fn failed(words: impl Display) -> Self {
        Self::Failed(words.to_string())
    }

    /// Its kind in the table, where the words would have no room.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Failed(_) => "failed",
            Self::Wrong(_) => "WRONG",
            Self::LeftOut(_) => "left out",
            Self::Interrupted => "interrupted",
        }
    }
}

/// Says what was being done when an error came.
pub trait Context<T> {
    /// Prefixes the error with `doing`.
    fn context(self, doing: impl Display) -> Result<T, BenchError>;
}

impl<T, E: Display> Context<T> for Result<T, E> {
    fn context(self, doing: impl Display) -> Result<T, BenchError> {
        self.map_err(|error| BenchError::Failed(format!("{doing}: {error}")))
    }
}
