//! When the packets of a witness arrive: as simply as the difference allows.

use basis::Instant;
use node::Offered;

use crate::reduce::Effort;

/// With more packets than this, trying delays for each costs more than it gains.
const FEW_PACKETS: usize = 64;
/// The longest delay tried in place of a packet, in steps.
const LONGEST_DELAY: u64 = 16;

/// The shortest time between two arrivals that are not at once, in picoseconds: a unit that suits the stream.
pub(crate) fn smallest_gap(packets: &[Offered]) -> u64 {
    let gaps = packets.windows(2).map(|pair| pair[1].at.since(pair[0].at).picoseconds());
    gaps.filter(|&gap| gap > 0).min().unwrap_or(1)
}

/// Moves arrivals together where the packets still fail; true if any moved. The order of arrival stays.
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
        // At one instant the smaller port comes first, and a port takes one packet.
        let at_once = before.is_none_or(|before| before.port < packets[place].port);
        let mut shorter = vec![step, 2 * step];
        if at_once {
            shorter.insert(0, 0);
        }
        // Then by halves, in whole steps, from the shortest: few tries, and a short gap if one will do.
        shorter.extend((1..u64::BITS).rev().map(|halvings| (gap >> halvings) / step * step));
        let mut least = 0;
        for candidate in shorter {
            // The candidates grow, but for the first of the halves.
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

/// Removes a packet where those after it may arrive later instead; true if one went.
///
/// A packet may be there only to keep others waiting until something else happens, such as the next remapping.
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
        // All of them later if none comes after: it is the start that may have to move.
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

/// The packets, those from `place` on at another time.
fn moved_from(packets: &[Offered], place: usize, moved: impl Fn(u64) -> u64) -> Vec<Offered> {
    let mut packets = packets.to_vec();
    for offered in &mut packets[place..] {
        offered.at = Instant::from_picoseconds(moved(offered.at.picoseconds()));
    }
    packets
}
