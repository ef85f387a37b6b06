//! UDP sockets: each datagram is an Ethernet frame, so that ports of two computers, or of two processes, are connected by
//! a network that knows nothing of it.
//!
//! Frames of one length that follow each other go out with one call, which the kernel cuts into datagrams as late as it
//! can (UDP_SEGMENT), and come in with one where the kernel has put datagrams together (UDP_GRO).

mod system;

use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd};

use node::{Burst, Discarded};
use rustix::io::Errno;
use wire::{Lender, Packet, SharedBytes, Sidecar, Tail};

use crate::frames::{self, ETHERNET, HEAD, Refusal};
use crate::{Interface, Offload, reasons};
use system::MOST_TOGETHER;

/// The longest datagram of UDP above IPv4: 65,535 bytes without both headers.
const LONGEST: usize = 65_507;
/// The length in bytes of the buffers that are received into: the longest datagram above IPv6, and one byte more, by
/// which a datagram is known to be too long.
const ROOM: usize = 65_528;
/// The number of buffers that can be lent at once; beyond it payload is copied.
const BUFFERS: usize = 256;

/// A UDP socket that is connected to one remote socket.
pub struct Udp {
    name: String,
    socket: UdpSocket,
    lender: Lender,
    /// Where datagrams are received when all buffers are lent.
    spare: Vec<u8>,
    /// Frames beyond those that were asked for, which came with the last call. The error is why one is none.
    ahead: VecDeque<Result<Packet, Discarded>>,
    /// The length in bytes from which on the kernel refuses to cut datagrams.
    refused_length: usize,
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
        let (local, remote) = self::addresses(addresses)?;
        let socket = UdpSocket::bind(local)?;
        socket.connect(remote)?;
        socket.set_nonblocking(true)?;
        system::prepare(&socket);
        Ok(Self {
            name: format!("udp:{addresses}"),
            socket,
            lender: Lender::new(BUFFERS, ROOM),
            spare: vec![0; ROOM],
            ahead: VecDeque::new(),
            refused_length: usize::MAX,
        })
    }

    /// Returns the local address.
    ///
    /// # Errors
    ///
    /// Returns the error of the system.
    pub fn local_address(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Returns how many packets from the front of a list can be sent by one call: as many as have the length of the first,
    /// and one that is shorter.
    fn together(&self, packets: &VecDeque<Packet>) -> usize {
        let Some(length) = packets.front().map(|first| first.len()).filter(|length| *length < self.refused_length)
        else {
            return 1;
        };
        // A datagram without bytes cannot be cut from others.
        let most = LONGEST.checked_div(length).unwrap_or(1).clamp(1, MOST_TOGETHER);
        let same = packets.iter().take(most).take_while(|packet| packet.len() == length).count();
        let is_last = |packet: &Packet| (1..length).contains(&packet.len());
        same + usize::from(same < most && packets.get(same).is_some_and(is_last))
    }

    /// Receives datagrams by one call, and appends a frame for each to those that came ahead.
    fn receive_once(&mut self) -> io::Result<()> {
        let buffer = self.lender.buffer();
        let is_lent = buffer.is_some();
        let buffer = buffer.unwrap_or(&mut self.spare);
        let (length, each) = past_refusals(|| system::receive(&self.socket, buffer))?;
        // The frames are taken out of the buffer before it is lent, or copied.
        let first = self.ahead.len();
        let mut rest = &buffer[..length];
        loop {
            let (frame, others) = rest.split_at(each.min(rest.len()));
            self.ahead.push_back(frame_of(frame));
            rest = others;
            if rest.is_empty() {
                break;
            }
        }
        if each > HEAD {
            let bytes = if is_lent { self.lender.lend(length) } else { self.lender.copy(&self.spare[..length]) };
            let frames = self.ahead.iter_mut().skip(first).enumerate();
            frames.for_each(|(number, frame)| lend(frame, &bytes, number * each));
        }
        Ok(())
    }
}

