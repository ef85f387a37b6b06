//! What the errors of system calls mean for packets.

use std::io;

use node::Reason;
use rustix::io::Errno;

use crate::reasons;

/// What it means that the system did not take a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is no room for now, or the call was interrupted.
    NoRoom,
    /// The system has thrown it away: a queue was full, or what is behind the interface takes none so long.
    ThrownAway,
    /// The packet will never be taken, for a reason.
    Never(Reason),
    /// The interface itself has failed.
    Failed,
}

/// The errors that say nothing of the frame: the descriptor is not what it was taken for, or sending is not allowed.
const FAILURES: [Errno; 6] = [Errno::BADF, Errno::NOTSOCK, Errno::NOTCONN, Errno::PIPE, Errno::ACCESS, Errno::PERM];

/// Returns what the error of a call that sends means for the packet.
pub fn refusal(error: &io::Error) -> Refusal {
    match error {
        error if waits(error) => Refusal::NoRoom,
        error if is(error, Errno::NOBUFS) => Refusal::ThrownAway,
        error if is_down(error) => Refusal::Never(reasons::INTERFACE_DOWN),
        error if is(error, Errno::MSGSIZE) => Refusal::Never(reasons::TOO_LONG),
        error if is(error, Errno::FAULT) => Refusal::Never(reasons::BAD_DESCRIPTOR),
        error if FAILURES.iter().any(|failure| is(error, *failure)) => Refusal::Failed,
        // The kernel refuses a frame that is shorter than an Ethernet header, or whose virtio header does not fit its
        // bytes (EINVAL), or that cannot be cut (ENOMEM). Whatever else it says of a frame, others may pass.
        _ => Refusal::Never(Reason::MALFORMED),
    }
}

/// Returns true if an operation would only have to wait.
pub fn waits(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

/// Returns true if the interface is down or gone for now. TAP interfaces say so by EIO and EBADFD.
pub fn is_down(error: &io::Error) -> bool {
    [Errno::NETDOWN, Errno::NXIO, Errno::NODEV, Errno::IO, Errno::BADFD].iter().any(|down| is(error, *down))
}

/// Returns true if an error of a call that receives is about one frame, which is gone: the kernel has no virtio header for it, or it does not fit.
pub fn is_of_one_frame(error: &io::Error) -> bool {
    [Errno::INVAL, Errno::MSGSIZE].iter().any(|of_frame| is(error, *of_frame))
}

fn is(error: &io::Error, number: Errno) -> bool {
    error.raw_os_error() == Some(number.raw_os_error())
}
