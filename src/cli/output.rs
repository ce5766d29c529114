//! What the terminal face prints, by a thread of its own.
//!
//! A reader that has stopped reading (`ferry … | less`) must not keep a signal from
//! cancelling the job, and one that is gone must neither end the copy nor the program: what
//! cannot be written any more is dropped.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};

use tokio::sync::oneshot;

enum Text {
    Out(Vec<u8>),
    Err(Vec<u8>),
}

/// Where to print; never fails, and never blocks where the system has a thread to give.
pub struct Output {
    texts: mpsc::Sender<Text>,
    written: oneshot::Receiver<io::Result<()>>,
    here: Option<Arc<Mutex<Printer>>>,
}

/// Prints, until a stream can be written to no more.
struct Printer {
    out: Option<Box<dyn Write + Send>>,
    err: Option<Box<dyn Write + Send>>,
    failed: io::Result<()>,
}

impl Printer {
    fn print(&mut self, text: Text) {
        match text {
            Text::Out(text) => {
                if let Err(error) = write(&mut self.out, &text) {
                    self.failed = Err(error);
                }
            }
            Text::Err(text) => {
                let _nowhere_to_say_it = write(&mut self.err, &text);
            }
        }
    }

    fn end(&mut self) -> io::Result<()> {
        std::mem::replace(&mut self.failed, Ok(()))
    }
}

fn lock(printer: &Mutex<Printer>) -> MutexGuard<'_, Printer> {
    printer.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Output {
    /// Starts the printing thread.
    pub fn start() -> Output {
        Self::to(io::stdout(), io::stderr())
    }

    fn to(out: impl Write + Send + 'static, err: impl Write + Send + 'static) -> Output {
        Self::with(out, err, |call| std::thread::Builder::new().spawn(call).is_ok())
    }

    /// As [`Output::start`], by a thread that `start` gives or not.
    fn with(
        out: impl Write + Send + 'static,
        err: impl Write + Send + 'static,
        start: impl FnOnce(Box<dyn FnOnce() + Send>) -> bool,
    ) -> Output {
        let (texts, incoming) = mpsc::channel();
        let (done, written) = oneshot::channel();
        let printer =
            Printer { out: Some(Box::new(out)), err: Some(Box::new(err)), failed: Ok(()) };
        let printer = Arc::new(Mutex::new(printer));
        let its_printer = Arc::clone(&printer);
        let started = start(Box::new(move || {
            let mut printer = lock(&its_printer);
            incoming.into_iter().for_each(|text| printer.print(text));
            let _nobody_waits = done.send(printer.end());
        }));
        // Without a thread whoever prints waits.
        Output { texts, written, here: (!started).then_some(printer) }
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
        if let Some(printer) = self.here {
            return lock(&printer).end();
        }
        self.written.await.unwrap_or(Ok(()))
    }

    fn send(&self, text: Text) {
        if let Some(printer) = &self.here {
            return lock(printer).print(text);
        }
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
    fn without_a_thread_the_same_is_printed() {
        let (out, err) = (Shared::default(), Shared::default());
        let output = Output::with(out.clone(), err.clone(), |_| false);
        output.json(&["one"]);
        output.error("It failed.");
        assert_eq!(*out.0.lock().unwrap(), b"[\"one\"]\n");
        finish(output).unwrap();
        assert_eq!(*err.0.lock().unwrap(), b"ferry: It failed.\n");
        let output = Output::with(Full, err, |_| false);
        output.json(&1);
        assert_eq!(finish(output).unwrap_err().kind(), io::ErrorKind::StorageFull);
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