/// Returns a frame with the head that its bytes have, and a tail of the length that is still to be lent.
fn frame_of(bytes: &[u8]) -> Result<Packet, Discarded> {
    let (head, tail) = bytes.split_at(bytes.len().min(HEAD));
    // The length of a datagram is far below 4 GB.
    let sidecar = Sidecar { original_length: bytes.len() as u32, ..Sidecar::default() };
    let packet = Packet::new(head, Tail::Length(tail.len() as u32), sidecar);
    match bytes.len() {
        ROOM.. => Err(Discarded::new(packet, reasons::TOO_LONG)),
        0..ETHERNET => Err(Discarded::new(packet, reasons::TOO_SHORT)),
        _ => Ok(packet),
    }
}

/// Gives a frame, which begins somewhere in `bytes`, its tail.
fn lend(frame: &mut Result<Packet, Discarded>, bytes: &SharedBytes, start: usize) {
    let (Ok(packet) | Err(Discarded { packet, .. })) = frame;
    let length = packet.tail.len();
    if length > 0 {
        packet.tail = Tail::Bytes(bytes.part(start + HEAD..start + HEAD + length));
    }
}

/// Returns the local and the remote address of `LOCAL,REMOTE`.
///
/// # Errors
///
/// Returns that the text is not of that form.
pub(crate) fn addresses(text: &str) -> io::Result<(SocketAddr, SocketAddr)> {
    let form = || {
        let text = format!("`{text}` is not of the form LOCAL,REMOTE, such as 10.0.0.1:4000,10.0.0.2:4000");
        io::Error::new(io::ErrorKind::InvalidInput, text)
    };
    let (local, remote) = text.split_once(',').ok_or_else(form)?;
    let parsed = |text: &str| text.trim().parse::<SocketAddr>().map_err(|_| form());
    Ok((parsed(local)?, parsed(remote)?))
}

/// Calls again if nobody was at the other end when an earlier datagram arrived there: the call told only of that.
fn past_refusals<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    match call() {
        Err(error) if error.raw_os_error() == Some(Errno::CONNREFUSED.raw_os_error()) => call(),
        result => result,
    }
}

/// Returns true if the kernel refuses to cut datagrams: they are too long for the link (before version 6.14 as well as
/// since), or the link's interface computes no checksums.
fn is_refused_together(error: &io::Error) -> bool {
    let refusals = [Errno::INVAL, Errno::MSGSIZE, Errno::IO, Errno::OPNOTSUPP, Errno::NOPROTOOPT];
    refusals.iter().any(|refusal| error.raw_os_error() == Some(refusal.raw_os_error()))
}

impl Interface for Udp {
    fn name(&self) -> &str {
        &self.name
    }

    fn offload(&self) -> Offload {
        Offload::default()
    }

    fn longest_frame(&self) -> Option<u32> {
        Some(LONGEST as u32)
    }

    fn receive(&mut self, limit: usize, into: &mut Burst, discarded: &mut Vec<Discarded>) -> io::Result<()> {
        self.lender.rewind();
        for _ in 0..limit {
            if self.ahead.is_empty() {
                match self.receive_once() {
                    Ok(()) => {}
                    Err(error) if frames::waits(&error) || frames::is_down(&error) => break,
                    Err(error) => return Err(error),
                }
            }
            match self.ahead.pop_front() {
                Some(Ok(packet)) => into.push(packet),
                Some(Err(none)) => discarded.push(none),
                None => break,
            }
        }
        Ok(())
    }

