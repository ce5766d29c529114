//! What the terminal face prints, by a thread of its own.
//!
//! A reader that has stopped reading (`ferry … | less`) must not keep a signal from
//! cancelling the job, and one that is gone must neither end the copy nor the program: what
//! cannot be written any more is dropped.

use std::io::{self, Write};
use std::sync::mpsc;

use tokio::sync::oneshot;

enum Text {
    Out(Vec<u8>),
    Err(Vec<u8>),
}

/// Where to print; never blocks and never fails.
pub struct Output {
    texts: mpsc::Sender<Text>,
    written: oneshot::Receiver<io::Result<()>>,
}

impl Output {
    /// Starts the printing thread.
    pub fn start() -> Output {
        Self::to(io::stdout(), io::stderr())
    }

    fn to(out: impl Write + Send + 'static, err: impl Write + Send + 'static) -> Output {
        let (texts, incoming) = mpsc::channel();
        let (done, written) = oneshot::channel();
        let _thread = std::thread::spawn(move || {
            let (mut out, mut err) = (Some(out), Some(err));
            let mut failed = Ok(());
            for text in incoming {
                match text {
                    Text::Out(text) => {
                        if let Err(error) = write(&mut out, &text) {
                            failed = Err(error);
                        }
                    }
                    Text::Err(text) => {
                        let _nowhere_to_say_it = write(&mut err, &text);
                    }
                }
            }
            let _nobody_waits = done.send(failed);
        });
        Output { texts, written }
    }

    /// Prints one value as a line of JSON on standard output.
    pub fn json(&self, value: &impl serde::Serialize) {
        if let Ok(mut line) = serde_json::to_vec(value) {
            line.push(b'\n');
            self.send(Text::Out(line));
        }
    }

    /// Prints a line for people on standard error.
    pub fn line(&self, line: impl Into<String>) {
        self.prompt(line.into() + "\n");
    }

    /// Prints text for people on standard error, the cursor staying behind it.
    pub fn prompt(&self, text: impl Into<String>) {
        self.send(Text::Err(text.into().into_bytes()));
    }

    /// Prints an error for people on standard error.
    pub fn error(&self, sentence: impl std::fmt::Display) {
        self.line(format!("ferry: {sentence}"));
    }

    /// Ends when all is written.
    ///
    /// # Errors
    /// When standard output could not be written to; a reader that has gone is no error.
    pub async fn finish(self) -> io::Result<()> {
        drop(self.texts);
        self.written.await.unwrap_or(Ok(()))
    }

    fn send(&self, text: Text) {
        // The thread ends only after this sender does.
        let _sent = self.texts.send(text);
    }
}

fn write(stream: &mut Option<impl Write>, text: &[u8]) -> io::Result<()> {
    let Some(open) = stream else { return Ok(()) };
    let Err(error) = open.write_all(text).and_then(|()| open.flush()) else { return Ok(()) };
    *stream = None;
    if error.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(error) }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    struct Closed;

    impl Write for Closed {
        fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn finish(output: Output) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(output.finish())
    }

    #[test]
    fn lines_come_in_order_and_whole() {
        let (out, err) = (Shared::default(), Shared::default());
        let output = Output::to(out.clone(), err.clone());
        output.json(&["one"]);
        output.json(&["two"]);
        output.error("It failed.");
        finish(output).unwrap();
        assert_eq!(*out.0.lock().unwrap(), b"[\"one\"]\n[\"two\"]\n");
        assert_eq!(*err.0.lock().unwrap(), b"ferry: It failed.\n");
    }

    #[test]
    fn a_closed_stream_does_not_silence_the_other() {
        let err = Shared::default();
        let output = Output::to(Closed, err.clone());
        output.json(&1);
        output.json(&2);
        output.line("still here");
        finish(output).unwrap();
        assert_eq!(*err.0.lock().unwrap(), b"still here\n");
    }

    struct Full;

    impl Write for Full {
        fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_full_device_is_told() {
        let output = Output::to(Full, Shared::default());
        output.json(&1);
        output.json(&2);
        assert_eq!(finish(output).unwrap_err().kind(), io::ErrorKind::StorageFull);
        let output = Output::to(Shared::default(), Full);
        output.line("lost");
        finish(output).unwrap();
    }
}
