//! The thread that serves the clients of a control socket.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use diagnostics::Failure;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};

use super::SocketFile;
use super::connection::{Busy, Connection};
use crate::cancel::Cancel;
use crate::message::{Answered, Messages, Refusal};

/// The most clients at once. If another one comes, the one that has been idle for longest goes.
const MOST_CLIENTS: usize = 32;
/// The time for which the connection of a client that asks nothing, or takes no answer, stays even if others wait for its place.
const LEAST_IDLE: Duration = Duration::from_millis(100);
/// The most clients that have streams, which may never end. With those that wait on threads they leave room for others.
const MOST_STREAMS: usize = 12;
/// The longest time for which clients are still sent what they are owed when the node has ended.
const LONGEST_END: Duration = Duration::from_secs(1);
/// The most threads that wait for packets, and the most others that ask what takes long: who waits for a packet, perhaps
/// for ever, leaves room for the others.
const MOST_THREADS: usize = 8;

/// Bytes that follow an answer, until either end closes the connection.
pub trait Stream: Send {
    /// Returns the bytes that have come since the last call, without waiting; `None` if the stream has ended.
    fn take(&self) -> Option<Vec<u8>>;
}

/// An answer, and the stream of bytes behind it.
pub type Begun<A> = (A, Box<dyn Stream>);

/// How a request is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// At once, on the thread of the socket: it takes no longer than the node's next turn.
    AtOnce,
    /// On a thread of its own, because it takes long.
    Aside {
        /// Whether the answer comes only with a packet, which may be never. Then it ends when the client goes.
        waits_for_packet: bool,
        /// What is said of such requests when there are too many: a subject and a verb.
        what: &'static str,
    },
    /// With a stream of bytes behind the answer.
    Stream,
}

/// What answers the requests of a control socket.
pub trait Answers: Clone + Send + 'static {
    /// The messages.
    type Messages: Messages;

    /// Returns how a request is answered.
    fn manner(&self, request: &<Self::Messages as Messages>::Request) -> Manner;

    /// Answers a request, and gives up once `cancel` says so.
    ///
    /// # Errors
    /// Fails with the reason if it is refused.
    fn answer(
        &self,
        request: <Self::Messages as Messages>::Request,
        cancel: &Cancel,
    ) -> Result<<Self::Messages as Messages>::Answer, Refusal>;

    /// Answers a request of the manner [`Manner::Stream`]: what is answered, and the stream behind it. `notify` is called when
    /// there are bytes after there were none.
    ///
    /// # Errors
    /// Fails with the reason if it is refused.
    fn stream(
        &self,
        request: <Self::Messages as Messages>::Request,
        notify: Box<dyn Fn() + Send + Sync>,
    ) -> Result<Begun<<Self::Messages as Messages>::Answer>, Refusal>;
}

/// The requests that something answers.
type RequestOf<A> = <<A as Answers>::Messages as Messages>::Request;

/// A control socket that is being served. Dropping it ends the thread and removes the socket's file.
pub struct Server {
    wake: Arc<OwnedFd>,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// Serves a control socket on a thread of its own.
///
/// # Errors
/// Fails if the system has no descriptors or threads left.
pub fn serve<A: Answers>(file: SocketFile, answers: A) -> Result<Server, Failure> {
    let cannot = |error: io::Error| Failure::plain(format!("the control socket cannot be served: {error}"));
    let wake = eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC).map_err(|error| cannot(error.into()))?;
    let (wake, is_over) = (Arc::new(wake), Arc::new(AtomicBool::new(false)));
    let service = Service {
        file,
        answers,
        wake: Arc::clone(&wake),
        is_over: Arc::clone(&is_over),
        clients: Vec::new(),
        waiting: Arc::new(AtomicUsize::new(0)),
        threads: Arc::new(AtomicUsize::new(0)),
    };
    let thread = std::thread::Builder::new().name("control socket".to_owned()).spawn(move || service.run());
    Ok(Server { wake, is_over, thread: Some(thread.map_err(cannot)?) })
}

