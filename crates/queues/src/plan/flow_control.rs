//! The plan of priority-based flow control (IEEE 802.1Qbb), which makes priorities lossless.

use basis::{Duration, Rate};

use super::ClassMap;

/// The lossless priorities, and the thresholds at which their senders are told to pause.
///
/// Queued bytes are counted by ingress port and priority. Above `xoff` the peer at that port is asked to pause, and
/// the headroom absorbs what is still in flight; at `xon` the peer may resume.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowControlPlan {
    /// The lossless priorities: bit n stands for priority n.
    pub lossless: u8,
    /// The map from code points to priorities, 0 to 7.
    pub priorities: ClassMap,
    /// The number of bytes above which a pause is asked for.
    pub xoff: u64,
    /// The number of bytes at or below which the pause is ended; not more than `xoff`.
    pub xon: u64,
    /// Room above `xoff`, in bytes, for what arrives before the pause takes effect; see [`FlowControlPlan::headroom`].
    pub headroom: u64,
    /// The length of a pause unless it is renewed, in quanta of 512 bit times. It is renewed after half of that.
    pub quanta: u16,
    /// The source address of our pause frames.
    pub address: [u8; 6],
}

/// The bytes that a pause frame takes on a link: the shortest Ethernet frame with its preamble and inter-packet gap.
const PAUSE_FRAME: u64 = 84;
/// The bytes of a pause quantum: 512 bit times (IEEE 802.1Qbb).
const QUANTUM: u64 = 64;

impl FlowControlPlan {
    /// Returns a plan for these `lossless` priorities with headroom for links of this `rate` and one-way `delay`, and
    /// packets of at most `largest` bytes on the wire; `xon` is one such packet below `xoff`.
    pub fn new(lossless: u8, xoff: u64, rate: Rate, delay: Duration, largest: u32) -> Self {
        Self {
            lossless,
            priorities: ClassMap::default(),
            xoff,
            xon: xoff.saturating_sub(u64::from(largest)),
            headroom: Self::headroom(rate, delay, largest),
            quanta: u16::MAX,
            // A locally administered address, because the switches of a plan have no addresses of their own.
            address: [0x02, 0, 0, 0, 0, 0],
        }
    }

    /// Returns how many bytes can arrive after the threshold is passed, following IEEE 802.1Q, annex N: what is in
    /// flight on the link in both directions; the packet that passed the threshold; a packet that our port had just
    /// begun, behind which the pause frame waits; that frame; and a packet that the peer had just begun when the frame
    /// arrived. Processing is assumed to take no time.
    pub fn headroom(rate: Rate, delay: Duration, largest: u32) -> u64 {
        // Rounded up, because the last byte arrives only when all of its bits have.
        2 * (rate.bytes_in(delay) + 1) + 3 * u64::from(largest) + PAUSE_FRAME
    }

    /// Returns the least headroom with which this plan loses nothing on links of this `rate` and `delay` and with
    /// packets of at most `largest` bytes: [`FlowControlPlan::headroom`], plus the pause frames of other priorities
    /// that precede ours.
    pub fn least_headroom(&self, rate: Rate, delay: Duration, largest: u32) -> u64 {
        let others = u64::from(self.lossless.count_ones().saturating_sub(1));
        Self::headroom(rate, delay, largest) + others * PAUSE_FRAME
    }

    /// Returns the least duration of a pause, in quanta, for which a pause never expires at the peer before it is
    /// renewed, with packets of at most `largest` bytes on the wire. The frame that renews it is made after half of
    /// the time and has the other half to arrive: it waits for a packet that our port had just begun, and for frames
    /// of the other priorities.
    pub fn least_quanta(&self, largest: u32) -> u64 {
        let frames = 2 * u64::from(self.lossless.count_ones()) * PAUSE_FRAME;
        // One more, because times are rounded.
        (2 * (u64::from(largest) + frames)).div_ceil(QUANTUM) + 1
    }
}
