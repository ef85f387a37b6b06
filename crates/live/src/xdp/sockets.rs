//! The sockets of all queues of an interface, and the program in front of them.

use std::io;

use rustix::io::Errno;
use rustix::net::xdp::SocketAddrXdpFlags;

use super::program::{MOST_QUEUES, Mode, Program};
use super::queue::Queue;
use crate::FrameProgram;
use crate::packet_socket::Promiscuous;

/// Everything that is bound to the interface. Without the program no frame comes to the sockets.
pub struct Sockets {
    _program: Program,
    pub queues: Vec<Queue>,
    /// Whether a frame may have several chunks.
    pub takes_long: bool,
    _promiscuous: Promiscuous,
}

impl Sockets {
    /// Opens sockets on the interface of a number, in the network namespace of this thread, behind a program that looks at each
    /// frame, if there is one. `longest` is the length of its longest frame.
    ///
    /// # Errors
    ///
    /// Returns the error of the system.
    pub fn open(
        index: u32,
        mode: Option<Mode>,
        front: Option<&FrameProgram>,
        longest: Option<u32>,
    ) -> io::Result<Self> {
        let (program, mode) = match mode {
            Some(mode) => (Program::attach(index, mode, front)?, mode),
            None => match Program::attach(index, Mode::Native, front) {
                Ok(program) => (program, Mode::Native),
                // Another program would be in the way in either mode, and so would a lack of rights.
                Err(error) if matches!(error.kind(), io::ErrorKind::ResourceBusy | io::ErrorKind::PermissionDenied) => {
                    return Err(error);
                }
                Err(_) => (Program::attach(index, Mode::Generic, front)?, Mode::Generic),
            },
        };
        let metadata = front.map_or(0, |front| front.metadata);
        let (first, flags) = open_first(index, mode, metadata, longest)?;
        let mut queues = vec![first];
        for number in 1..MOST_QUEUES {
            match Queue::open(index, number, metadata, flags) {
                Ok(queue) => queues.push(queue),
                // There are no more.
                Err(error) if error.raw_os_error() == Some(Errno::INVAL.raw_os_error()) => break,
                Err(error) => return Err(error),
            }
        }
        for (number, queue) in (0..).zip(&queues) {
            program.serve(number, queue.descriptor())?;
        }
        let takes_long = flags.contains(SocketAddrXdpFlags::XDP_USE_SG);
        Ok(Self { _program: program, queues, takes_long, _promiscuous: Promiscuous::new(index)? })
    }
}

/// Opens a socket for the first queue in the best way that kernel and driver know. Returns its flags, which are those of the
/// others.
fn open_first(
    index: u32,
    mode: Mode,
    metadata: usize,
    longest: Option<u32>,
) -> io::Result<(Queue, SocketAddrXdpFlags)> {
    use SocketAddrXdpFlags as Flags;
    let ways = [
        (Flags::XDP_ZEROCOPY | Flags::XDP_USE_SG, mode == Mode::Native),
        // Without several chunks for a frame, one must hold the longest, with room in front and behind.
        (Flags::XDP_ZEROCOPY, mode == Mode::Native && longest.is_some_and(|longest| longest <= 3500)),
        (Flags::XDP_COPY | Flags::XDP_USE_SG, true),
        // Before Linux 6.6 a frame has one chunk.
        (Flags::XDP_COPY, true),
    ];
    let mut refusal = io::ErrorKind::Unsupported.into();
    for (way, _) in ways.into_iter().filter(|(_, is_possible)| *is_possible) {
        let flags = way | Flags::XDP_USE_NEED_WAKEUP;
        match Queue::open(index, 0, metadata, flags) {
            Ok(queue) => return Ok((queue, flags)),
            Err(error) => refusal = error,
        }
    }
    Err(refusal)
}
