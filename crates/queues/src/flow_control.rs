//! Priority-based flow control (IEEE 802.1Qbb, now IEEE 802.1Q clause 36), which makes priorities lossless.
//!
//! Queued bytes are counted by ingress port and priority. Above a threshold, the peer at that port is asked to pause,
//! and the headroom absorbs what is still in flight. Pause frames received from peers are obeyed here as well.

use basis::{Duration, Instant, Rate};
use node::{AskedPause, Counter, Port};
use serde::{Deserialize, Serialize};
use wire::{Packet, PriorityPause};

use crate::surroundings::Note;
use crate::{FlowControlPlan, PortPlan};

/// Frames that take precedence over all queued packets, each with its egress port.
type Urgent = Vec<(Port, Packet)>;

#[derive(Debug)]
pub(crate) struct FlowControl {
    plan: FlowControlPlan,
    ports: Vec<PortState>,
    /// The pauses that have been asked for and the times at which to renew them. There are few, so a linear search is
    /// fast.
    asked: Vec<Asked>,
}

#[derive(Debug)]
struct PortState {
    rate: Rate,
    /// The queued bytes that came in at this port, by priority.
    held: [u64; 8],
    /// The time until which the peer wants us to pause, by priority.
    until: [Instant; 8],
    sent: [u64; 8],
    received: [u64; 8],
    /// The number of lossless packets that came in at this port and found its headroom full.
    dropped: u64,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Asked {
    port: Port,
    priority: u8,
    since: Instant,
    again_at: Instant,
}

impl FlowControl {
    pub fn new(plan: &FlowControlPlan, ports: &[PortPlan]) -> Self {
        let state = |port: &PortPlan| PortState {
            rate: port.rate,
            held: [0; 8],
            until: [Instant::ZERO; 8],
            sent: [0; 8],
            received: [0; 8],
            dropped: 0,
        };
        Self { plan: plan.clone(), ports: ports.iter().map(state).collect(), asked: Vec::new() }
    }

    /// Returns the priority of a code point, and whether that priority is lossless.
    #[inline]
    pub fn priority(&self, dscp: u8) -> (u8, bool) {
        let priority = self.plan.priorities.class(dscp) & 7;
        (priority, self.plan.lossless >> priority & 1 != 0)
    }

    /// Returns true if there is room for a lossless packet that came in at `from`, and counts it as dropped otherwise.
    pub fn admits(&mut self, from: Port, priority: u8, bytes: u32) -> bool {
        let Some(port) = self.ports.get_mut(usize::from(from.0)) else { return true };
        let after = port.held[usize::from(priority)] + u64::from(bytes);
        let has_room = after <= self.plan.xoff.saturating_add(self.plan.headroom);
        port.dropped += u64::from(!has_room);
        has_room
    }

    pub fn hold(&mut self, now: Instant, note: Note, urgent: &mut Urgent) {
        let Some(port) = self.ports.get_mut(usize::from(note.from.0)).filter(|_| note.is_lossless) else {
            return;
        };
        let held = &mut port.held[usize::from(note.priority)];
        *held += u64::from(note.bytes);
        if *held <= self.plan.xoff {
            return;
        }
        let (from, priority) = (note.from, note.priority);
        let asked = self.asked.iter().find(|asked| asked.port == from && asked.priority == priority);
        if asked.is_none() {
            self.asked.push(Asked { port: from, priority, since: now, again_at: now });
            self.refresh(now, urgent);
        }
    }

    pub fn release(&mut self, note: Note, urgent: &mut Urgent) {
        let Some(port) = self.ports.get_mut(usize::from(note.from.0)).filter(|_| note.is_lossless) else {
            return;
        };
        let held = &mut port.held[usize::from(note.priority)];
        *held -= u64::from(note.bytes);
        if *held > self.plan.xon || self.asked.is_empty() {
            return;
        }
        let (from, priority) = (note.from, note.priority);
        let asked = self.asked.iter().position(|asked| asked.port == from && asked.priority == priority);
        if let Some(asked) = asked {
            self.asked.remove(asked);
            self.send(from, priority, 0, urgent);
        }
    }

    /// Renews the pauses that would soon expire at the peers.
    pub fn refresh(&mut self, now: Instant, urgent: &mut Urgent) {
        for number in 0..self.asked.len() {
            let Asked { port, priority, again_at, .. } = self.asked[number];
            if again_at <= now {
                self.send(port, priority, self.plan.quanta, urgent);
                let pause = PriorityPause::time_of(self.plan.quanta, self.ports[usize::from(port.0)].rate);
                self.asked[number].again_at = now + Duration::from_picoseconds(pause.picoseconds() / 2);
            }
        }
    }

