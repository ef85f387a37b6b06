//! Priorities that lose nothing: priority-based flow control (IEEE 802.1Qbb).

use basis::{Duration, Rate};

use super::ClassMap;

/// Which priorities lose nothing, and when those who send to us are told to pause.
///
/// What waits is counted where it came in: for each port and priority. Above `xoff` the other end of that port is
/// asked to pause; what is still on its way then goes into the headroom; at `xon` it may go on.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowControlPlan {
    /// The lossless priorities: bit n is priority n.
    pub lossless: u8,
    /// Which priority a packet has, 0 to 7.
    pub priorities: ClassMap,
    /// More bytes than this ask for a pause.
    pub xoff: u64,
    /// As few bytes as this end it; not more than `xoff`.
    pub xon: u64,
    /// Room above `xoff` for what comes before the pause begins; see [`FlowControlPlan::headroom`].
    pub headroom: u64,
    /// How long a pause lasts unless it is renewed, in quanta of 512 bit times. We renew it after half of that.
    pub quanta: u16,
    /// The source address of our pause frames.
    pub address: [u8; 6],
}

/// What a pause frame takes on a line, in bytes: the shortest frame of Ethernet, its preamble and its gap.
const PAUSE_FRAME: u64 = 84;
/// A quantum of a pause, in bytes: 512 bit times (IEEE 802.1Qbb).
const QUANTUM: u64 = 64;

impl FlowControlPlan {
    /// Priorities that lose nothing, with headroom for lines of this `rate` and `delay` (one way) and packets of
    /// `largest` bytes on the wire at most; `xon` is one such packet below `xoff`.
    pub fn new(lossless: u8, xoff: u64, rate: Rate, delay: Duration, largest: u32) -> Self {
        Self {
            lossless,
            priorities: ClassMap::default(),
            xoff,
            xon: xoff.saturating_sub(u64::from(largest)),
            headroom: Self::headroom(rate, delay, largest),
            quanta: u16::MAX,
            // A locally administered address: switches of a plan have none of their own.
            address: [0x02, 0, 0, 0, 0, 0],
        }
    }

    /// How many bytes can come after the threshold is passed, after IEEE 802.1Q, annex N: what is on the line there
    /// and back; the packet that passed the threshold; one that our port had just begun, behind which the pause frame
    /// waits; that frame; and one that the other end had just begun when it came. Processing takes no time here.
    pub fn headroom(rate: Rate, delay: Duration, largest: u32) -> u64 {
        // Rounded up: the last byte is not there before all of it is.
        2 * (rate.bytes_in(delay) + 1) + 3 * u64::from(largest) + PAUSE_FRAME
    }

    /// The least headroom with which this plan loses nothing on lines of this `rate` and `delay`, on which packets have
    /// `largest` bytes at most: [`FlowControlPlan::headroom`], and the pause frames of other priorities before ours.
    pub fn least_headroom(&self, rate: Rate, delay: Duration, largest: u32) -> u64 {
        let others = u64::from(self.lossless.count_ones().saturating_sub(1));
        Self::headroom(rate, delay, largest) + others * PAUSE_FRAME
    }

    /// The least time of a pause, in quanta, with which the other end never forgets one, where packets have `largest` bytes
    /// on the wire at most. The frame that renews it is made after half of the time, and has the other half to come: it
    /// waits for a packet that our port had just begun, and for frames of the other priorities.
    pub fn least_quanta(&self, largest: u32) -> u64 {
        let frames = 2 * u64::from(self.lossless.count_ones()) * PAUSE_FRAME;
        // One more, for times are rounded.
        (2 * (u64::from(largest) + frames)).div_ceil(QUANTUM) + 1
    }
}
