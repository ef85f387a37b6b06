//! Simplification of the arrival times of the packets in a witness.

use basis::Instant;
use node::Offered;

use crate::reduce::Effort;

/// The number of packets above which trying delays for each costs more than it gains.
const FEW_PACKETS: usize = 64;
/// The longest delay tried in place of a packet, in steps.
const LONGEST_DELAY: u64 = 16;

/// Returns the shortest non-zero time between two arrivals, in picoseconds, as a unit suited to the stream.
pub(crate) fn smallest_gap(packets: &[Offered]) -> u64 {
    let gaps = packets.windows(2).map(|pair| pair[1].at.since(pair[0].at).picoseconds());
    gaps.filter(|&gap| gap > 0).min().unwrap_or(1)
}

/// Moves arrivals closer together where the packets still fail, keeping their order. Returns true if any moved.
pub(crate) fn close_gaps(
    packets: &mut Vec<Offered>,
    step: u64,
    effort: &mut Effort,
    fails: &mut dyn FnMut(&[Offered]) -> bool,
) -> bool {
    let mut moved = false;
    for place in 0..packets.len() {
        let before = place.checked_sub(1).map(|before| &packets[before]);
        let gap = packets[place].at.since(before.map_or(Instant::ZERO, |before| before.at)).picoseconds();
        // Packets that arrive at the same time are ordered by port, and a port takes one packet at a time.
        let at_once = before.is_none_or(|before| before.port < packets[place].port);
        let mut shorter = vec![step, 2 * step];
        if at_once {
            shorter.insert(0, 0);
        }
        // Then repeated halvings of the gap, in whole steps and from the shortest: this takes few tries and finds a
        // short gap if one suffices.
        shorter.extend((1..u64::BITS).rev().map(|halvings| (gap >> halvings) / step * step));
        let mut least = 0;
        for candidate in shorter {
            // The candidates grow, except for the first of the halvings.
            if candidate >= gap || candidate < least || candidate == 0 && !at_once {
                continue;
            }
            let earlier = moved_from(packets, place, |at| at.saturating_sub(gap - candidate));
            if effort.fails(&earlier, fails) {
                *packets = earlier;
                moved = true;
                break;
            }
            least = candidate + 1;
        }
    }
    moved
}

/// Removes a packet if the failure remains when the packets after it arrive later. Returns true if one was removed.
///
/// A packet may be needed only to delay others until something else happens, such as the next remapping.
pub(crate) fn remove_for_time(
    packets: &mut Vec<Offered>,
    step: u64,
    effort: &mut Effort,
    fails: &mut dyn FnMut(&[Offered]) -> bool,
) -> bool {
    if packets.len() > FEW_PACKETS {
        return false;
    }
    for place in (0..packets.len()).rev() {
        let mut rest = packets.clone();
        rest.remove(place);
        if rest.is_empty() {
            return false;
        }
        // If it is the last packet, all others are delayed, because the start may have to move.
        let from = if place == rest.len() { 0 } else { place };
        for steps in 1..=LONGEST_DELAY {
            let later = moved_from(&rest, from, |at| at.saturating_add(steps * step));
            if effort.fails(&later, fails) {
                *packets = later;
                return true;
            }
        }
    }
    false
}

/// Returns the packets, with the arrival times of those from `place` on changed by `moved`.
fn moved_from(packets: &[Offered], place: usize, moved: impl Fn(u64) -> u64) -> Vec<Offered> {
    let mut packets = packets.to_vec();
    for offered in &mut packets[place..] {
        offered.at = Instant::from_picoseconds(moved(offered.at.picoseconds()));
    }
    packets
}
