//! The rules of a switch: figures 7 and 17 of the paper, box by box.

use basis::Instant;
use wire::{Atp, Ethernet, Ipv4, Packet, Udp, atp, atp::flag, protocol};

use super::Defect;
use super::state::{AtpSwitch, Slot, ticks};
use super::values::{add_all, give_all, take_all};
use crate::aggregator::gather::gather;
use crate::aggregator::{Verdict, reasons};

const IPV4: usize = Ethernet::<&[u8]>::LENGTH;
const UDP: usize = IPV4 + Ipv4::<&[u8]>::LENGTH;
const ATP: usize = UDP + Udp::<&[u8]>::LENGTH;
const VALUES: usize = ATP + Atp::<&[u8]>::LENGTH;

impl AtpSwitch {
    /// Handles an IPv4 packet of any kind.
    pub(super) fn handle(&mut self, now: Instant, packet: &mut Packet) -> Verdict {
        let Some(length) = length_of_atp(packet) else { return Verdict::Forward };
        let has_met_congestion = packet.head.bytes()[IPV4 + 1] & 3 == 3;
        let (headers, values) = packet.head.bytes_mut()[..length].split_at_mut(VALUES);
        let (envelope, header) = headers.split_at_mut(ATP);
        let mut atp = Atp::new(header).expect("split to fit");
        let is_parameter = atp.has(flag::ACK);
        if !is_parameter && !self.serves(&atp) {
            return Verdict::Forward;
        }
        // The checksum would not be that of what leaves (RFC 768 allows none).
        Udp::new(&mut envelope[UDP..]).expect("split to fit").set_checksum(0);
        // Other queues on the way mark the IP header (RFC 3168); section 3.7 merges marks into the ECN flag.
        if has_met_congestion {
            atp.set(flag::ECN);
        }
        if is_parameter {
            self.release(now, &atp);
            return Verdict::Forward;
        }
        let is_resent = atp.has(flag::RESEND) && !self.has(Defect::ResendIgnored);
        if is_resent { self.resent(&mut atp, values) } else { self.gradients(now, &mut atp, values) }
    }

    /// Returns true if the switch aggregates a gradient packet: it serves the job at the level to which the packet is on its
    /// way, the values are not originals, which go straight to the server (section 3.8, appendix B.2), and the switch has
    /// the aggregator. Identifier 0, which only packets of job 0 have, says that an aggregator is free.
    fn serves(&self, atp: &Atp<&mut [u8]>) -> bool {
        self.levels[usize::from(atp.job())] == Some(u8::from(atp.has(flag::SECOND_EDGE)))
            && atp.job() != 0
            && !atp.has(flag::OVERFLOW)
            && usize::from(atp.aggregator()) < self.slots.len()
    }

    /// Figure 7, the left half: a gradient packet that is sent for the first time.
    fn gradients(&mut self, now: Instant, atp: &mut Atp<&mut [u8]>, values: &mut [u8]) -> Verdict {
        // Box 3: which bitmap and which degree are those of this switch.
        let is_second = atp.has(flag::SECOND_EDGE);
        let bitmap = if is_second { atp.bitmap1() } else { atp.bitmap0() };
        let fan_in = if is_second { atp.fan_in1() } else { atp.fan_in0() };
        let fan_in = if self.has(Defect::FanInOffByOne) { fan_in.max(2) - 1 } else { fan_in };
        let checks_bitmap = !self.has(Defect::NoBitmapCheck);
        let merges_ecn = !self.has(Defect::EcnNotMerged);
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
            return self.added(is_second, fan_in, atp, values);
        }
        if slot.identifier != identifier {
            // Boxes 1 and 2: another fragment has it; nobody on the way may aggregate this one.
            atp.set(flag::RESEND | flag::COLLISION | flag::SECOND_EDGE);
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
        self.added(is_second, fan_in, atp, values)
    }

    /// Figure 7, box 6: the sum goes on with the packet that makes it complete. It also stays here, until its parameter
    /// packet comes (box 8).
    fn added(&mut self, is_second: bool, fan_in: u8, atp: &mut Atp<&mut [u8]>, values: &mut [u8]) -> Verdict {
        let slot = &self.slots[usize::from(atp.aggregator())];
        if slot.counter < fan_in {
            return Verdict::Absorb(reasons::AGGREGATED);
        }
        hand_over(slot, is_second, atp, values);
        self.totals.complete += 1;
        Verdict::Forward
    }

    /// Figure 17: a gradient packet that was sent again, or that met a collision at an earlier switch.
    fn resent(&mut self, atp: &mut Atp<&mut [u8]>, values: &mut [u8]) -> Verdict {
        let slot = &mut self.slots[usize::from(atp.aggregator())];
        // Box 1.
        let has_slot = slot.identifier == atp.job_and_sequence();
        if atp.has(flag::SECOND_EDGE) {
            // Boxes 2 and 3: the second edge switch cannot merge partial sums, so it discards its own.
            if has_slot {
                slot.free();
                self.totals.abandoned += 1;
            }
        } else if has_slot {
            // Boxes 5 and 6.
            if slot.bitmap & atp.bitmap0() == 0 {
                add_all(&mut slot.values[..values.len() / 4], values);
                slot.bitmap |= atp.bitmap0();
            }
            // Box 7: what there is goes on, complete or not.
            slot.ecn |= atp.has(flag::ECN);
            hand_over(slot, false, atp, values);
            slot.free();
            self.totals.partial += 1;
        }
        // Box 4.
        atp.set(flag::SECOND_EDGE);
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

/// Puts what an aggregator holds into a packet that goes on.
fn hand_over(slot: &Slot, is_second: bool, atp: &mut Atp<&mut [u8]>, values: &mut [u8]) {
    give_all(&slot.values, values);
    match is_second {
        false => atp.set_bitmap0(slot.bitmap),
        true => atp.set_bitmap1(slot.bitmap),
    }
    atp.set(flag::SECOND_EDGE | if slot.ecn { flag::ECN } else { 0 });
}

/// The lengths of a packet: of two passes through a switch, and of a single one (section 4).
const LENGTHS: [usize; 2] = [VALUES + 4 * atp::VALUES, VALUES + 4 * atp::VALUES_OF_ONE_PASS];

/// Returns the length of a packet of ATP, which is in the head as a whole; `None` for all other packets. ATP is UDP in IPv4
/// without options and fragments, at its port, in packets of two lengths.
fn length_of_atp(packet: &mut Packet) -> Option<usize> {
    let head = packet.head.bytes();
    let udp = head.get(UDP..).and_then(Udp::new)?;
    if udp.destination_port() != atp::PORT {
        return None;
    }
    let ip = Ipv4::new(&head[IPV4..])?;
    let length = IPV4 + usize::from(ip.total_length());
    let is_atp = ip.version_and_length() == 0x45
        && ip.protocol() == protocol::UDP
        && ip.fragmentation() & 0x3FFF == 0
        && LENGTHS.contains(&length)
        && UDP + usize::from(udp.length()) == length;
    (is_atp && (head.len() >= length || gather(packet, length))).then_some(length)
}
