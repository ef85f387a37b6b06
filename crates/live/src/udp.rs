//! UDP sockets: each datagram is an Ethernet frame, so that ports of two computers, or of two processes, are connected by
//! a network that knows nothing of it.

use std::collections::VecDeque;
use std::io::{self, IoSlice, IoSliceMut};
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd};

use node::{Burst, Discarded};
use rustix::io::Errno;
use wire::Packet;

use crate::{Interface, Offload, frames, virtio};

/// The longest datagram of UDP above IPv4: 65,535 bytes without both headers.
const LONGEST: u32 = 65_507;

/// A UDP socket that is connected to one remote socket.
pub struct Udp {
    name: String,
    socket: UdpSocket,
    receiver: frames::Receiver,
}

impl Udp {
    /// Opens a socket from two addresses with ports, `LOCAL,REMOTE`, in the network namespace of this thread. Nobody needs
    /// to be at the other end yet.
    ///
    /// # Errors
    ///
    /// Returns that the text is not of that form, or the error of the system: the local address is not of this computer or
    /// taken.
    pub fn open(addresses: &str) -> io::Result<Self> {
        let form = || {
            let text = format!("`{addresses}` is not of the form LOCAL,REMOTE, such as 10.0.0.1:4000,10.0.0.2:4000");
            io::Error::new(io::ErrorKind::InvalidInput, text)
        };
        let (local, remote) = addresses.split_once(',').ok_or_else(form)?;
        let parsed = |text: &str| text.trim().parse::<SocketAddr>().map_err(|_| form());
        let socket = UdpSocket::bind(parsed(local)?)?;
        socket.connect(parsed(remote)?)?;
        socket.set_nonblocking(true)?;
        Ok(Self { name: format!("udp:{addresses}"), socket, receiver: frames::Receiver::new() })
    }

    /// Returns the local address.
    ///
    /// # Errors
    ///
    /// Returns the error of the system.
    pub fn local_address(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }
}

/// Calls again if nobody was at the other end when an earlier datagram arrived there: the call told only of that.
fn past_refusals(mut call: impl FnMut() -> rustix::io::Result<usize>) -> io::Result<usize> {
    match call() {
        Err(Errno::CONNREFUSED) => Ok(call()?),
        result => Ok(result?),
    }
}

impl Interface for Udp {
    fn name(&self) -> &str {
        &self.name
    }

    fn offload(&self) -> Offload {
        Offload::default()
    }

    fn longest_frame(&self) -> Option<u32> {
        Some(LONGEST)
    }

    fn receive(&mut self, limit: usize, into: &mut Burst, discarded: &mut Vec<Discarded>) -> io::Result<()> {
        // There is no header; the one that was not filled says nothing.
        let read = |parts: &mut [IoSliceMut<'_>]| {
            past_refusals(|| rustix::io::readv(&self.socket, &mut parts[1..])).map(|read| (virtio::LENGTH + read, ()))
        };
        self.receiver.receive_burst(limit, (into, discarded), read, |_, ()| ())
    }

    fn send(
        &mut self,
        packets: &mut VecDeque<Packet>,
        sent: &mut Burst,
        discarded: &mut Vec<Discarded>,
    ) -> io::Result<()> {
        let write = |parts: &[IoSlice<'_>]| past_refusals(|| rustix::io::writev(&self.socket, &parts[1..]));
        frames::send(packets, (sent, discarded), write)
    }

    fn descriptor(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reasons;

    /// Returns two sockets that are connected with each other.
    fn pair() -> [Udp; 2] {
        let free = || UdpSocket::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a free port");
        let [first, second] = [free(), free()];
        [(first, second), (second, first)]
            .map(|(local, remote)| Udp::open(&format!("{local},{remote}")).expect("the ports are free"))
    }

    fn receive(socket: &mut Udp, count: usize) -> (Burst, Vec<Discarded>) {
        let (mut burst, mut discarded) = (Burst::new(), Vec::new());
        while burst.len() + discarded.len() < count {
            socket.receive(64, &mut burst, &mut discarded).expect("the socket is open");
        }
        (burst, discarded)
    }

    #[test]
    fn frames_of_all_lengths_cross() {
        let [mut left, mut right] = pair();
        let lengths = [14, 60, 128, 129, 1514, 9014, LONGEST as usize];
        let packets = lengths.map(|length| Packet::of_bytes(&(0..length).map(|at| at as u8).collect::<Vec<_>>()));
        let mut waiting: VecDeque<_> = packets.clone().into();
        let (mut sent, mut discarded) = (Burst::new(), Vec::new());
        left.send(&mut waiting, &mut sent, &mut discarded).expect("the socket is open");
        assert_eq!((sent.len(), waiting.len(), discarded.len()), (lengths.len(), 0, 0));
        let (burst, _) = receive(&mut right, lengths.len());
        let bytes = |packet: &Packet| {
            let mut bytes = Vec::new();
            packet.append_to(&mut bytes);
            bytes
        };
        assert!(burst.iter().map(bytes).eq(packets.iter().map(bytes)));
    }

    #[test]
    fn datagrams_that_are_no_frames_are_discarded_with_the_reason() {
        let [mut left, mut right] = pair();
        let mut packets = [vec![0; 13], vec![0; LONGEST as usize + 1]].map(|bytes| Packet::of_bytes(&bytes)).into();
        let (mut sent, mut discarded) = (Burst::new(), Vec::new());
        left.send(&mut packets, &mut sent, &mut discarded).expect("the socket is open");
        assert_eq!((sent.len(), discarded.len(), discarded[0].reason), (1, 1, reasons::TOO_LONG));
        let (burst, discarded) = receive(&mut right, 1);
        assert_eq!((burst.len(), discarded[0].reason), (0, reasons::TOO_SHORT));
    }

    #[test]
    fn nobody_at_the_other_end_does_no_harm() {
        let [mut left, right] = pair();
        drop(right);
        for _ in 0..3 {
            let (mut sent, mut discarded) = (Burst::new(), Vec::new());
            let mut packets = [Packet::of_bytes(&[0; 60])].into();
            left.send(&mut packets, &mut sent, &mut discarded).expect("the socket is open");
            assert_eq!(sent.len() + discarded.len(), 1);
            left.receive(64, &mut Burst::new(), &mut Vec::new()).expect("the socket is open");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "10.0.0.1:4000", "here:1,there:2", "127.0.0.1:0,127.0.0.1"] {
            let error = Udp::open(text).err().expect("it is no pair of addresses");
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{text}");
        }
    }
}
