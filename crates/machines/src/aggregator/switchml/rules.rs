//! The rules of a switch.

use node::Reason;
use wire::{Ethernet, Ipv4, Packet, SwitchMl, Udp, protocol, switchml};

use super::SwitchMlDefect as Defect;
use super::state::{MOST_VALUES, Place, SwitchMlSwitch, Worker};
use crate::aggregator::gather::gather;
use crate::aggregator::{Verdict, reasons};

const IPV4: usize = Ethernet::<&[u8]>::LENGTH;
const UDP: usize = IPV4 + Ipv4::<&[u8]>::LENGTH;
const SWITCHML: usize = UDP + Udp::<&[u8]>::LENGTH;
const VALUES: usize = SWITCHML + SwitchMl::<&[u8]>::LENGTH;

/// The workers that get a sum.
#[derive(Clone, Copy, Debug)]
enum Receivers {
    /// All workers: the packet has made the sum complete.
    Group,
    /// The worker that has sent the packet again, because it does not have the sum.
    Worker,
}

impl SwitchMlSwitch {
    /// Handles an IPv4 packet of any kind.
    pub(super) fn handle(&mut self, packet: &mut Packet) -> Verdict {
        let Some(length) = length_of_contribution(packet) else { return Verdict::Forward };
        let (headers, values) = packet.head.bytes_mut()[..length].split_at_mut(VALUES);
        let (envelope, header) = headers.split_at_mut(SWITCHML);
        let header = SwitchMl::new(header).expect("split to fit");
        let ip = Ipv4::new(&envelope[IPV4..]).expect("split to fit");
        let Some(worker) = self.worker(ip.source_bits(), ip.destination_bits(), header.job()) else {
            return Verdict::Forward;
        };
        let (slot, set) = (2 * usize::from(header.slot()), header.set());
        if slot + 1 >= self.places.len() {
            return Verdict::Absorb(reasons::NO_SLOT);
        }
        let defect = self.parameters.defect;
        if defect == Some(Defect::PartsNotCompared) {
            // The public program does without numbers of parts: a packet takes its worker's bit from the other set.
            self.places[slot + (1 - set)].bitmap &= !worker.bitmap;
        }
        let set = if defect == Some(Defect::NoShadowCopy) { 0 } else { set };
        match self.places[slot + set].receive(header.part(), &worker, values, defect) {
            Ok(receivers) => {
                self.totals.sums += u64::from(matches!(receivers, Receivers::Group));
                self.totals.sums_again += u64::from(matches!(receivers, Receivers::Worker));
                answer(envelope, header, &worker, receivers);
                Verdict::Forward
            }
            Err(reason) => {
                self.totals.added += u64::from(reason == reasons::AGGREGATED);
                self.totals.duplicates += u64::from(reason == reasons::DUPLICATE);
                self.totals.late += u64::from(reason == reasons::LATE);
                Verdict::Absorb(reason)
            }
        }
    }
}

impl Place {
    /// Adds a contribution, or fails with the reason for which the packet goes no further. The values of a packet that goes on
    /// are the sums.
    fn receive(
        &mut self,
        part: u32,
        worker: &Worker,
        values: &mut [u8],
        defect: Option<Defect>,
    ) -> Result<Receivers, Reason> {
        // The number of parts from that of the place to that of the packet, in serial arithmetic (RFC 1982). The worker of a later part
        // has the sum of the part between them, in the other set. So all workers have contributed to that one, and have the sum
        // that is here.
        let ahead = match defect {
            Some(Defect::PartsNotCompared) => 0,
            _ => part.wrapping_sub(self.part).cast_signed(),
        };
        if self.bitmap == 0 || ahead > 0 {
            (self.part, self.bitmap, self.count) = (part, 0, 0);
        } else if ahead < 0 {
            return Err(reasons::LATE);
        }
        let is_complete = |count: u8| match defect {
            Some(Defect::OneWorkerFewer) => count + 1 >= worker.workers,
            _ => count >= worker.workers,
        };
        if self.bitmap & worker.bitmap != 0 && defect != Some(Defect::NoBitmapCheck) {
            if !is_complete(self.count) || defect == Some(Defect::NoRetransmission) {
                return Err(reasons::DUPLICATE);
            }
            give(&self.values, values);
            return Ok(Receivers::Worker);
        }
        add(&mut self.values, values, self.bitmap == 0);
        self.bitmap |= worker.bitmap;
        self.count += 1;
        if !is_complete(self.count) {
            return Err(reasons::AGGREGATED);
        }
        give(&self.values, values);
        Ok(Receivers::Group)
    }
}

