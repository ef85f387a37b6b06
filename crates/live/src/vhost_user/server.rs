//! The socket on which front ends connect, one after the other, and the thread that answers them.

use std::io;
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use rustix::event::{PollFd, PollFlags, poll};
use vhost::vhost_user::message::VhostUserVirtioFeatures;
use vhost::vhost_user::{BackendReqHandler, Error, VhostUserBackendReqHandler};

use super::control::Handler;
use super::{Shared, enabling, kicks};

/// A socket on which front ends connect. It vanishes when this is dropped.
pub struct Server {
    path: PathBuf,
    /// The number of the socket's file, by which it is told from one that another process has put in its place.
    inode: u64,
    state: Arc<State>,
    thread: Option<JoinHandle<()>>,
}

struct State {
    is_over: AtomicBool,
    wake: OwnedFd,
    /// The front end that is connected.
    connection: Mutex<Option<UnixStream>>,
}

impl State {
    fn connection(&self) -> std::sync::MutexGuard<'_, Option<UnixStream>> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Server {
    /// Makes the socket, and answers front ends on a thread.
    pub fn start(path: &Path, shared: Arc<Shared>) -> io::Result<Self> {
        if is_abandoned(path) {
            std::fs::remove_file(path)?;
        }
        let listener = UnixListener::bind(path)?;
        listener.set_nonblocking(true)?;
        let inode = std::fs::symlink_metadata(path)?.ino();
        let state = State { is_over: AtomicBool::new(false), wake: kicks::event()?, connection: Mutex::new(None) };
        let state = Arc::new(state);
        let own = Arc::clone(&state);
        let serve = move || serve(&listener, &shared, &own);
        let thread = std::thread::Builder::new().name("vhost-user".to_owned()).spawn(serve)?;
        Ok(Self { path: path.to_owned(), inode, state, thread: Some(thread) })
    }
}

/// Returns true if a path is that of a socket on which nobody listens any more.
pub fn is_abandoned(path: &Path) -> bool {
    let is_socket = std::fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_socket());
    is_socket && UnixStream::connect(path).is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
}

impl Drop for Server {
    fn drop(&mut self) {
        self.state.is_over.store(true, Ordering::Release);
        kicks::signal(&self.state.wake);
        if let Some(connection) = &*self.state.connection() {
            // A front end that has gone needs no end of its connection.
            let _ = connection.shutdown(Shutdown::Both);
        }
        if let Some(thread) = self.thread.take() {
            // Its panic has been reported by the hook, and there is nobody to pass it on to.
            let _ = thread.join();
        }
        if std::fs::symlink_metadata(&self.path).is_ok_and(|file| file.ino() == self.inode) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Answers front ends until the server is dropped.
fn serve(listener: &UnixListener, shared: &Arc<Shared>, state: &State) {
    while !state.is_over.load(Ordering::Acquire) {
        match listener.accept() {
            Ok((stream, _)) => answer(stream, shared, state),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                let mut waited = [PollFd::new(listener, PollFlags::IN), PollFd::new(&state.wake, PollFlags::IN)];
                // An interrupted wait is one that looks again.
                let _ = poll(&mut waited, None);
            }
            // Descriptors ran out, or a front end went before it was accepted.
            Err(_) => std::thread::sleep(std::time::Duration::from_millis(100)),
        }
    }
}

/// Answers one front end until it goes, or breaks the protocol.
fn answer(stream: UnixStream, shared: &Arc<Shared>, state: &State) {
    if stream.set_nonblocking(false).is_err() {
        return;
    }
    let (Ok(connection), Ok(waiting)) = (stream.try_clone(), stream.try_clone()) else { return };
    *state.connection() = Some(connection);
    let device = Arc::new(Handler(Arc::clone(shared)));
    let mut handler = BackendReqHandler::from_stream(stream, Arc::clone(&device));
    let mut outcome = Ok(());
    // The server may have been dropped before it could see the connection.
    while outcome.is_ok() && !state.is_over.load(Ordering::Acquire) {
        let message = enabling::next(&waiting);
        outcome = match (handler.handle_request(), message) {
            (Err(Error::InactiveFeature(VhostUserVirtioFeatures::PROTOCOL_FEATURES)), Some(message)) => {
                let enabled = device.set_vring_enable(message.queue, message.is_enabled);
                if message.wants_answer {
                    enabling::answer(&waiting, enabled.is_ok());
                }
                enabled
            }
            (other, _) => other,
        };
    }
    *state.connection() = None;
    shared.reset();
    if !matches!(outcome, Ok(()) | Err(Error::Disconnected | Error::SocketBroken(_) | Error::PartialMessage)) {
        shared.warn("the guest's front end broke the vhost-user protocol, and was disconnected");
    }
}
