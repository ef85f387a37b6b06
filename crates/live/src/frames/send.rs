//! Sending frames.

use std::collections::VecDeque;
use std::io::{self, IoSlice};

use node::{Burst, Discarded};
use wire::{Coalescer, Packet};

use super::lengths::{Lengths, Next};
use super::{Refusal, known_tail, refusal};
use crate::{Offload, reasons, virtio};

/// The parts of one frame: its header and the head and tail of as many packets as can be put together.
const MOST_PARTS: usize = 2 + 2 * Coalescer::MOST;
/// The number of packets that leave by themselves after the system has refused several of them together.
const BY_THEMSELVES: u32 = 4096;

/// Sends frames: packets of one flow that follow one another leave as one that the interface cuts, if it does, so that one
/// call and one way through the system serve all of them.
#[derive(Debug, Default)]
pub struct Sender {
    /// The number of packets that still leave by themselves.
    by_themselves: u32,
    lengths: Lengths,
}

impl Sender {
    /// Sends packets from the front of a list by `write`, which sends parts of memory as one frame, until there is no room.
    /// Those that were sent, and those that never can be, are moved to the lists for them.
    ///
    /// # Errors
    ///
    /// Returns the error of `write`, unless it says something of the one packet, or that the interface is down.
    pub fn send(
        &mut self,
        offload: Offload,
        packets: &mut VecDeque<Packet>,
        (sent, discarded): (&mut Burst, &mut Vec<Discarded>),
        mut write: impl FnMut(&[IoSlice<'_>]) -> io::Result<usize>,
    ) -> io::Result<()> {
        while let Some(packet) = packets.front() {
            let length = packet.segments().longest;
            if let Some(coalescer) = self.coalesced(offload, packets) {
                if write_together(&coalescer, packets, &mut write).is_ok() {
                    self.lengths.has_passed(length);
                    sent.extend(packets.drain(..coalescer.count()));
                    continue;
                }
                // The kernel is older than the kind of frame, or there is no room for all of them: one may go.
                self.by_themselves = BY_THEMSELVES;
            }
            self.by_themselves = self.by_themselves.saturating_sub(1);
            let error = match write_alone(packet, &mut write) {
                Ok(_) => {
                    self.lengths.has_passed(length);
                    sent.extend(packets.pop_front());
                    continue;
                }
                Err(error) => error,
            };
            let reason = match refusal(&error) {
                Refusal::NoRoom => break,
                Refusal::ThrownAway => match self.lengths.has_failed(length) {
                    Next::Wait => break,
                    Next::TryShorter => match send_shorter(length, packets, sent, &mut write) {
                        // Where that has passed, the next attempt shows whether this one is too long.
                        true if write_alone(&packets[0], &mut write).is_ok() => {
                            self.lengths.has_passed(length);
                            sent.extend(packets.pop_front());
                            continue;
                        }
                        true => {
                            self.lengths.is_too_long(length);
                            reasons::TOO_LONG
                        }
                        false => break,
                    },
                    Next::GiveUp(reason) => reason,
                },
                Refusal::Never(reason) => reason,
                Refusal::Failed => return Err(error),
            };
            discarded.extend(packets.pop_front().map(|packet| Discarded::new(packet, reason)));
        }
        Ok(())
    }

    /// Puts the first packets of a list together. Returns `None` if the first leaves by itself.
    fn coalesced(&self, offload: Offload, packets: &VecDeque<Packet>) -> Option<Coalescer> {
        let first = packets.front()?;
        if self.by_themselves > 0 || packets.len() < 2 || !offload.checksum {
            return None;
        }
        let mut coalescer = Coalescer::begin(first)?;
        if !offload.cuts(coalescer.kind()) {
            return None;
        }
        let _ = packets.iter().skip(1).take_while(|next| coalescer.add(first, next)).count();
        (coalescer.count() > 1).then_some(coalescer)
    }
}

/// Sends the first waiting packet that is shorter than the one at the front, which the system throws away. Returns true if it was sent.
fn send_shorter(
    length: u64,
    packets: &mut VecDeque<Packet>,
    sent: &mut Burst,
    write: &mut impl FnMut(&[IoSlice<'_>]) -> io::Result<usize>,
) -> bool {
    let Some(place) = packets.iter().position(|packet| packet.segments().longest < length) else { return false };
    if write_alone(&packets[place], write).is_err() {
        return false;
    }
    sent.extend(packets.remove(place));
    true
}

fn write_alone(packet: &Packet, write: &mut impl FnMut(&[IoSlice<'_>]) -> io::Result<usize>) -> io::Result<usize> {
    let header = virtio::write(packet);
    let zeros;
    let tail = match known_tail(packet) {
        Some(tail) => tail,
        None => {
            zeros = vec![0; packet.tail.len()];
            &zeros
        }
    };
    write(&[IoSlice::new(&header), IoSlice::new(packet.head.bytes()), IoSlice::new(tail)])
}

fn write_together(
    coalescer: &Coalescer,
    packets: &VecDeque<Packet>,
    write: &mut impl FnMut(&[IoSlice<'_>]) -> io::Result<usize>,
) -> io::Result<usize> {
    let front = coalescer.front(&packets[0]);
    let header = virtio::write(&front);
    let mut parts = [IoSlice::new(&[]); MOST_PARTS];
    (parts[0], parts[1]) = (IoSlice::new(&header), IoSlice::new(front.head.bytes()));
    let mut count = 2;
    for packet in packets.iter().take(coalescer.count()) {
        let of_head = &packet.head.bytes()[coalescer.headers_length()..];
        for part in [of_head, known_tail(packet).unwrap_or_default()] {
            if !part.is_empty() {
                parts[count] = IoSlice::new(part);
                count += 1;
            }
        }
    }
    write(&parts[..count])
}

#[cfg(test)]
mod tests {
    use node::Reason;
    use rustix::io::Errno;
    use wire::ChecksumState;

    use super::*;

    #[test]
    fn errors_say_what_becomes_of_a_packet() {
        for (error, reason, is_left, is_error) in [
            (Errno::AGAIN, None, 2, false),
            (Errno::NOBUFS, None, 2, false),
            (Errno::NETDOWN, Some(reasons::INTERFACE_DOWN), 0, false),
            (Errno::IO, Some(reasons::INTERFACE_DOWN), 0, false),
            (Errno::MSGSIZE, Some(reasons::TOO_LONG), 0, false),
            (Errno::INVAL, Some(Reason::MALFORMED), 0, false),
            // One frame that could not be cut ended an interface for good.
            (Errno::NOMEM, Some(Reason::MALFORMED), 0, false),
            (Errno::FAULT, Some(reasons::BAD_DESCRIPTOR), 0, false),
            (Errno::PERM, None, 2, true),
        ] {
            let mut packets: VecDeque<_> = [Packet::of_bytes(&[1; 20]), Packet::of_bytes(&[2; 20])].into();
            let (mut sent, mut discarded) = (Burst::new(), Vec::new());
            let outcome = Sender::default()
                .send(Offload::default(), &mut packets, (&mut sent, &mut discarded), |_| Err(error.into()));
            assert_eq!((outcome.is_err(), packets.len(), sent.len()), (is_error, is_left, 0), "{error}");
            assert!(discarded.iter().all(|discarded| Some(discarded.reason) == reason), "{error}");
        }
    }

    /// Sends packets of so many bytes as a driver does, which calls again while some are left, to an interface that throws away what is
    /// longer than `most`. Returns the lengths that passed, the reasons of the others, and the number of calls.
    fn passed(sender: &mut Sender, lengths: &[usize], most: usize) -> (Vec<usize>, Vec<Reason>, usize) {
        let mut packets: VecDeque<_> = lengths.iter().map(|length| Packet::of_bytes(&vec![0; *length])).collect();
        let (mut sent, mut discarded, mut calls) = (Burst::new(), Vec::new(), 0);
        while !packets.is_empty() {
            let write = |parts: &[IoSlice<'_>]| {
                let length = parts.iter().map(|part| part.len()).sum::<usize>() - virtio::LENGTH;
                if length > most { Err(Errno::NOBUFS.into()) } else { Ok(length) }
            };
            sender.send(Offload::default(), &mut packets, (&mut sent, &mut discarded), write).expect("no failure");
            calls += 1;
            assert!(calls < 1000, "{} packets never leave", packets.len());
        }
        let passed = sent.iter().map(|packet| packet.len()).collect();
        (passed, discarded.iter().map(|discarded| discarded.reason).collect(), calls)
    }

    // One frame that was longer than the MTU of the other end of a veth pair kept all later ones from leaving.
    #[test]
    fn a_frame_that_the_other_end_never_takes_does_not_block_the_others() {
        let mut sender = Sender::default();
        let (lengths, reasons, calls) = passed(&mut sender, &[60, 1514, 70, 1514, 80], 1414);
        assert_eq!((lengths, reasons), (vec![60, 70, 80], vec![reasons::TOO_LONG; 2]));
        assert_eq!(calls, 2, "a shorter one shows at the second attempt that it is not the queue");
        let (lengths, reasons, calls) = passed(&mut sender, &[1514, 1414, 1514], 1414);
        assert_eq!((lengths, reasons, calls), (vec![1414], vec![reasons::TOO_LONG; 2], 1), "this is known now");
        assert_eq!(passed(&mut sender, &[1514, 1514], 1514).0, [1514, 1514], "until one passes");
        let (lengths, reasons, _) = passed(&mut Sender::default(), &[1514], 1414);
        assert_eq!((lengths, reasons), (vec![], vec![reasons::TOO_LONG]), "without others as well");
    }

    const ALL: Offload = Offload { checksum: true, tcp_segmentation: true, udp_segmentation: true };

    /// A datagram from a port.
    fn datagram(port: u8, payload: &[u8]) -> Packet {
        let of_udp = 8 + payload.len() as u8;
        let mut bytes = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0];
        bytes.extend([0x45, 0, 0, 20 + of_udp, 0, 0, 0x40, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
        let checksum = wire::checksum::of(&bytes[14..34]);
        bytes[24..26].copy_from_slice(&checksum.to_be_bytes());
        bytes.extend([0, port, 0, 53, 0, of_udp, 0, 0]);
        let mut sum = wire::checksum::Sum::default();
        sum.add(&bytes[26..34]);
        sum.add_word(17);
        sum.add_word(of_udp.into());
        bytes[40..42].copy_from_slice(&sum.folded().to_be_bytes());
        bytes.extend_from_slice(payload);
        let mut packet = Packet::of_bytes(&bytes);
        packet.sidecar.checksum = ChecksumState::Partial { start: 34, offset: 6 };
        packet
    }

    /// Sends packets to something that takes frames whose payload is not longer than `most`, and returns what each frame had
    /// behind its headers, with whether it is to be cut.
    fn frames(sender: &mut Sender, offload: Offload, packets: Vec<Packet>, most: usize) -> Vec<(Vec<u8>, bool)> {
        let (count, mut frames) = (packets.len(), Vec::new());
        let (mut packets, mut sent, mut discarded) = (VecDeque::from(packets), Burst::new(), Vec::new());
        let taken = sender.send(offload, &mut packets, (&mut sent, &mut discarded), |parts| {
            let bytes = parts.iter().flat_map(|part| part.iter().copied()).collect::<Vec<_>>();
            let (header, frame) = bytes.split_at(virtio::LENGTH);
            let payload = frame[42..].to_vec();
            if payload.len() > most {
                return Err(Errno::INVAL.into());
            }
            let mut packet = Packet::of_bytes(frame);
            virtio::read(header.try_into().expect("split there"), &mut packet).expect("a header that is known");
            assert_eq!(usize::from(frame[39]) + 256 * usize::from(frame[38]), payload.len() + 8);
            assert!(packet.is_ready_to_cut());
            frames.push((payload, packet.sidecar.segmentation.is_some()));
            Ok(bytes.len())
        });
        assert!(taken.is_ok() && packets.is_empty());
        assert_eq!((sent.len(), discarded.len()), (count, 0), "each packet is counted");
        frames
    }

    #[test]
    fn datagrams_of_one_flow_leave_as_one_frame() {
        let packets = || {
            vec![
                datagram(1, b"one"),
                datagram(1, b"two"),
                datagram(1, b"3"),
                datagram(1, b"four"),
                datagram(2, b"five"),
            ]
        };
        let together = [(b"onetwo3".to_vec(), true), (b"four".to_vec(), false), (b"five".to_vec(), false)];
        assert_eq!(frames(&mut Sender::default(), ALL, packets(), 100), together);
        for offload in
            [Offload { udp_segmentation: false, ..ALL }, Offload { checksum: false, ..ALL }, Offload::default()]
        {
            assert_eq!(frames(&mut Sender::default(), offload, packets(), 100).len(), 5, "{offload:?}");
        }
    }

    #[test]
    fn what_is_not_taken_together_leaves_one_by_one() {
        let packets = || (0..10).map(|_| datagram(1, b"text")).collect::<Vec<_>>();
        let mut sender = Sender::default();
        let alone = vec![(b"text".to_vec(), false); 10];
        assert_eq!(frames(&mut sender, ALL, packets(), 4), alone);
        assert_eq!(frames(&mut sender, ALL, packets(), 100), alone, "it is not tried again at once");
        for _ in 0..BY_THEMSELVES / 10 {
            frames(&mut sender, ALL, packets(), 100);
        }
        assert_eq!(frames(&mut sender, ALL, packets(), 100), [(b"text".repeat(10), true)]);
    }
}
