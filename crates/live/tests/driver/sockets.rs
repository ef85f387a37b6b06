//! Sockets instead of interfaces.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixDatagram;

use live::{Interface, Offload};
use node::{Burst, Discarded};
use wire::Packet;

/// One end of a pair of sockets that preserve frame boundaries. It has no room for a number of calls.
pub struct End {
    socket: UnixDatagram,
    pub refusals: u32,
}

pub fn pair() -> (End, UnixDatagram) {
    let (ours, theirs) = UnixDatagram::pair().unwrap();
    ours.set_nonblocking(true).unwrap();
    theirs.set_nonblocking(true).unwrap();
    (End { socket: ours, refusals: 0 }, theirs)
}

impl Interface for End {
    fn name(&self) -> &str {
        "end"
    }

    fn offload(&self) -> Offload {
        Offload::default()
    }

    fn receive(&mut self, limit: usize, into: &mut Burst, _: &mut Vec<Discarded>) -> io::Result<()> {
        let mut frame = [0; 2000];
        for _ in 0..limit {
            match self.socket.recv(&mut frame) {
                Ok(length) => into.push(Packet::of_bytes(&frame[..length])),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn send(&mut self, packets: &mut VecDeque<Packet>, sent: &mut Burst, _: &mut Vec<Discarded>) -> io::Result<()> {
        while let Some(packet) = packets.front() {
            if self.refusals > 0 {
                self.refusals -= 1;
                break;
            }
            self.socket.send(packet.head.bytes())?;
            sent.extend(packets.pop_front());
        }
        Ok(())
    }

    fn descriptor(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// Returns a frame that the driver has sent to a socket, if there is one.
pub fn received(socket: &UnixDatagram) -> Option<Vec<u8>> {
    let mut frame = [0; 2000];
    socket.recv(&mut frame).ok().map(|length| frame[..length].to_vec())
}
