//! Receiving frames.

use std::io::{self, IoSliceMut};

use node::{Burst, Discarded, Reason};
use wire::{Lender, Packet, SegmentationKind, Tail};

use super::{ETHERNET, HEAD, LONGEST_TAIL, is_down, is_of_one_frame, waits};
use crate::{reasons, virtio};

/// The number of tails that can be lent at once; beyond it they are copied.
const TAILS: usize = 256;
/// The most segments of a packet of TCP: of 64 KB, with a maximum segment size of 256 bytes. Whoever could send 65,000 would stop everybody
/// else while they are cut.
const MOST_OF_TCP: u64 = 256;
/// The most datagrams of a packet of UDP, as Linux has it (`UDP_MAX_SEGMENTS`).
const MOST_OF_UDP: u64 = 128;
/// The memory into which frames are received.
#[derive(Debug)]
pub struct Receiver {
    lender: Lender,
    /// Where a tail is received when all are lent. It has room for one byte more, by which a frame is known to be too long.
    spare: Vec<u8>,
}

impl Receiver {
    pub fn new() -> Self {
        Self { lender: Lender::new(TAILS, LONGEST_TAIL + 1), spare: vec![0; LONGEST_TAIL + 1] }
    }

    /// Receives frames by `read`, which [`Receiver::receive`] describes, until nothing waits or there are `limit`. `finish`
    /// completes each packet by what else `read` knows of its frame. Frames that are not understood are discarded, also those of which `read`
    /// only says so, without their bytes.
    ///
    /// # Errors
    ///
    /// Returns the error of `read`, unless it says that nothing waits, that the interface is down, or something of one frame.
    pub fn receive_burst<T>(
        &mut self,
        limit: usize,
        (into, discarded): (&mut Burst, &mut Vec<Discarded>),
        mut read: impl FnMut(&mut [IoSliceMut<'_>]) -> io::Result<(usize, T)>,
        finish: impl Fn(&mut Packet, T),
    ) -> io::Result<()> {
        self.lender.rewind();
        for _ in 0..limit {
            match self.receive(&mut read) {
                Ok((Ok(mut packet), other)) => {
                    finish(&mut packet, other);
                    into.push(packet);
                }
                Ok((Err(malformed), _)) => discarded.push(malformed),
                Err(error) if waits(&error) || is_down(&error) => break,
                Err(error) if is_of_one_frame(&error) => {
                    discarded.push(Discarded::new(Packet::blank(0), Reason::MALFORMED));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Receives one frame by `read`, which fills parts of memory one after the other and returns the number of bytes and
    /// whatever else it knows. A frame that is not understood is returned as discarded.
    ///
    /// # Errors
    ///
    /// Returns the error of `read`.
    fn receive<T>(
        &mut self,
        read: impl FnOnce(&mut [IoSliceMut<'_>]) -> io::Result<(usize, T)>,
    ) -> io::Result<(Result<Packet, Discarded>, T)> {
        let mut header = [0; virtio::LENGTH];
        let mut packet = Packet::blank(HEAD);
        let (tail, is_lent) = match self.lender.buffer() {
            Some(buffer) => (buffer, true),
            None => (&mut self.spare[..], false),
        };
        let head = packet.head.bytes_mut();
        let mut parts = [IoSliceMut::new(&mut header), IoSliceMut::new(head), IoSliceMut::new(tail)];
        let (length, other) = read(&mut parts)?;
        let length = length.saturating_sub(virtio::LENGTH);
        packet.head.truncate(length);
        if let Some(of_tail) = length.checked_sub(HEAD).filter(|of_tail| *of_tail > 0) {
            let bytes = if is_lent { self.lender.lend(of_tail) } else { self.lender.copy(&self.spare[..of_tail]) };
            packet.tail = Tail::Bytes(bytes);
        }
        packet.sidecar.original_length = length as u32;
        let reason = if length > HEAD + LONGEST_TAIL {
            Some(reasons::TOO_LONG)
        } else if length < ETHERNET {
            Some(reasons::TOO_SHORT)
        } else {
            refusal(header, &mut packet)
        };
        let received = match reason {
            Some(reason) => Err(Discarded::new(packet, reason)),
            None => Ok(packet),
        };
        Ok((received, other))
    }
}

/// Reads what a header says was left undone in a packet. Returns the reason if the packet is refused for that.
fn refusal(header: [u8; virtio::LENGTH], packet: &mut Packet) -> Option<Reason> {
    if virtio::read(header, packet).is_err() || !packet.check_offload() {
        return Some(Reason::MALFORMED);
    }
    let most = match packet.sidecar.segmentation?.kind {
        SegmentationKind::TcpIpv4 | SegmentationKind::TcpIpv6 => MOST_OF_TCP,
        SegmentationKind::Udp => MOST_OF_UDP,
    };
    (packet.segments().count > most).then_some(reasons::TOO_MANY_SEGMENTS)
}

#[cfg(test)]
mod tests {
    use rustix::io::Errno;

    use super::*;

    /// Receives a frame of `length` bytes behind a header.
    fn receive(receiver: &mut Receiver, header: [u8; virtio::LENGTH], length: usize) -> Result<usize, Reason> {
        let (received, ()) = receiver
            .receive(|parts| {
                parts[0].copy_from_slice(&header);
                let room: usize = parts.iter().map(|part| part.len()).sum();
                Ok((room.min(virtio::LENGTH + length), ()))
            })
            .expect("reading does not fail");
        received.map(|packet| packet.len()).map_err(|discarded| discarded.reason)
    }

    #[test]
    fn frames_that_are_none_are_discarded_with_the_reason() {
        let mut receiver = Receiver::new();
        let plain = [0; virtio::LENGTH];
        for (length, expected) in [
            (0, Err(reasons::TOO_SHORT)),
            (13, Err(reasons::TOO_SHORT)),
            (14, Ok(14)),
            (HEAD + 1, Ok(HEAD + 1)),
            (HEAD + LONGEST_TAIL, Ok(HEAD + LONGEST_TAIL)),
            (HEAD + LONGEST_TAIL + 1, Err(reasons::TOO_LONG)),
            (1 << 20, Err(reasons::TOO_LONG)),
        ] {
            assert_eq!(receive(&mut receiver, plain, length), expected, "{length} bytes");
        }
        let mut unknown = plain;
        unknown[1] = 0x7F;
        assert_eq!(receive(&mut receiver, unknown, 60), Err(Reason::MALFORMED));
    }

    /// The kernel has no words for some frames, such as those whose UDP is to be cut into fragments (UFO), and throws them away. A guest
    /// that sent one ended its interface for good.
    #[test]
    fn a_frame_that_the_system_cannot_describe_is_discarded_and_others_are_received() {
        let mut receiver = Receiver::new();
        let mut outcomes = [Ok(60), Err(Errno::INVAL), Ok(60), Err(Errno::AGAIN), Ok(60)].into_iter();
        let (mut received, mut discarded) = (Burst::new(), Vec::new());
        let mut read = |_: &mut [IoSliceMut<'_>]| {
            let outcome = outcomes.next().expect("it asks no more when nothing waits");
            outcome.map(|length| (virtio::LENGTH + length, ())).map_err(io::Error::from)
        };
        let read = receiver.receive_burst(10, (&mut received, &mut discarded), &mut read, |_, ()| ());
        assert!(read.is_ok() && received.len() == 2);
        let reasons: Vec<_> = discarded.iter().map(|discarded| (discarded.packet.len(), discarded.reason)).collect();
        assert_eq!(reasons, [(0, Reason::MALFORMED)]);
        // What says nothing of a frame is an error.
        let denied =
            receiver.receive_burst(10, (&mut received, &mut discarded), |_| Err(Errno::PERM.into()), |_, ()| ());
        assert!(denied.is_err());
    }
}
