//! The rules of a switch: figures 7 and 17 of the paper, box by box.

use basis::Instant;
use wire::atp::{AtpLevels, Tree, flag};
use wire::{Atp, Ethernet, Ipv4, Packet, Udp, atp, protocol};

use super::Defect;
use super::state::{AtpSwitch, Slot, ticks};
use super::values::{add_all, give_all, take_all};
use crate::aggregator::gather::gather;
use crate::aggregator::{Verdict, reasons};

const IPV4: usize = Ethernet::<&[u8]>::LENGTH;
const UDP: usize = IPV4 + Ipv4::<&[u8]>::LENGTH;
const ATP: usize = UDP + Udp::<&[u8]>::LENGTH;
const BEHIND_ATP: usize = ATP + Atp::<&[u8]>::LENGTH;

impl AtpSwitch {
    /// Handles an IPv4 packet of any kind.
    pub(super) fn handle(&mut self, now: Instant, packet: &mut Packet) -> Verdict {
        let Some(Extent { length, has_further }) = extent_of_atp(packet) else { return Verdict::Forward };
        let has_met_congestion = packet.head.bytes()[IPV4 + 1] & 3 == 3;
        let (envelope, rest) = packet.head.bytes_mut()[..length].split_at_mut(ATP);
        let (header, rest) = rest.split_at_mut(Atp::<&[u8]>::LENGTH);
        let (further, values) = rest.split_at_mut(if has_further { AtpLevels::<&[u8]>::LENGTH } else { 0 });
        let mut packet = Tree { atp: Atp::new(header).expect("split to fit"), further: AtpLevels::new(further) };
        let atp = &mut packet.atp;
        let is_parameter = atp.has(flag::ACK);
        if !is_parameter && !self.serves(&packet) {
            return Verdict::Forward;
        }
        // The checksum would not be that of what leaves (RFC 768 allows none).
        Udp::new(&mut envelope[UDP..]).expect("split to fit").set_checksum(0);
        // Other queues on the way mark the IP header (RFC 3168); section 3.7 merges marks into the ECN flag.
        if has_met_congestion {
            packet.atp.set(flag::ECN);
        }
        if is_parameter {
            self.release(now, &packet.atp);
            return Verdict::Forward;
        }
        let is_resent = packet.atp.has(flag::RESEND) && !self.has(Defect::ResendIgnored);
        if is_resent { self.resent(&mut packet, values) } else { self.gradients(now, &mut packet, values) }
    }

    /// Returns true if the switch aggregates a gradient packet: it serves the job at the level to which the packet is on its
    /// way, the values are not originals, which go straight to the server (section 3.8, appendix B.2), and the switch has
    /// the aggregator. Identifier 0, which only packets of job 0 have, says that an aggregator is free.
    fn serves(&self, packet: &Tree<&mut [u8]>) -> bool {
        let atp = &packet.atp;
        self.levels[usize::from(atp.job())] == Some(packet.level())
            && usize::from(packet.level()) < packet.levels()
            && atp.job() != 0
            && !atp.has(flag::OVERFLOW)
            && usize::from(atp.aggregator()) < self.slots.len()
    }

    /// Figure 7, the left half: a gradient packet that is sent for the first time.
    fn gradients(&mut self, now: Instant, packet: &mut Tree<&mut [u8]>, values: &mut [u8]) -> Verdict {
        // Box 3: which bitmap and which degree are those of this switch.
        let level = packet.level();
        let (bitmap, fan_in) = (packet.bitmap(level), packet.fan_in(level));
        let fan_in = if self.has(Defect::FanInOffByOne) { fan_in.max(2) - 1 } else { fan_in };
        let checks_bitmap = !self.has(Defect::NoBitmapCheck);
        let merges_ecn = !self.has(Defect::EcnNotMerged);
        let atp = &mut packet.atp;
        let slot = &mut self.slots[usize::from(atp.aggregator())];
        let identifier = atp.job_and_sequence();
        let has_met_congestion = atp.has(flag::ECN);
        if slot.identifier == 0 {
            // Section 3.5: the aggregator is free, and this fragment takes it.
            take_all(&mut slot.values, values);
            slot.identifier = identifier;
            slot.bitmap = bitmap;
            slot.counter = 1;
            slot.ecn = has_met_congestion;
            slot.updated = ticks(now);
            self.totals.allocated += 1;
            return self.added(fan_in, packet, values);
        }
        if slot.identifier != identifier {
            // Boxes 1 and 2: another fragment has it; nobody on the way may aggregate this one.
            atp.set(flag::RESEND | flag::COLLISION);
            packet.set_level(level + 1);
            self.totals.collisions += 1;
            return Verdict::Forward;
        }
        slot.updated = ticks(now);
        // Box 7: marks are merged also from packets whose values are not added.
        slot.ecn |= has_met_congestion && merges_ecn;
        if slot.bitmap & bitmap != 0 && checks_bitmap {
            // Box 4: these values are part of the sum.
            self.totals.duplicates += 1;
            return Verdict::Absorb(reasons::DUPLICATE);
        }
        // Box 5.
        add_all(&mut slot.values[..values.len() / 4], values);
        slot.bitmap |= bitmap;
        slot.counter = slot.counter.saturating_add(1);
        self.totals.added += 1;
        self.added(fan_in, packet, values)
    }

