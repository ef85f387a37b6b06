//! Frames with virtio headers, as packet sockets and TAP interfaces pass them: headers of the packet go into its head,
//! payload into memory that is lent to it, and both go out again without being copied.

use std::collections::VecDeque;
use std::io::{self, IoSlice, IoSliceMut};

use node::{Burst, Discarded, Reason};
use rustix::io::Errno;
use wire::{Lender, Packet, Tail};

use crate::{reasons, virtio};

/// The number of bytes that are received into the head of a packet: all headers that most programs parse, with room
/// behind them in the packet for a few more.
pub const HEAD: usize = 128;
/// The longest tail of a frame: the greatest length of an IP packet behind an Ethernet header with two tags.
pub const LONGEST_TAIL: usize = 65_535 + 22 - HEAD;
/// The number of tails that can be lent at once; beyond it they are copied.
const TAILS: usize = 256;
/// The length of an Ethernet header, without which there is no frame.
pub const ETHERNET: usize = 14;

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
    /// completes each packet by what else `read` knows of its frame. Frames that are not understood are discarded.
    ///
    /// # Errors
    ///
    /// Returns the error of `read`, unless it says that nothing waits or that the interface is down.
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
            virtio::read(header, &mut packet).is_err().then_some(Reason::MALFORMED)
        };
        let received = match reason {
            Some(reason) => Err(Discarded { packet, reason }),
            None => Ok(packet),
        };
        Ok((received, other))
    }
}

/// Bytes for tails whose content does not matter.
static ZEROS: [u8; 1 << 16] = [0; 1 << 16];

/// Sends packets from the front of a list by `write`, which sends parts of memory as one frame, until there is no room.
/// Those that were sent, and those that never can be, are moved to the lists for them.
///
/// # Errors
///
/// Returns the error of `write`, unless it says something of the one packet, or that the interface is down.
pub fn send(
    packets: &mut VecDeque<Packet>,
    (sent, discarded): (&mut Burst, &mut Vec<Discarded>),
    mut write: impl FnMut(&[IoSlice<'_>]) -> io::Result<usize>,
) -> io::Result<()> {
    while let Some(packet) = packets.front() {
        let header = virtio::write(packet);
        let zeros;
        let tail = match known_tail(packet) {
            Some(tail) => tail,
            None => {
                zeros = vec![0; packet.tail.len()];
                &zeros
            }
        };
        let error = match write(&[IoSlice::new(&header), IoSlice::new(packet.head.bytes()), IoSlice::new(tail)]) {
            Ok(_) => {
                sent.extend(packets.pop_front());
                continue;
            }
            Err(error) => error,
        };
        let reason = match refusal(&error) {
            Refusal::NoRoom => break,
            Refusal::Never(reason) => reason,
            Refusal::Failed => return Err(error),
        };
        discarded.extend(packets.pop_front().map(|packet| Discarded { packet, reason }));
    }
    Ok(())
}

/// Returns the bytes of a packet's tail, which are zeros if only its length is known; `None` if there are more of those
/// than the longest frame has.
pub fn known_tail(packet: &Packet) -> Option<&[u8]> {
    match &packet.tail {
        Tail::Bytes(bytes) => Some(bytes),
        Tail::Length(length) => ZEROS.get(..*length as usize),
    }
}

/// What it means that the system did not take a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is no room for now, or the call was interrupted.
    NoRoom,
    /// The packet will never be taken, for a reason.
    Never(Reason),
    /// The interface itself has failed.
    Failed,
}

/// Returns what the error of a call that sends means for the packet.
pub fn refusal(error: &io::Error) -> Refusal {
    match error {
        error if waits(error) || is(error, Errno::NOBUFS) => Refusal::NoRoom,
        error if is_down(error) => Refusal::Never(reasons::INTERFACE_DOWN),
        error if is(error, Errno::MSGSIZE) => Refusal::Never(reasons::TOO_LONG),
        // The kernel refuses a frame that is shorter than an Ethernet header, or whose virtio header does not fit its
        // bytes.
        error if is(error, Errno::INVAL) => Refusal::Never(Reason::MALFORMED),
        error if is(error, Errno::FAULT) => Refusal::Never(reasons::BAD_DESCRIPTOR),
        _ => Refusal::Failed,
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

fn is(error: &io::Error, number: Errno) -> bool {
    error.raw_os_error() == Some(number.raw_os_error())
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn errors_say_what_becomes_of_a_packet() {
        for (error, reason, is_left, is_error) in [
            (Errno::AGAIN, None, 2, false),
            (Errno::NOBUFS, None, 2, false),
            (Errno::NETDOWN, Some(reasons::INTERFACE_DOWN), 0, false),
            (Errno::IO, Some(reasons::INTERFACE_DOWN), 0, false),
            (Errno::MSGSIZE, Some(reasons::TOO_LONG), 0, false),
            (Errno::INVAL, Some(Reason::MALFORMED), 0, false),
            (Errno::FAULT, Some(reasons::BAD_DESCRIPTOR), 0, false),
            (Errno::PERM, None, 2, true),
        ] {
            let mut packets: VecDeque<_> = [Packet::of_bytes(&[1; 20]), Packet::of_bytes(&[2; 20])].into();
            let (mut sent, mut discarded) = (Burst::new(), Vec::new());
            let outcome = send(&mut packets, (&mut sent, &mut discarded), |_| Err(error.into()));
            assert_eq!((outcome.is_err(), packets.len(), sent.len()), (is_error, is_left, 0), "{error}");
            assert!(discarded.iter().all(|discarded| Some(discarded.reason) == reason), "{error}");
        }
    }
}