    /// Returns the time at which [`FlowControl::refresh`] is due.
    pub fn next_refresh(&self) -> Option<Instant> {
        self.asked.iter().map(|asked| asked.again_at).min()
    }

    fn send(&mut self, port: Port, priority: u8, quanta: u16, urgent: &mut Urgent) {
        let mut all = [None; 8];
        all[usize::from(priority)] = Some(quanta);
        self.ports[usize::from(port.0)].sent[usize::from(priority)] += 1;
        urgent.push((port, PriorityPause::frame(self.plan.address, all)));
    }

    /// Returns the pauses that we have asked for and not ended.
    pub fn asked(&self) -> impl Iterator<Item = AskedPause> {
        let resume = self.plan.xon;
        self.asked.iter().map(move |asked| {
            let &Asked { port, priority, since, .. } = asked;
            AskedPause { port, class: priority, since, resume }
        })
    }

    /// Obeys a pause frame that came in at a port. Returns the priorities that are paused there now, bit n for
    /// priority n.
    pub fn obey(&mut self, now: Instant, port: Port, frame: &PriorityPause<&[u8]>) -> u8 {
        let Some(state) = self.ports.get_mut(usize::from(port.0)) else { return 0 };
        for priority in (0..8).filter(|priority| self.plan.lossless >> priority & 1 != 0) {
            if let Some(quanta) = frame.quanta(priority) {
                state.received[priority] += 1;
                state.until[priority] = now + PriorityPause::time_of(quanta, state.rate);
            }
        }
        self.paused(now, port)
    }

    /// Returns the priorities that are paused at a port, bit n for priority n. A pause ends by itself when its time is
    /// over.
    pub fn paused(&self, now: Instant, port: Port) -> u8 {
        let Some(state) = self.ports.get(usize::from(port.0)) else { return 0 };
        (0..8).filter(|&priority| state.until[priority] > now).fold(0, |paused, priority| paused | 1 << priority)
    }

    /// Returns the first time at which one of the `paused` priorities of a port resumes by itself.
    pub fn next_release(&self, port: Port, paused: u8) -> Option<Instant> {
        let state = self.ports.get(usize::from(port.0))?;
        (0..8).filter(|priority| paused >> priority & 1 != 0).map(|priority| state.until[priority]).min()
    }

    /// Reports the counters of a port that are not zero.
    pub fn tell(&self, port: Port, tell: &mut dyn FnMut(Counter)) {
        const SENT: [&str; 8] = [
            "SAI_PORT_STAT_PFC_0_TX_PKTS",
            "SAI_PORT_STAT_PFC_1_TX_PKTS",
            "SAI_PORT_STAT_PFC_2_TX_PKTS",
            "SAI_PORT_STAT_PFC_3_TX_PKTS",
            "SAI_PORT_STAT_PFC_4_TX_PKTS",
            "SAI_PORT_STAT_PFC_5_TX_PKTS",
            "SAI_PORT_STAT_PFC_6_TX_PKTS",
            "SAI_PORT_STAT_PFC_7_TX_PKTS",
        ];
        const RECEIVED: [&str; 8] = [
            "SAI_PORT_STAT_PFC_0_RX_PKTS",
            "SAI_PORT_STAT_PFC_1_RX_PKTS",
            "SAI_PORT_STAT_PFC_2_RX_PKTS",
            "SAI_PORT_STAT_PFC_3_RX_PKTS",
            "SAI_PORT_STAT_PFC_4_RX_PKTS",
            "SAI_PORT_STAT_PFC_5_RX_PKTS",
            "SAI_PORT_STAT_PFC_6_RX_PKTS",
            "SAI_PORT_STAT_PFC_7_RX_PKTS",
        ];
        let Some(state) = self.ports.get(usize::from(port.0)) else { return };
        let counted = SENT.into_iter().zip(state.sent).chain(RECEIVED.into_iter().zip(state.received));
        let dropped = [("SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS", state.dropped)];
        for (name, value) in counted.chain(dropped).filter(|&(_, value)| value > 0) {
            tell(Counter { name, port: Some(port), value });
        }
    }
}

basis::snapshot!(FlowControl { values asked; parts ports; });
basis::snapshot!(PortState { values held, until, sent, received, dropped; });
