//! The socket by which a front end and the switch meet. One of them listens and the other connects, and either may be the switch (QEMU,
//! docs/interop/vhost-user.rst, "Vhost-user Protocol").

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};

/// The time between two attempts to connect, from the first that fails to the last; it doubles from one to the next.
const SHORTEST_WAIT: Duration = Duration::from_millis(10);
const LONGEST_WAIT: Duration = Duration::from_secs(1);

const NO_SOCKET: &str = "no front end of a guest can listen there: the file is no socket of streams";

/// A way to front ends, of which one is connected at a time.
pub enum Socket {
    /// The switch listens.
    Listening(Listening),
    /// A front end listens.
    Connecting(Connecting),
}

/// The outcome of waiting for a front end.
pub enum Meeting {
    /// A front end is connected.
    Connected(UnixStream),
    /// There is none yet.
    NotYet,
    /// There is none, and what keeps it away does not end by itself.
    Prevented(&'static str),
}

impl Socket {
    /// Waits for a front end until `wake` is readable, or for some time.
    pub fn meet(&mut self, wake: &OwnedFd) -> Meeting {
        match self {
            Self::Listening(listening) => listening.meet(wake),
            Self::Connecting(connecting) => connecting.meet(wake),
        }
    }

    /// Tells that a front end was connected that spoke, and has gone: the next one is expected soon.
    pub fn has_served(&mut self) {
        if let Self::Connecting(connecting) = self {
            connecting.wait = SHORTEST_WAIT;
        }
    }
}

/// Waits until one of some descriptors is readable, or a time is over.
fn wait_for(waited: &mut [PollFd<'_>], longest: Option<Duration>) {
    let longest = longest.map(|longest| Timespec::try_from(longest).expect("times here are short"));
    // An interrupted wait is one that looks again.
    let _ = poll(waited, longest.as_ref());
}

/// A socket on which front ends connect. Its file vanishes when this is dropped.
pub struct Listening {
    listener: UnixListener,
    path: PathBuf,
    /// The number of the socket's file, by which it is told from one that another process has put in its place.
    inode: u64,
}

impl Listening {
    /// Makes the socket at a path, where there may be one that its owner has left.
    pub fn bind(path: &Path) -> io::Result<Self> {
        if is_abandoned(path) {
            std::fs::remove_file(path)?;
        }
        let listener = UnixListener::bind(path)?;
        listener.set_nonblocking(true)?;
        let inode = std::fs::symlink_metadata(path)?.ino();
        Ok(Self { listener, path: path.to_owned(), inode })
    }

    fn meet(&self, wake: &OwnedFd) -> Meeting {
        match self.listener.accept() {
            Ok((stream, _)) => return Meeting::Connected(stream),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                let waited = &mut [PollFd::new(&self.listener, PollFlags::IN), PollFd::new(wake, PollFlags::IN)];
                wait_for(waited, None);
            }
            // Descriptors ran out, or a front end went before it was accepted.
            Err(_) => wait_for(&mut [PollFd::new(wake, PollFlags::IN)], Some(Duration::from_millis(100))),
        }
        Meeting::NotYet
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        if std::fs::symlink_metadata(&self.path).is_ok_and(|file| file.ino() == self.inode) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// The path of a socket on which a front end listens, now or some time later.
pub struct Connecting {
    path: PathBuf,
    /// The time before the next attempt.
    wait: Duration,
}

impl Connecting {
    /// Names the socket, of which there need not be a file yet.
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), wait: Duration::ZERO }
    }

    fn meet(&mut self, wake: &OwnedFd) -> Meeting {
        if !self.wait.is_zero() {
            wait_for(&mut [PollFd::new(wake, PollFlags::IN)], Some(self.wait));
        }
        self.wait = (self.wait * 2).clamp(SHORTEST_WAIT, LONGEST_WAIT);
        match self.connect() {
            Ok(stream) => Meeting::Connected(stream),
            Err(Errno::CONNREFUSED) if !is_socket(&self.path) => Meeting::Prevented(NO_SOCKET),
            Err(Errno::PROTOTYPE) => Meeting::Prevented(NO_SOCKET),
            // Nobody listens yet, or the front end has as many connections waiting as it takes.
            Err(Errno::NOENT | Errno::CONNREFUSED | Errno::AGAIN) => Meeting::NotYet,
            Err(Errno::ACCESS) => Meeting::Prevented("the socket of the guest's front end may not be written"),
            Err(_) => Meeting::Prevented("the socket of the guest's front end cannot be used"),
        }
    }

    /// Connects without waiting: a front end accepts when it likes, and this interface must be able to end meanwhile.
    fn connect(&self) -> rustix::io::Result<UnixStream> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
        connect(&socket, &SocketAddrUnix::new(&self.path)?)?;
        Ok(socket.into())
    }
}

/// Returns true if a path is that of a socket on which nobody listens any more.
pub fn is_abandoned(path: &Path) -> bool {
    let is_socket = std::fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_socket());
    is_socket && UnixStream::connect(path).is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
}

/// Returns true if a path leads to a socket.
pub fn is_socket(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|file| file.file_type().is_socket())
}