/// Adds the values of a packet, or takes them if they are the first. Sums wrap around, as those of the public program do.
fn add(own: &mut [i32; MOST_VALUES], bytes: &[u8], is_first: bool) {
    for (own, bytes) in own.iter_mut().zip(bytes.as_chunks().0) {
        let value = i32::from_be_bytes(*bytes);
        *own = if is_first { value } else { own.wrapping_add(value) };
    }
}

fn give(own: &[i32; MOST_VALUES], bytes: &mut [u8]) {
    for (own, bytes) in own.iter().zip(bytes.as_chunks_mut().0) {
        *bytes = own.to_be_bytes();
    }
}

/// Turns a contribution into a result, from the switch to the worker or the group of all, as the public program fills in headers.
fn answer(envelope: &mut [u8], mut header: SwitchMl<&mut [u8]>, worker: &Worker, receivers: Receivers) {
    header.set_kind_and_size(switchml::kind::RESULT << 4 | header.kind_and_size() & 7);
    let (ethernet, rest) = envelope.split_at_mut(IPV4);
    let (ip, udp) = rest.split_at_mut(UDP - IPV4);
    let mut ethernet = Ethernet::new(ethernet).expect("split to fit");
    let (own, sender) = (ethernet.destination(), ethernet.source());
    ethernet.set_source(own);
    ethernet.set_destination(match receivers {
        Receivers::Worker => sender,
        // The address of a group has 23 bits of its IP address (RFC 1112, section 6.4).
        Receivers::Group => {
            let [_, b, c, d] = worker.group.to_be_bytes();
            [0x01, 0x00, 0x5E, b & 0x7F, c, d]
        }
    });
    let mut ip = Ipv4::new(ip).expect("split to fit");
    let (own, sender) = (ip.destination_bits(), ip.source_bits());
    ip.set_source_bits(own);
    ip.set_destination_bits(match receivers {
        Receivers::Worker => sender,
        Receivers::Group => worker.group,
    });
    ip.set_traffic_class(0);
    ip.set_identification(0);
    ip.set_fragmentation(0);
    ip.set_time_to_live(64);
    ip.fill_checksum();
    let mut udp = Udp::new(udp).expect("split to fit");
    let (own, sender) = (udp.destination_port(), udp.source_port());
    udp.set_source_port(own);
    udp.set_destination_port(sender);
    udp.set_checksum(0);
}

/// Returns the length of a contribution that is in the head as a whole; `None` for all other packets.
fn length_of_contribution(packet: &mut Packet) -> Option<usize> {
    let head = packet.head.bytes();
    let udp = head.get(UDP..).and_then(Udp::new)?;
    if udp.destination_port() & switchml::PORT_MASK != switchml::PORT {
        return None;
    }
    let (ip, header) = (Ipv4::new(&head[IPV4..])?, SwitchMl::new(head.get(SWITCHML..)?)?);
    let length = IPV4 + usize::from(ip.total_length());
    let is_contribution = ip.version_and_length() == 0x45
        && ip.protocol() == protocol::UDP
        && ip.fragmentation() & 0x3FFF == 0
        && header.kind() == switchml::kind::CONTRIBUTION
        && header.values() <= MOST_VALUES
        && length == VALUES + 4 * header.values()
        && UDP + usize::from(udp.length()) == length;
    (is_contribution && gather(packet, length)).then_some(length)
}
