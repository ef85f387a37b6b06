//! A virtual machine, reduced to what a switch sees of it: a front end that listens, and queues whose datagrams come back.

use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tempfile::TempDir;

use crate::queues::{Guest, HEADER, VERSION_1};

/// A machine that sends every UDP datagram of IPv4 back, until this is dropped.
pub struct Machine {
    folder: TempDir,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Machine {
    pub fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let listener = UnixListener::bind(folder.path().join("front-end")).expect("a socket can be made");
        listener.set_nonblocking(true).expect("a socket can be set");
        let is_over = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&is_over);
        let thread = std::thread::spawn(move || {
            while !over.load(Ordering::Acquire) {
                match listener.accept() {
                    Ok((stream, _)) => serve(stream, &over),
                    Err(_) => wait_for(&mut [PollFd::new(&listener, PollFlags::IN)]),
                }
            }
        });
        Self { folder, is_over, thread: Some(thread) }
    }

    /// Returns the path of the socket on which it listens.
    pub fn socket(&self) -> PathBuf {
        self.folder.path().join("front-end")
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Release);
        let ended = self.thread.take().map(JoinHandle::join);
        assert!(ended.is_none_or(|ended| ended.is_ok()) || std::thread::panicking(), "the machine has failed");
    }
}

/// Waits until a descriptor is readable, or a millisecond.
fn wait_for(waited: &mut [PollFd<'_>]) {
    let longest = Timespec { tv_sec: 0, tv_nsec: 1_000_000 };
    poll(waited, Some(&longest)).expect("poll works");
}

/// Sends datagrams back that come from one switch, until it has gone.
fn serve(stream: UnixStream, is_over: &AtomicBool) {
    stream.set_nonblocking(false).expect("a socket can be set");
    let connection = stream.try_clone().expect("a descriptor is left");
    let mut guest = Guest::start_over(stream, VERSION_1);
    guest.offer_buffers(32, 2048);
    while !is_over.load(Ordering::Acquire) {
        // After its answers, a switch says nothing but that it has gone.
        let has_gone = &mut [PollFd::new(&connection, PollFlags::IN)];
        wait_for(has_gone);
        if !has_gone[0].revents().is_empty() {
            return;
        }
        let frames = guest.received();
        guest.offer_buffers(frames.len() as u16, 2048);
        for frame in frames.iter().filter_map(|(bytes, _)| returned(&bytes[HEADER..])) {
            guest.transmit([0; HEADER], &[&frame]);
        }
    }
}

/// Returns the frame that sends a datagram back: with addresses and ports swapped, the checksums are as they were.
fn returned(frame: &[u8]) -> Option<Vec<u8>> {
    let is_datagram = frame.get(12..15) == Some(&[0x08, 0x00, 0x45]) && frame.get(23) == Some(&17);
    let swapped = |at: usize, length: usize| [&frame[at + length..at + 2 * length], &frame[at..at + length]].concat();
    is_datagram.then(|| [&swapped(0, 6), &frame[12..26], &swapped(26, 4), &swapped(34, 2), &frame[38..]].concat())
}
