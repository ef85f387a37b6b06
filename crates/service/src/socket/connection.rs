//! One client of the control socket: what it has sent, what it is owed, and what runs for it.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::Instant;

use super::lines::{LONGEST_LINE, LineReader};
use super::server::Stream;
use crate::cancel::Cancel;
use crate::message::{Answered, Messages, Refusal, read_request};

/// The most bytes that wait for a client; while so many wait, it is not read.
const MOST_OWED: usize = 1 << 20;

/// A client.
pub(super) struct Connection<M: Messages> {
    stream: UnixStream,
    lines: LineReader,
    owed: Vec<u8>,
    /// The number of bytes of `owed` that were sent.
    sent: usize,
    pub(super) busy: Busy<M>,
    /// Whether the client has sent all that it will; its last answers still go out.
    is_at_end: bool,
    /// Whether the connection is to be closed when all is sent.
    is_over: bool,
    /// When the client has last sent a whole line, or taken something of what it is owed.
    last: Instant,
}

/// The thing that a client waits for.
pub(super) enum Busy<M: Messages> {
    /// Nothing: its next request is carried out.
    Idle,
    /// The answer to a request that takes long, which a thread of its own asks.
    Answer {
        answer: Receiver<Answered<M::Answer>>,
        cancel: Cancel,
        /// Whether it comes only with a packet, which may be never.
        waits_for_packet: bool,
    },
    /// The bytes of a stream.
    Stream(Box<dyn Stream>),
}

impl<M: Messages> Connection<M> {
    pub(super) fn new(stream: UnixStream) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        let lines = LineReader::default();
        Ok(Self {
            stream,
            lines,
            owed: Vec::new(),
            sent: 0,
            busy: Busy::Idle,
            is_at_end: false,
            is_over: false,
            last: Instant::now(),
        })
    }

    pub(super) fn stream(&self) -> &UnixStream {
        &self.stream
    }

    /// Returns whether the client is to be read: there is room for its requests, and it has not said that all is sent. While
    /// something runs for it, only its end is of interest.
    pub(super) fn wants_input(&self) -> bool {
        !self.is_at_end && !self.is_over && self.owed() < MOST_OWED && self.lines.held() <= LONGEST_LINE
    }

    pub(super) fn wants_output(&self) -> bool {
        self.owed() > 0
    }

    /// Returns whether the client has still to be sent something: an answer, or what a stream holds.
    pub(super) fn is_owed(&self) -> bool {
        self.owed() > 0 || !matches!(self.busy, Busy::Idle)
    }

    /// Returns when the client has last sent a whole line or taken something of what it is owed, unless something runs for it. A stream whose
    /// bytes nobody takes does not.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        let is_idle = match self.busy {
            Busy::Idle => true,
            Busy::Answer { .. } => false,
            Busy::Stream(_) => self.owed() > 0,
        };
        is_idle.then_some(self.last)
    }

    /// Returns whether the client has a stream.
    pub(super) fn has_stream(&self) -> bool {
        matches!(self.busy, Busy::Stream(_))
    }

    fn owed(&self) -> usize {
        self.owed.len() - self.sent
    }

    /// Returns whether the connection is to be closed.
    pub(super) fn is_done(&self) -> bool {
        let idle = matches!(self.busy, Busy::Idle) && self.lines.held() == 0;
        self.owed() == 0 && (self.is_over || (self.is_at_end && idle))
    }

    /// Reads what has come. Returns false if the connection is broken.
    pub(super) fn read(&mut self) -> bool {
        let mut piece = [0; 16 << 10];
        match self.stream.read(&mut piece) {
            Ok(0) => {
                self.is_at_end = true;
                // Who has left wants neither a packet nor a stream any more. Every other answer still goes out: a client
                // may say that it has sent all before it reads.
                if matches!(self.busy, Busy::Stream(_) | Busy::Answer { waits_for_packet: true, .. }) {
                    self.is_over = true;
                }
                true
            }
            Ok(count) => {
                self.lines.push(&piece[..count]);
                true
            }
            Err(error) => matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted),
        }
    }

    /// Returns the next request, unless something runs for the client, or too much waits for it. A line that is none is
    /// answered with why.
    pub(super) fn next_request(&mut self) -> Option<M::Request> {
        while matches!(self.busy, Busy::Idle) && !self.is_over && self.owed() < MOST_OWED {
            let line = self.lines.next_line();
            if let Ok(Some(_)) = line {
                self.last = Instant::now();
            }
            match line {
                Ok(Some(line)) if line.iter().all(u8::is_ascii_whitespace) => {}
                Ok(Some(line)) => match read_request(&line) {
                    Ok(request) => return Some(request),
                    Err(refusal) => self.answer(&Answered::Refused(refusal)),
                },
                Ok(None) if self.is_at_end => {
                    self.is_over = true;
                    return None;
                }
                Ok(None) => return None,
                Err(_) => {
                    let refusal = Refusal::new(format!("a line has more than {LONGEST_LINE} bytes"));
                    self.answer(&Answered::Refused(refusal));
                    self.is_over = true;
                }
            }
        }
        None
    }

    /// Appends an answer to what the client is owed.
    pub(super) fn answer(&mut self, answer: &Answered<M::Answer>) {
        let written = serde_json::to_writer(&mut self.owed, answer);
        debug_assert!(written.is_ok(), "answers have no form that JSON lacks");
        self.owed.push(b'\n');
    }

    /// Takes what has come for the client from what runs for it.
    pub(super) fn proceed(&mut self) {
        match &mut self.busy {
            Busy::Idle => {}
            Busy::Answer { answer, .. } => {
                let answered = match answer.try_recv() {
                    Ok(answered) => answered,
                    Err(TryRecvError::Empty) => return,
                    Err(TryRecvError::Disconnected) => Answered::Refused(Refusal::new("the request failed")),
                };
                self.busy = Busy::Idle;
                self.answer(&answered);
            }
            Busy::Stream(stream) => {
                // What comes meanwhile waits in the stream, which is bounded.
                if self.owed.len() - self.sent >= MOST_OWED {
                    return;
                }
                match stream.take() {
                    Some(bytes) => self.owed.extend_from_slice(&bytes),
                    None => {
                        self.is_over = true;
                        self.busy = Busy::Idle;
                    }
                }
            }
        }
    }

    /// Sends what the client takes. Returns false if the connection is broken.
    pub(super) fn write(&mut self) -> bool {
        let is_whole = self.send();
        // What a slow client has taken is not kept until it has taken all.
        self.owed.drain(..self.sent);
        self.sent = 0;
        is_whole
    }

    fn send(&mut self) -> bool {
        while self.sent < self.owed.len() {
            match self.stream.write(&self.owed[self.sent..]) {
                Ok(0) => return false,
                Ok(count) => {
                    self.last = Instant::now();
                    self.sent += count;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return error.kind() == io::ErrorKind::WouldBlock,
            }
        }
        true
    }
}

impl<M: Messages> Drop for Connection<M> {
    fn drop(&mut self) {
        if let Busy::Answer { cancel, .. } = &self.busy {
            cancel.cancel();
        }
    }
}