impl Drop for Server {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Release);
        wake(&self.wake);
        if let Some(thread) = self.thread.take() {
            // If it panicked, its message has been printed.
            let _ = thread.join();
        }
    }
}

/// Ends the sleep of the thread that waits for a descriptor of events.
fn wake(descriptor: &OwnedFd) {
    // This fails only if the thread has not slept since 2^64 - 2 calls.
    let _ = rustix::io::write(descriptor, &1u64.to_ne_bytes());
}

struct Service<A: Answers> {
    file: SocketFile,
    answers: A,
    wake: Arc<OwnedFd>,
    is_over: Arc<AtomicBool>,
    clients: Vec<Connection<A::Messages>>,
    /// The number of threads that wait for packets, and that of others that ask what takes long.
    waiting: Arc<AtomicUsize>,
    threads: Arc<AtomicUsize>,
}

impl<A: Answers> Service<A> {
    fn run(mut self) {
        let mut end: Option<Instant> = None;
        loop {
            if self.is_over.load(Ordering::Acquire) {
                let end = *end.get_or_insert_with(|| Instant::now() + LONGEST_END);
                self.clients.retain(Connection::is_owed);
                if self.clients.is_empty() || Instant::now() >= end {
                    return;
                }
            }
            let Ok((is_asked, ready)) = self.sleep(end) else { return };
            let _ = rustix::io::read(&self.wake, &mut [0; 8]);
            for (number, flags) in ready.iter().enumerate().rev() {
                let client = &mut self.clients[number];
                let is_broken = flags.contains(PollFlags::ERR)
                    || (flags.intersects(PollFlags::IN | PollFlags::HUP) && !client.read());
                if is_broken {
                    self.clients.swap_remove(number);
                }
            }
            if is_asked {
                self.make_room();
            }
            self.accept();
            let mut number = 0;
            while number < self.clients.len() {
                if self.attend(number) {
                    number += 1;
                } else {
                    self.clients.swap_remove(number);
                }
            }
        }
    }

    /// Waits until a client has sent something, takes something, or is owed something, or somebody connects for whom there is room or can be
    /// made. Returns whether that is so, and for each client what has happened. `end` is when it sleeps no longer.
    fn sleep(&self, end: Option<Instant>) -> io::Result<(bool, Vec<PollFlags>)> {
        let now = Instant::now();
        let room = if self.clients.len() < MOST_CLIENTS {
            Some(now)
        } else {
            self.clients.iter().filter_map(Connection::idle_since).min().map(|since| since + LEAST_IDLE)
        };
        let has_room = end.is_none() && room.is_some_and(|at| at <= now);
        let listens = if has_room { PollFlags::IN } else { PollFlags::empty() };
        let mut descriptors = vec![
            PollFd::from_borrowed_fd(self.wake.as_fd(), PollFlags::IN),
            PollFd::from_borrowed_fd(self.file.listener.as_fd(), listens),
        ];
        descriptors.extend(self.clients.iter().map(|client| {
            let mut wanted = PollFlags::empty();
            wanted.set(PollFlags::IN, client.wants_input());
            wanted.set(PollFlags::OUT, client.wants_output());
            PollFd::from_borrowed_fd(client.stream().as_fd(), wanted)
        }));
        let end = end.or(room.filter(|_| !has_room));
        let left = end.map(|end| end.saturating_duration_since(Instant::now()));
        let left = left.and_then(|left| Timespec::try_from(left).ok());
        match poll(&mut descriptors, left.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let is_asked = descriptors[1].revents().contains(PollFlags::IN);
        Ok((is_asked, descriptors[2..].iter().map(PollFd::revents).collect()))
    }

    /// Closes the connection of the client that has been idle for longest, if there is no room for another one.
    fn make_room(&mut self) {
        if self.clients.len() < MOST_CLIENTS {
            return;
        }
        let idle = self.clients.iter().enumerate().filter_map(|(number, client)| Some((client.idle_since()?, number)));
        let oldest = idle.min().filter(|(since, _)| since.elapsed() >= LEAST_IDLE);
        if let Some((_, number)) = oldest {
            self.clients.swap_remove(number);
        }
    }

    fn accept(&mut self) {
        while self.clients.len() < MOST_CLIENTS {
            match self.file.listener.accept() {
                Ok((stream, _)) => {
                    if let Ok(connection) = Connection::new(stream) {
                        self.clients.push(connection);
                    }
                }
                // A client that has gone before it was accepted concerns nobody.
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::ConnectionAborted) => {
                    return;
                }
                // Descriptors have run out, and the client still waits: asking at once would take a core.
                Err(_) => return std::thread::sleep(crate::PAUSE),
            }
        }
    }

