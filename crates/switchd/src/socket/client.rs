//! A client of a control socket, as commands use it.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

use diagnostics::Failure;

use super::lines::LONGEST_LINE;
use crate::message::{Answered, Refusal, Request};

/// A connection to a running switch.
pub struct Client {
    stream: BufReader<UnixStream>,
}

impl Client {
    /// Connects to a switch.
    ///
    /// # Errors
    /// Fails if nobody listens there.
    pub fn connect(path: &Path) -> Result<Self, Failure> {
        let stream = UnixStream::connect(path)
            .map_err(|error| Failure::plain(format!("no switch listens at `{}`: {error}", path.display())))?;
        Ok(Self { stream: BufReader::new(stream) })
    }

    /// Asks the switch, and waits for its answer.
    ///
    /// # Errors
    /// Fails if the connection breaks, or the switch answers something else than JSON.
    pub fn ask(&mut self, request: &Request) -> io::Result<Answered> {
        let mut line = serde_json::to_vec(request)?;
        if line.len() > LONGEST_LINE {
            let message = format!(
                "a request may have {LONGEST_LINE} bytes, and this one has {}: send its lines in several requests, or \
                 write them into a file of the plan's `tables` and reload\n",
                line.len()
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

    /// Returns the bytes that follow the answer to a capture.
    pub fn into_bytes(self) -> impl Read {
        self.stream
    }
}
