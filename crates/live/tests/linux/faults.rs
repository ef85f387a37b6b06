//! An interface that loses, delays and marks frames in both directions, determined by a seed.

use std::collections::VecDeque;
use std::io;
use std::os::fd::BorrowedFd;

use basis::Random;
use live::{Interface, Offload};
use node::{Burst, Discarded};
use wire::{Ethernet, Ipv4, Packet, ether_type};

/// The probability of each fault for a frame; the first one that is drawn happens.
#[derive(Clone, Copy, Debug, Default)]
pub struct Faults {
    pub loss: f64,
    /// The frame is delivered after one to five later frames of its direction.
    pub late: f64,
    pub twice: f64,
    /// The frame is marked as having met congestion, if it is ECN-capable.
    pub mark: f64,
    /// A bit of the frame is flipped.
    pub damage: f64,
}

/// The number of frames with each fault.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    pub lost: u64,
    pub late: u64,
    pub doubled: u64,
    pub marked: u64,
    pub damaged: u64,
}

/// The state of one direction.
struct Direction {
    faults: Faults,
    random: Random,
    done: Done,
    /// The number of frames so far.
    count: u64,
    /// The delayed frames, each with the number of the frame after which it goes.
    late: Vec<(u64, Vec<u8>)>,
    /// The frames that are ready to go.
    ready: VecDeque<Vec<u8>>,
}

impl Direction {
    fn new(faults: Faults, seed: u64, part: u64) -> Self {
        let random = Random::for_part(seed, part);
        Self { faults, random, done: Done::default(), count: 0, late: Vec::new(), ready: VecDeque::new() }
    }

    fn take(&mut self, frame: &[u8]) {
        self.count += 1;
        let Self { faults, random, done, .. } = self;
        let mut frame = frame.to_vec();
        if random.chance(faults.loss) {
            done.lost += 1;
        } else if random.chance(faults.late) {
            done.late += 1;
            self.late.push((self.count + 1 + random.below(5), frame));
        } else if random.chance(faults.damage) {
            done.damaged += 1;
            // Not in the Ethernet header, which the frame check sequence would protect.
            let place = 14 + random.below(frame.len() as u64 - 14) as usize;
            frame[place] ^= 1 << random.below(8);
            self.ready.push_back(frame);
        } else {
            if random.chance(faults.twice) {
                done.doubled += 1;
                self.ready.push_back(frame.clone());
            }
            if random.chance(faults.mark) && mark(&mut frame) {
                done.marked += 1;
            }
            self.ready.push_back(frame);
        }
        let count = self.count;
        for (_, frame) in self.late.extract_if(.., |(behind, _)| *behind <= count) {
            self.ready.push_back(frame);
        }
    }
}

/// Marks a frame whose sender is ECN-capable (RFC 3168, section 5).
fn mark(frame: &mut [u8]) -> bool {
    let is_ipv4 = Ethernet::new(&frame[..]).is_some_and(|ethernet| ethernet.ether_type() == ether_type::IPV4);
    let Some(mut ipv4) = Ipv4::new(&mut frame[14..]).filter(|_| is_ipv4) else { return false };
    if ipv4.ecn() == 0 {
        return false;
    }
    let class = ipv4.traffic_class();
    ipv4.set_traffic_class(class | 3);
    ipv4.fill_checksum();
    true
}

pub struct Faulty<I> {
    inner: I,
    incoming: Direction,
    outgoing: Direction,
    arrived: Burst,
    passed_on: Burst,
}

impl<I> Faulty<I> {
    pub fn new(inner: I, incoming: Faults, outgoing: Faults, seed: u64) -> Self {
        Self {
            inner,
            incoming: Direction::new(incoming, seed, 0),
            outgoing: Direction::new(outgoing, seed, 1),
            arrived: Burst::new(),
            passed_on: Burst::new(),
        }
    }

    /// Returns the faults of incoming and of outgoing frames.
    pub fn done(&self) -> (Done, Done) {
        (self.incoming.done, self.outgoing.done)
    }
}

impl<I: Interface> Interface for Faulty<I> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn offload(&self) -> Offload {
        Offload::default()
    }

    fn receive(&mut self, limit: usize, into: &mut Burst, discarded: &mut Vec<Discarded>) -> io::Result<()> {
        if self.incoming.ready.is_empty() {
            self.inner.receive(limit, &mut self.arrived, discarded)?;
            for packet in self.arrived.drain(..) {
                // The kernel leaves segments to be cut and checksums to be completed.
                let take = |mut segment: Packet| {
                    assert!(segment.complete_checksum(), "the kernel's headers are right");
                    self.incoming.take(&bytes(&segment));
                };
                assert!(packet.segment(take).is_ok(), "the kernel's headers are right");
            }
        }
        let count = limit.min(self.incoming.ready.len());
        into.extend(self.incoming.ready.drain(..count).map(|frame| Packet::of_bytes(&frame)));
        Ok(())
    }

    fn send(
        &mut self,
        packets: &mut VecDeque<Packet>,
        sent: &mut Burst,
        discarded: &mut Vec<Discarded>,
    ) -> io::Result<()> {
        while self.outgoing.ready.len() < 64
            && let Some(packet) = packets.pop_front()
        {
            self.outgoing.take(&bytes(&packet));
            sent.push(packet);
        }
        let mut ready = self.outgoing.ready.drain(..).map(|frame| Packet::of_bytes(&frame)).collect();
        self.inner.send(&mut ready, &mut self.passed_on, discarded)?;
        self.passed_on.clear();
        self.outgoing.ready.extend(ready.iter().map(bytes));
        Ok(())
    }

    fn descriptor(&self) -> BorrowedFd<'_> {
        self.inner.descriptor()
    }
}

fn bytes(packet: &Packet) -> Vec<u8> {
    let mut bytes = Vec::new();
    packet.append_to(&mut bytes);
    bytes
}