    /// Carries out one request of a client, so that others have their turn. Returns false if the connection is over.
    fn attend(&mut self, number: usize) -> bool {
        self.clients[number].proceed();
        if let Some(request) = self.clients[number].next_request() {
            self.carry_out(number, request);
            // The next request, if it is there already, is carried out in the next round.
            wake(&self.wake);
        }
        let client = &mut self.clients[number];
        client.proceed();
        client.write() && !client.is_done()
    }

    fn carry_out(&mut self, number: usize, request: RequestOf<A>) {
        let done = match self.answers.manner(&request) {
            Manner::Stream => self.begin_stream(number, request),
            Manner::Aside { waits_for_packet, what } => {
                self.ask_aside(request, waits_for_packet, what).map(|busy| self.clients[number].busy = busy)
            }
            Manner::AtOnce => {
                let answered = self.answers.answer(request, &Cancel::default());
                answered.map(|answer| self.clients[number].answer(&Answered::Ok { ok: answer }))
            }
        };
        if let Err(refusal) = done {
            self.clients[number].answer(&Answered::Refused(refusal));
        }
    }

    /// Begins a stream for a client.
    fn begin_stream(&mut self, number: usize, request: RequestOf<A>) -> Result<(), Refusal> {
        if self.clients.iter().filter(|client| client.has_stream()).count() >= MOST_STREAMS {
            return Err(Refusal::busy(format!("{MOST_STREAMS} clients listen to events or captures already\n")));
        }
        let descriptor = Arc::clone(&self.wake);
        let (answer, stream) = self.answers.stream(request, Box::new(move || wake(&descriptor)))?;
        let client = &mut self.clients[number];
        client.answer(&Answered::Ok { ok: answer });
        client.busy = Busy::Stream(stream);
        Ok(())
    }

    /// Asks something that takes long on a thread of its own.
    fn ask_aside(
        &self,
        request: RequestOf<A>,
        waits_for_packet: bool,
        what: &str,
    ) -> Result<Busy<A::Messages>, Refusal> {
        let threads = if waits_for_packet { &self.waiting } else { &self.threads };
        if threads.load(Ordering::Acquire) >= MOST_THREADS {
            return Err(Refusal::busy(format!("{MOST_THREADS} {what} already\n")));
        }
        let cancel = Cancel::default();
        let (sender, answer) = mpsc::sync_channel(1);
        let (answers, own, descriptor) = (self.answers.clone(), Arc::clone(threads), Arc::clone(&self.wake));
        let given_up = cancel.clone();
        threads.fetch_add(1, Ordering::AcqRel);
        let asked = std::thread::Builder::new().name("request".to_owned()).spawn(move || {
            let answered = answers.answer(request, &given_up);
            // Whoever has gone away wants no answer.
            let _ = sender.send(answered.into());
            own.fetch_sub(1, Ordering::AcqRel);
            wake(&descriptor);
        });
        match asked {
            Ok(_) => Ok(Busy::Answer { answer, cancel, waits_for_packet }),
            Err(error) => {
                threads.fetch_sub(1, Ordering::AcqRel);
                Err(Refusal::busy(format!("no thread can be started: {error}\n")))
            }
        }
    }
}