    /// Figure 7, box 6: the sum goes on with the packet that makes it complete. It also stays here, until its parameter
    /// packet comes (box 8).
    fn added(&mut self, fan_in: u8, packet: &mut Tree<&mut [u8]>, values: &mut [u8]) -> Verdict {
        let slot = &self.slots[usize::from(packet.atp.aggregator())];
        if slot.counter < fan_in {
            return Verdict::Absorb(reasons::AGGREGATED);
        }
        hand_over(slot, packet, values);
        self.totals.complete += 1;
        Verdict::Forward
    }

    /// Figure 17: a gradient packet that was sent again, or that met a collision at an earlier switch. What the paper says of
    /// the second level holds for all levels beyond the first: their bits do not say which workers a partial sum has.
    fn resent(&mut self, packet: &mut Tree<&mut [u8]>, values: &mut [u8]) -> Verdict {
        let level = packet.level();
        let slot = &mut self.slots[usize::from(packet.atp.aggregator())];
        // Box 1.
        let has_slot = slot.identifier == packet.atp.job_and_sequence();
        if level > 0 {
            // Boxes 2 and 3: the second edge switch cannot merge partial sums, so it discards its own.
            if has_slot {
                slot.free();
                self.totals.abandoned += 1;
            }
            // Box 4.
            packet.set_level(level + 1);
            return Verdict::Forward;
        }
        if !has_slot {
            packet.set_level(level + 1);
            return Verdict::Forward;
        }
        // Boxes 5 and 6.
        if slot.bitmap & packet.bitmap(0) == 0 {
            add_all(&mut slot.values[..values.len() / 4], values);
            slot.bitmap |= packet.bitmap(0);
        }
        // Box 7: what there is goes on, complete or not.
        slot.ecn |= packet.atp.has(flag::ECN);
        hand_over(slot, packet, values);
        slot.free();
        self.totals.partial += 1;
        Verdict::Forward
    }

    /// Box 8 of figure 7, and section 3.7: a parameter packet frees the aggregator of its fragment, and any at its index
    /// that is too old.
    fn release(&mut self, now: Instant, atp: &Atp<&mut [u8]>) {
        let ages = !self.has(Defect::NoAgeing);
        let oldest = ticks(now).wrapping_sub(self.age);
        let Some(slot) = self.slots.get_mut(usize::from(atp.aggregator())) else { return };
        if slot.identifier == 0 {
            return;
        }
        if slot.identifier == atp.job_and_sequence() {
            slot.free();
            self.totals.freed += 1;
        } else if ages && oldest.wrapping_sub(slot.updated).cast_signed() > 0 {
            slot.free();
            self.totals.aged += 1;
        }
    }

    fn has(&self, defect: Defect) -> bool {
        self.parameters.defect == Some(defect)
    }
}

/// Puts what an aggregator holds into a packet that goes on, which is then on its way to the next level.
fn hand_over(slot: &Slot, packet: &mut Tree<&mut [u8]>, values: &mut [u8]) {
    give_all(&slot.values, values);
    let level = packet.level();
    packet.set_bitmap(level, slot.bitmap);
    packet.set_level(level + 1);
    if slot.ecn {
        packet.atp.set(flag::ECN);
    }
}

/// Where a packet of ATP ends, and whether it has the header of further levels.
#[derive(Clone, Copy)]
struct Extent {
    length: usize,
    has_further: bool,
}

/// The lengths of packets: of two passes through a switch, and of a single one (section 4), each without and with further levels.
const LENGTHS: [Extent; 4] = {
    const fn with(values: usize, has_further: bool) -> Extent {
        let further = if has_further { AtpLevels::<&[u8]>::LENGTH } else { 0 };
        Extent { length: BEHIND_ATP + further + 4 * values, has_further }
    }
    let (two, one) = (atp::VALUES, atp::VALUES_OF_ONE_PASS);
    [with(two, false), with(one, false), with(two, true), with(one, true)]
};

/// Returns the extent of a packet of ATP, which is in the head as a whole; `None` for all other packets. ATP is UDP in IPv4
/// without options and fragments, at its port, in packets of four lengths.
fn extent_of_atp(packet: &mut Packet) -> Option<Extent> {
    let head = packet.head.bytes();
    let udp = head.get(UDP..).and_then(Udp::new)?;
    if udp.destination_port() != atp::PORT {
        return None;
    }
    let ip = Ipv4::new(&head[IPV4..])?;
    let length = IPV4 + usize::from(ip.total_length());
    let extent = *LENGTHS.iter().find(|extent| extent.length == length)?;
    let is_atp = ip.version_and_length() == 0x45
        && ip.protocol() == protocol::UDP
        && ip.fragmentation() & 0x3FFF == 0
        && UDP + usize::from(udp.length()) == length;
    (is_atp && (head.len() >= length || gather(packet, length))).then_some(extent)
}
