//! The thread that answers front ends, one after the other.

use std::io;
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use vhost::vhost_user::message::VhostUserVirtioFeatures;
use vhost::vhost_user::{BackendReqHandler, Error, VhostUserBackendReqHandler};

use super::control::Handler;
use super::socket::{Meeting, Socket};
use super::{Shared, enabling, kicks};

/// Answers front ends until it is dropped.
pub struct BackEnd {
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

impl BackEnd {
    /// Answers the front ends of a socket on a thread.
    pub fn start(socket: Socket, shared: Arc<Shared>) -> io::Result<Self> {
        let state = State { is_over: AtomicBool::new(false), wake: kicks::event()?, connection: Mutex::new(None) };
        let state = Arc::new(state);
        let own = Arc::clone(&state);
        let serve = move || serve(socket, &shared, &own);
        let thread = std::thread::Builder::new().name("vhost-user".to_owned()).spawn(serve)?;
        Ok(Self { state, thread: Some(thread) })
    }
}

impl Drop for BackEnd {
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
    }
}

/// Answers front ends until the back-end is dropped.
fn serve(mut socket: Socket, shared: &Arc<Shared>, state: &State) {
    let mut prevented = None;
    while !state.is_over.load(Ordering::Acquire) {
        match socket.meet(&state.wake) {
            Meeting::Connected(stream) => {
                prevented = None;
                if answer(stream, shared, state) {
                    socket.has_served();
                }
            }
            Meeting::NotYet => {}
            Meeting::Prevented(why) => {
                if prevented.replace(why) != Some(why) {
                    shared.warn(why);
                }
            }
        }
    }
}

/// Answers one front end until it goes, or breaks the protocol. Returns whether it has said anything.
fn answer(stream: UnixStream, shared: &Arc<Shared>, state: &State) -> bool {
    if stream.set_nonblocking(false).is_err() {
        return false;
    }
    let (Ok(connection), Ok(waiting)) = (stream.try_clone(), stream.try_clone()) else { return false };
    *state.connection() = Some(connection);
    let device = Arc::new(Handler(Arc::clone(shared)));
    let mut handler = BackendReqHandler::from_stream(stream, Arc::clone(&device));
    let (mut outcome, mut has_spoken) = (Ok(()), false);
    // The back-end may have been dropped before it could see the connection.
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
        has_spoken |= outcome.is_ok();
    }
    *state.connection() = None;
    shared.reset();
    if !matches!(outcome, Ok(()) | Err(Error::Disconnected | Error::SocketBroken(_) | Error::PartialMessage)) {
        shared.warn("the guest's front end broke the vhost-user protocol, and was disconnected");
    }
    has_spoken
}
