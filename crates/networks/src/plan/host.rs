//! `[host]`: the processing costs of hosts; or several `[[host]]`, each for some hosts.

use basis::{Duration, Rate};
use transports::costs::{Attention, CostParameters, Work};

use super::names::Of;
use plans::Pattern;
use plans::Section;

/// The processing costs of some hosts.
#[derive(Clone, Debug)]
pub struct HostChoice {
    /// The names of the hosts; all hosts if there is none.
    pub names: Vec<Pattern>,
    /// Their costs.
    pub costs: CostParameters,
}

impl HostChoice {
    /// Returns whether the choice applies to the host of a name.
    pub fn is_for(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|pattern| pattern.matches(name))
    }
}

/// Reads one `[host]` or several `[[host]]`, and appends their text to `plan`. Without a section, hosts cost nothing.
pub(super) fn choices(root: &Section<'_>, plan: &mut String) -> Vec<HostChoice> {
    let sections = if root.is_list("host") {
        root.sections("host")
    } else {
        Some(root.section("host")).filter(Section::is_given).into_iter().collect()
    };
    let read = |section: Section<'_>| {
        let choice = choice(&section);
        section.end(plan);
        choice
    };
    sections.into_iter().map(read).collect()
}

fn choice(section: &Section<'_>) -> HostChoice {
    let names = section.patterns("where", Of::Host.word());
    let usual = CostParameters::default();
    let cores = section.count("cores", 1..=1024, u64::from(usual.cores)) as u16;
    let receive = Work {
        per_packet: section.duration("per_packet", Duration::ZERO),
        per_byte: section.duration("per_byte", Duration::ZERO),
    };
    let send = Work {
        per_packet: section.duration("send_per_packet", receive.per_packet),
        per_byte: section.duration("send_per_byte", receive.per_byte),
    };
    let pcie = section.has("pcie").then(|| section.rate("pcie", Rate::from_gigabits_per_second(64)));
    let attention = attention(section);
    let ring = |name, usual: u32| section.count(name, 1..=1_000_000, usual.into()) as u32;
    let receive_ring = ring("receive_ring", usual.receive_ring);
    let transmit_ring = ring("transmit_ring", usual.transmit_ring);
    let costs = CostParameters { cores, receive, send, pcie, attention, receive_ring, transmit_ring, slow: Vec::new() };
    HostChoice { names, costs }
}

fn attention(section: &Section<'_>) -> Attention {
    if !section.has("interrupt") {
        return Attention::Polling { period: section.duration("polling", Duration::ZERO) };
    }
    if section.has("polling") {
        section.error(&section.span_of("polling"), "`interrupt` and `polling` exclude each other", "keep one of them");
    }
    let latency = section.duration("interrupt", Duration::ZERO);
    let packets = section.count("coalesced_packets", 1..=1_000_000, 1) as u32;
    let time = section.duration("coalesced_time", Duration::ZERO);
    if packets > 1 && time == Duration::ZERO {
        let hint = "add `coalesced_time = \"20 us\"`, the longest time that the first packet waits for the others";
        section.error(&section.span_of("coalesced_packets"), "interrupts are coalesced for no time", hint);
    }
    Attention::Interrupt { latency, packets, time }
}
