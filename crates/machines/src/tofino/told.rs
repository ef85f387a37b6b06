//! What a traffic manager could tell egress, drawn at random, for chips in which nothing waits.

use basis::{Duration, Instant, Random};

use super::item::{Item, Side};

/// The largest depth of a queue that programs are told, in cells: it has 19 bits.
const DEEPEST: u64 = (1 << 19) - 1;
/// The longest time in a queue that programs are told, in nanoseconds: it has 18 bits.
const LONGEST: u64 = (1 << 18) - 1;
/// The number of queues of a port that programs can name.
const QUEUES: u64 = 32;

/// Draws for a packet on its way to a port what egress is told of its way through the traffic manager: depths and
/// congestion of its queue and of pools, and the time there; seldom another queue; for a copy of a multicast group seldom
/// another replication id; and for a packet that may be deflected whether it was. The same seed, packet, port and copy
/// give the same.
pub(super) fn draw(seed: u64, item: &mut Item, port: u16, now: Instant) {
    let side = item.side;
    let place = u64::from(port) << 48 | u64::from(side.rounds) << 32 | u64::from(side.replica);
    let mut random = Random::for_part(seed ^ item.packet.sidecar.id.rotate_left(32), place);
    let left = now;
    let waited = magnitude(LONGEST, &mut random);
    let entered =
        Instant::from_picoseconds(left.picoseconds().saturating_sub(Duration::from_nanoseconds(waited).picoseconds()));
    item.side = Side {
        entered,
        left,
        depth_on_entry: magnitude(DEEPEST, &mut random),
        depth_on_exit: magnitude(DEEPEST, &mut random),
        congestion_on_entry: random.below(4) as u8,
        congestion_on_exit: random.below(4) as u8,
        congestion_of_pools: random.below(256) as u8,
        queue: if random.chance(0.25) { random.below(QUEUES) as u8 } else { side.queue },
        replica: if side.replica != 0 && random.chance(0.25) { random.below(1 << 16) as u32 } else { side.replica },
        is_deflected: side.is_deflected || side.deflects && random.chance(0.5),
        ..side
    };
}

/// Draws a number up to `most`, of which each order of magnitude is equally likely: thresholds of programs may be anywhere.
fn magnitude(most: u64, random: &mut Random) -> u64 {
    let bits = u64::BITS - most.leading_zeros();
    let below = 1 << random.below(u64::from(bits) + 1);
    random.below(below).min(most)
}