    fn send(
        &mut self,
        packets: &mut VecDeque<Packet>,
        sent: &mut Burst,
        discarded: &mut Vec<Discarded>,
    ) -> io::Result<()> {
        while let Some(first) = packets.front() {
            let length = first.len();
            if length > LONGEST {
                discarded.extend(packets.pop_front().map(|packet| Discarded::new(packet, reasons::TOO_LONG)));
                continue;
            }
            let count = self.together(packets);
            let mut parts = [IoSlice::new(&[]); 2 * MOST_TOGETHER];
            for (pair, packet) in parts.chunks_exact_mut(2).zip(packets.iter().take(count)) {
                let tail = frames::known_tail(packet).expect("a packet of at most 65,507 bytes");
                pair.copy_from_slice(&[IoSlice::new(packet.head.bytes()), IoSlice::new(tail)]);
            }
            // The length is at most 65,507.
            let segment = (count > 1).then_some(length as u16);
            match past_refusals(|| system::send(&self.socket, &parts[..2 * count], segment)) {
                Ok(()) => sent.extend(packets.drain(..count)),
                Err(error) if count > 1 && is_refused_together(&error) => self.refused_length = length,
                Err(error) => match frames::refusal(&error) {
                    Refusal::NoRoom | Refusal::ThrownAway => break,
                    Refusal::Never(reason) => {
                        discarded.extend(packets.pop_front().map(|packet| Discarded::new(packet, reason)));
                    }
                    Refusal::Failed => return Err(error),
                },
            }
        }
        Ok(())
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
        let lengths = [14, 60, 128, 129, 1514, 9014, LONGEST];
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

    /// Frames of changing lengths, in runs that go out together: each arrives as it was, in order, however many are asked
    /// for at once.
    #[test]
    fn bursts_stay_frames_in_order() {
        let [mut left, mut right] = pair();
        let runs = [(60, 70), (1400, 60), (59, 1), (1400, 3), (128, 64), (129, 64), (14, 1), (9014, 20), (30_000, 5)];
        let lengths: Vec<usize> = runs.iter().flat_map(|(length, count)| vec![*length; *count]).collect();
        let frame = |(number, length): (usize, &usize)| (0..*length).map(|at| (at + number) as u8).collect::<Vec<_>>();
        let frames: Vec<_> = lengths.iter().enumerate().map(frame).collect();
        for limit in [1, 7, 64] {
            let (mut arrived, mut sent, mut discarded) = (Vec::new(), Burst::new(), Vec::new());
            // As many at a time as the receiver surely has room for.
            for some in frames.chunks(50) {
                let mut packets: VecDeque<_> = some.iter().map(|frame| Packet::of_bytes(frame)).collect();
                while !packets.is_empty() {
                    left.send(&mut packets, &mut sent, &mut discarded).expect("the socket is open");
                }
                let until = arrived.len() + some.len();
                while arrived.len() < until {
                    let mut burst = Burst::new();
                    right.receive(limit, &mut burst, &mut discarded).expect("the socket is open");
                    assert!(burst.len() <= limit);
                    arrived.extend(burst.iter().map(|packet| {
                        assert_eq!(packet.sidecar.original_length as usize, packet.len());
                        let mut bytes = Vec::new();
                        packet.append_to(&mut bytes);
                        bytes
                    }));
                }
            }
            assert_eq!((sent.len(), discarded.len()), (frames.len(), 0));
            assert!(arrived == frames);
        }
    }

    /// One call sends and one receives a run of frames of one length.
    #[test]
    fn a_run_is_one_call() {
        let [mut left, mut right] = pair();
        let mut packets: VecDeque<_> = (0..64).map(|number| Packet::of_bytes(&[number; 200])).collect();
        packets.push_back(Packet::of_bytes(&[64; 100]));
        assert_eq!(left.together(&packets), 64, "no more than the kernel takes");
        packets.pop_front();
        assert_eq!(left.together(&packets), 64, "a shorter one may be the last");
        left.send(&mut packets, &mut Burst::new(), &mut Vec::new()).expect("the socket is open");
        if left.refused_length < usize::MAX {
            return; // a kernel that cuts no datagrams
        }
        let mut burst = Burst::new();
        right.receive(1, &mut burst, &mut Vec::new()).expect("the socket is open");
        assert_eq!((burst.len(), right.ahead.len()), (1, 63));
    }

    /// The kernel cuts no datagrams that are longer than the link's packets; then each goes by itself, in fragments.
    #[test]
    fn what_may_not_be_cut_goes_by_itself() {
        let [mut left, mut right] = pair();
        left.refused_length = 1000;
        let packets = |length| (0..3).map(|_| Packet::of_bytes(&vec![7; length])).collect::<VecDeque<_>>();
        assert_eq!([999, 1000].map(|length| left.together(&packets(length))), [3, 1]);
        left.send(&mut packets(1000), &mut Burst::new(), &mut Vec::new()).expect("the socket is open");
        assert_eq!(receive(&mut right, 3).0.len(), 3);
    }

    #[test]
    fn datagrams_that_are_no_frames_are_discarded_with_the_reason() {
        let [mut left, mut right] = pair();
        let mut packets = [vec![0; 13], vec![0; LONGEST + 1]].map(|bytes| Packet::of_bytes(&bytes)).into();
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
