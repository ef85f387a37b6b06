//! A client of a control socket, as commands use it.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::marker::PhantomData;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use diagnostics::Failure;

use super::lines::LONGEST_LINE;
use crate::message::{Answered, Messages, Refusal};

/// The times between two questions to a switch that is busy: the first one, from which on each is twice as long, and the longest.
const SHORTEST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// A connection to a running switch that takes messages of a kind.
pub struct Client<M> {
    stream: BufReader<UnixStream>,
    messages: PhantomData<fn() -> M>,
}

impl<M: Messages> Client<M> {
    /// Connects to a switch.
    ///
    /// # Errors
    /// Fails if nobody listens there.
    pub fn connect(path: &Path) -> Result<Self, Failure> {
        let stream = UnixStream::connect(path).map_err(|error| {
            let why = match error.kind() {
                // The system's words name a constant of C.
                io::ErrorKind::InvalidInput => {
                    "it is no path that a socket can have: a path has at most 107 bytes".to_owned()
                }
                _ => error.to_string(),
            };
            Failure::plain(format!("no switch listens at `{}`: {why}", path.display()))
        })?;
        Ok(Self { stream: BufReader::new(stream), messages: PhantomData })
    }

    /// Asks the switch, and waits for its answer.
    ///
    /// # Errors
    /// Fails if the connection breaks, or the switch answers something else than JSON.
    pub fn ask(&mut self, request: &M::Request) -> io::Result<Answered<M::Answer>> {
        let mut line = serde_json::to_vec(request)?;
        if line.len() > LONGEST_LINE {
            let message = format!(
                "a request may have {LONGEST_LINE} bytes, and this one has {}: {}\n",
                line.len(),
                M::INSTEAD_OF_LONG
            );
            return Ok(Answered::Refused(Refusal::new(message)));
        }
        line.push(b'\n');
        self.stream.get_mut().write_all(&line)?;
        let mut answer = String::new();
        if self.stream.read_line(&mut answer)? == 0 {
            let refusal = Refusal::new("the switch has closed the connection");
            return Ok(Answered::Refused(refusal));
        }
        Ok(serde_json::from_str(&answer)?)
    }

    /// Asks as [`Self::ask`], and again while the switch is busy, until a time: then the answer is that it is.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub fn ask_until(&mut self, request: &M::Request, end: Instant) -> io::Result<Answered<M::Answer>> {
        let mut pause = SHORTEST_PAUSE;
        loop {
            let answered = self.ask(request)?;
            let left = end.saturating_duration_since(Instant::now());
            if !matches!(&answered, Answered::Refused(refusal) if refusal.busy) || left.is_zero() {
                return Ok(answered);
            }
            std::thread::sleep(pause.min(left));
            pause = LONGEST_PAUSE.min(2 * pause);
        }
    }

    /// Returns the bytes that follow an answer that begins a stream.
    pub fn into_bytes(self) -> impl Read {
        self.stream
    }
}
