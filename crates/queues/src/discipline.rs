//! Disciplines that decide about packets without holding them.
//!
//! A [`Discipline`] says what becomes of packets that arrive at the queue of a port, and which of those that wait goes
//! next. The packets wait in the queue itself, which accounts for the memory that ports share, marks and discards what the
//! discipline says, and counts. So a discipline works for whatever can wait in a queue, can lose no packet, and is a few
//! lines. Random early detection is one of them.

use std::fmt;

use basis::snapshot::Snapshot;
use basis::{Duration, Instant, Random, Rate};
use node::{QueueLength, Reason};

/// The parameters of a discipline, which the ports of a switch have in common.
pub trait DisciplineParameters: fmt::Debug + Send + Sync {
    /// Makes the discipline of an empty queue in front of a link of this rate.
    fn discipline(&self, rate: Rate) -> Box<dyn Discipline>;

    /// Returns true if the discipline may mark packets, and so change their bytes.
    fn changes_packets(&self) -> bool {
        true
    }

    /// Returns a sentence for everything that is wrong with the parameters, which also says what would be right.
    fn problems(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the room in bytes on the wire of the lane in which packets of a code point, 0 to 63, wait.
    fn room_for(&self, code_point: u8) -> u64 {
        let discipline = self.discipline(Rate::from_gigabits_per_second(1));
        let packet = Arriving { now: Instant::ZERO, bytes: 0, code_point: Some(code_point), class: None };
        discipline.room(discipline.lane(&packet).min(discipline.lanes().saturating_sub(1)))
    }
}

/// The decisions about the packets of one port.
///
/// Packets wait in one or several lanes, in each of which the first that arrives is the first that leaves. As long as a
/// packet waits in a lane that is not paused, the link is never left idle.
pub trait Discipline: fmt::Debug + Send + Snapshot {
    /// Returns the number of lanes, which never changes; at least 1.
    fn lanes(&self) -> usize {
        1
    }

    /// Returns the lane in which an arriving packet would wait, counted from 0; numbers beyond the last lane stand for it.
    fn lane(&self, packet: &Arriving) -> usize {
        let _ = packet;
        0
    }

    /// Returns the room of a lane in bytes on the wire. A packet that finds no room is dropped, unless its priority is
    /// lossless.
    fn room(&self, lane: usize) -> u64;

    /// Decides about a packet that arrives, before it is known whether there is room for it. `lanes` are those without it.
    fn arrives(&mut self, packet: &Arriving, lanes: &dyn Lanes, random: &mut Random) -> Decision {
        let _ = (packet, lanes, random);
        Decision::Pass
    }

    /// Returns the lane whose first packet goes next. Of a lane that has none that may go, or that does not exist, the
    /// first lane takes the place that has one.
    fn next(&mut self, lanes: &dyn Lanes) -> usize {
        let _ = lanes;
        0
    }

    /// Decides about a packet that would go on the link now. `lanes` are those without it.
    fn leaves(&mut self, packet: &Leaving, lanes: &dyn Lanes, random: &mut Random) -> Decision {
        let _ = (packet, lanes, random);
        Decision::Pass
    }
}

/// What becomes of a packet. Packets of lossless priorities are never dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It goes on.
    Pass,
    /// It is marked if it is ECN-capable, and goes on.
    Mark,
    /// It is marked if it is ECN-capable, and dropped for this reason if it is not.
    MarkOrDrop(Reason),
    /// It is dropped for this reason.
    Drop(Reason),
}

/// What a discipline knows of a packet that arrives.
#[derive(Clone, Copy, Debug)]
pub struct Arriving {
    /// The time.
    pub now: Instant,
    /// The length on the wire in bytes.
    pub bytes: u32,
    /// The differentiated services code point, 0 to 63, if the packet has one.
    pub code_point: Option<u8>,
    /// The class within its port that the sender of the packet has chosen, as programs of switches can.
    pub class: Option<u8>,
}

/// What a discipline knows of a packet that leaves.
#[derive(Clone, Copy, Debug)]
pub struct Leaving {
    /// The time.
    pub now: Instant,
    /// The length on the wire in bytes.
    pub bytes: u32,
    /// The lane in which it waited.
    pub lane: usize,
    /// The time for which it waited.
    pub waited: Duration,
}

/// The lanes of a queue.
pub trait Lanes {
    /// Returns how much waits in a lane.
    fn length(&self, lane: usize) -> QueueLength;

    /// Returns the length on the wire of the first packet of a lane, in bytes, if it may go now: `None` if the lane is empty
    /// or the packet's priority is paused.
    fn first(&self, lane: usize) -> Option<u32>;
}
