//! The judge of a run, which knows the expected result of every packet in flight and records deviations.

use basis::Instant;
use control::{Request, Response};
use machines::{Device, Standstill, Statistics};
use node::{Account, Discarded, Offered, Transmission};
use wire::Sidecar;

use crate::AccessOrder;
use crate::check::{Leaving, Rules};
use crate::comparison::{Comparison, Times, Verdict};
use crate::difference::{self, Fate, FateDifference, PacketDifference};
use crate::flow_order::FlowOrder;
use crate::flows::Flow;
use crate::in_flight::InFlight;
use crate::record::Record;
use crate::reference::{Expected, Reference};

/// A packet in the machine.
#[derive(Debug)]
struct Inside {
    expected: Expected,
    flow: Flow,
    difference: PacketDifference,
    /// The number of ends (transmissions and drops) that the machine has reported for the packet.
    ended: usize,
    /// Whether the machine has reported the final fields of the packet.
    completed: bool,
}

/// Follows one run of a machine and compares it with the reference.
pub(crate) struct Judge<'r> {
    rules: &'r Rules,
    reference: Reference<'r>,
    in_flight: InFlight<Inside>,
    access_order: AccessOrder,
    flow_order: FlowOrder<Flow>,
    times: Times,
    not_applicable: u64,
    transmitted: u64,
    dropped: u64,
    lost: u64,
    different_packets: u64,
    packet_differences: Vec<PacketDifference>,
    /// Inconsistencies in the accounting of packets; [`Judge::fault`] bounds their number.
    faults: Vec<String>,
    /// What differs beside packets and the state at the end, as sentences; a few of them.
    other_differences: Vec<String>,
    record: Option<Record>,
}

impl<'r> Judge<'r> {
    /// Creates a judge for a run that has not begun. If there is a `record`, the fate of every packet is written into
    /// it.
    pub(crate) fn new(reference: Reference<'r>, rules: &'r Rules, record: Option<Record>) -> Self {
        Self {
            rules,
            reference,
            in_flight: InFlight::new(),
            access_order: AccessOrder::new(),
            flow_order: FlowOrder::new(),
            times: Times::default(),
            not_applicable: 0,
            transmitted: 0,
            dropped: 0,
            lost: 0,
            different_packets: 0,
            packet_differences: Vec::new(),
            faults: Vec::new(),
            other_differences: Vec::new(),
            record,
        }
    }

    pub(crate) fn access(&mut self, at: Instant, unit: u32, index: u32, sequence: u64) {
        self.access_order.access(at, unit, index, sequence);
    }

    pub(crate) fn offer(&mut self, offered: &Offered) {
        // `drive` looks one packet ahead: the machine has received the packets before this one and has advanced to the
        // arrival of the last of them.
        if self.rules.leaving == Leaving::BeforeTheNext {
            self.end_all(offered.at);
        }
        if let Some(now) = self.times.last_arrival {
            self.flow_order.advance(Instant::from_picoseconds(now), self.in_flight.lowest());
        }
        self.times.arrival(offered.at.picoseconds());
        let sequence = self.in_flight.entered();
        let expected = self.reference.packet(sequence, offered);
        let flow = self.rules.flows.of(offered, expected.applies.then(|| expected.arrived()));
        self.not_applicable += u64::from(!expected.applies && self.reference.has_fields());
        if let Some(record) = &mut self.record {
            record.offered(offered, &expected);
        }
        let difference = PacketDifference::none(sequence, 0);
        self.in_flight.enter(Inside { expected, flow, difference, ended: 0, completed: false });
    }

    pub(crate) fn completed(&mut self, at: Instant, sequence: u64, fields: &[u64]) {
        let offered = self.arrived_by(at);
        let Some(inside) = self.in_flight.get_mut(sequence) else {
            return self.fault(|| format!("packet {sequence} was completed while it was not in the machine"));
        };
        if inside.completed {
            return self.fault(|| format!("packet {sequence} was completed twice"));
        }
        inside.completed = true;
        // Only the bytes are compared for a packet to which the program does not apply; its fields are meaningless.
        if !inside.expected.applies {
            return;
        }
        if let Some(record) = &mut self.record {
            record.completed(sequence, fields);
        }
        if inside.expected.fields() != fields {
            let program = self.reference.program();
            let (arrived, expected) = (inside.expected.arrived(), inside.expected.fields());
            inside.difference.fields = difference::fields(program, arrived, expected, fields);
            inside.difference.offered = offered;
        }
    }

    /// Compares the answer of the machine to a control plane request with that of the reference.
    pub(crate) fn asked(&mut self, request: &Request, machine: Result<Response, control::Error>) {
        let expected = self.reference.execute(request);
        if expected != machine && request.is_read() && expected.is_ok() && machine.is_ok() {
            // State differs, which need not last until the end.
            if self.other_differences.len() < 8 {
                let packets = self.in_flight.entered();
                let sentence =
                    format!("a request that reads after {packets} packets gets another answer from the machine");
                self.other_differences.push(sentence);
            }
        } else if expected != machine {
            let words = |answer: &Result<Response, control::Error>| match answer {
                Ok(_) => "a different response".to_owned(),
                Err(error) => format!("the error \"{error}\""),
            };
            self.fault(|| {
                format!(
                    "a control plane request got {} from the machine, but {} from the reference",
                    words(&machine),
                    words(&expected)
                )
            });
        }
    }

    pub(crate) fn transmitted(&mut self, transmission: Transmission) {
        let sequence = transmission.packet.sidecar.id;
        let has_fields = self.reference.has_fields();
        if sequence == Sidecar::MADE {
            // The reference compares those that programs make.
            self.transmitted += 1;
            return self.times.departure(transmission.at.picoseconds());
        }
        let Some(inside) = self.in_flight.get_mut(sequence) else { return self.is_not_inside(sequence, "transmitted") };
        self.transmitted += 1;
        self.times.departure(transmission.at.picoseconds());
        if has_fields && inside.expected.applies && !inside.completed {
            inside.difference.not_run = true;
        }
        if let Some(end) = inside.expected.ends.get(inside.ended)
            && end.fate != Fate::Dropped
            && inside.difference.bytes.is_none()
        {
            inside.difference.bytes = difference::bytes(&end.packet, &transmission.packet);
        }
        self.ended(transmission.at, sequence, Fate::Leaves { port: transmission.port.0 });
    }

    pub(crate) fn discarded(&mut self, at: Instant, discarded: &Discarded) {
        let (sequence, reason) = (discarded.packet.sidecar.id, discarded.reason);
        if sequence == Sidecar::MADE {
            self.dropped += 1;
            return;
        }
        let Some(inside) = self.in_flight.get_mut(sequence) else { return self.is_not_inside(sequence, "discarded") };
        let end = inside.expected.ends.get(inside.ended);
        // A packet that the program sends to a port that does not exist is also dropped by the program, as is one that
        // is discarded for the expected reason.
        if self.rules.leaving != Leaving::AsExpected
            || reason.is_by_program()
            || end.is_some_and(|end| end.reason == Some(reason))
        {
            self.dropped += 1;
            self.times.departure(at.picoseconds());
            self.ended(at, sequence, Fate::Dropped);
        } else {
            self.lost += 1;
            if let Some(record) = &mut self.record {
                record.lost(sequence, reason);
            }
            _ = self.leave(sequence);
        }
    }

    fn is_not_inside(&mut self, sequence: u64, how: &str) {
        self.fault(|| format!("packet {sequence} was {how} while it was not in the machine"));
    }

    fn leave(&mut self, sequence: u64) -> Option<Inside> {
        let inside = self.in_flight.leave(sequence);
        // All accesses of the packet have been recorded, because `drive` reports the events of a call before its
        // departures.
        self.access_order.lowest_in_flight(self.in_flight.lowest());
        inside
    }

    /// Records one end of a packet, whose fate is the program's decision. After its last end, the packet has left.
    fn ended(&mut self, at: Instant, sequence: u64, fate: Fate) {
        if let Some(record) = &mut self.record {
            record.ended(sequence, fate);
        }
        let Some(inside) = self.in_flight.get_mut(sequence) else { return };
        let expected = inside.expected.ends.get(inside.ended).map_or(Fate::Dropped, |end| end.fate);
        if expected != fate && inside.difference.fate.is_none() {
            inside.difference.fate = Some(FateDifference { expected, machine: fate });
        }
        inside.ended += 1;
        if self.rules.leaving != Leaving::AsExpected || inside.ended < inside.expected.ends.len() {
            return;
        }
        self.left(at, sequence, fate);
    }

    /// Notes that all packets inside have come to all of their ends.
    fn end_all(&mut self, at: Instant) {
        while self.in_flight.count() > 0 {
            let sequence = self.in_flight.lowest();
            let Some(inside) = self.in_flight.get_mut(sequence) else { return };
            if let Some(missing) = inside.expected.ends.get(inside.ended)
                && inside.difference.fate.is_none()
                && missing.fate != Fate::Dropped
            {
                inside.difference.fate = Some(FateDifference { expected: missing.fate, machine: Fate::Dropped });
            }
            let last = inside.expected.ends.last().map_or(Fate::Dropped, |end| end.fate);
            self.left(at, sequence, last);
        }
    }

    /// Records what differs of a packet that has left the machine; `fate` is that of its last end.
    fn left(&mut self, at: Instant, sequence: u64, fate: Fate) {
        let Some(mut inside) = self.leave(sequence) else { return };
        if !inside.difference.is_none() {
            self.different_packets += 1;
            if self.packet_differences.len() < self.rules.kept {
                let seen = inside.difference.offered;
                inside.difference.offered = if seen == 0 { self.arrived_by(at) } else { seen };
                self.packet_differences.push(inside.difference);
            }
        }
        if fate != Fate::Dropped {
            self.flow_order.departs(at, sequence, inside.flow);
        }
    }

    /// Returns the number of packets that can have influenced an event at `at`; `drive` has looked one packet ahead.
    fn arrived_by(&self, at: Instant) -> u64 {
        let ahead = self.times.last_arrival.is_some_and(|last| last > at.picoseconds());
        self.in_flight.entered() - u64::from(ahead)
    }

    /// Records an inconsistency in the accounting of packets. A few sentences are as informative as millions.
    fn fault(&mut self, sentence: impl FnOnce() -> String) {
        if self.faults.len() < 8 {
            self.faults.push(sentence());
        }
    }

    pub(crate) fn conclude(
        mut self,
        machine: &dyn Device,
        standstill: Option<Standstill>,
    ) -> (Comparison, Option<Record>) {
        if self.rules.leaving != Leaving::AsExpected && standstill.is_none() {
            self.end_all(self.times.last_arrival.map_or(Instant::ZERO, Instant::from_picoseconds));
        }
        self.flow_order.finish();
        let statistics = machine.statistics();
        self.account(&statistics, machine.account(), standstill.is_some());
        let inside = self.in_flight.count();
        let offered = self.in_flight.entered();
        let mut comparison = Comparison {
            verdict: Verdict::Equal,
            packets: offered,
            not_applicable: self.not_applicable,
            different_packets: self.different_packets,
            packet_differences: self.packet_differences,
            different_registers: 0,
            register_differences: Vec::new(),
            other_differences: self.other_differences,
            access_violations: self.access_order.violating_packets(),
            first_overtaking: self.access_order.first().cloned(),
            reordered_packets: self.flow_order.reordered_packets(),
            first_reordering: self.flow_order.first().cloned(),
            times: self.times,
            throughput: self.times.throughput(offered, self.transmitted + self.dropped),
            machine: statistics,
            standstill,
        };
        comparison.other_differences.extend(self.reference.other_differences());
        if self.rules.registers {
            self.reference.differences(machine, |difference| {
                comparison.different_registers += 1;
                if comparison.register_differences.len() < self.rules.kept {
                    comparison.register_differences.push(difference);
                }
            });
        }
        let different = comparison.different_packets > 0
            || comparison.different_registers > 0
            || !comparison.other_differences.is_empty()
            || self.rules.access_order && comparison.access_violations > 0
            || self.rules.flow_order && comparison.reordered_packets > 0;
        comparison.verdict = if !self.faults.is_empty() {
            Verdict::Unaccounted { faults: self.faults }
        } else if comparison.standstill.is_some() {
            Verdict::Unfinished { inside }
        } else if self.lost > 0 {
            // The effects of a lost packet are missing in all later packets and registers.
            comparison.different_packets = 0;
            comparison.packet_differences.clear();
            comparison.different_registers = 0;
            comparison.register_differences.clear();
            comparison.other_differences.clear();
            Verdict::Excluded { lost: self.lost }
        } else if different {
            Verdict::Different
        } else {
            Verdict::Equal
        };
        (comparison, self.record)
    }

    /// Checks that packets are conserved: received + made = transmitted + discarded + in flight, and none that arrived is in
    /// flight at the end unless the machine is known to be stuck. Both the observed numbers and the machine's counters are
    /// checked.
    fn account(&mut self, statistics: &Statistics, account: Account, stands_still: bool) {
        if self.in_flight.count() > 0 && !stands_still {
            let (count, first) = (self.in_flight.count(), self.in_flight.lowest());
            let packets = if count == 1 { "packet" } else { "packets" };
            self.fault(|| format!("{count} {packets} never came out, the first of them packet {first}"));
        }
        let come = self.in_flight.entered() + account.generated + account.replicated;
        let gone = self.transmitted + self.dropped + self.lost + account.consumed;
        let counted = [
            ("received", statistics.received, self.in_flight.entered()),
            ("transmitted", statistics.transmitted, self.transmitted),
            ("discarded", statistics.discarded.total(), self.dropped + self.lost),
            ("still inside", statistics.in_flight, come.saturating_sub(gone)),
        ];
        for (what, machine, seen) in counted {
            if machine != seen {
                self.fault(|| format!("the machine counted {machine} packets {what}, but there were {seen}"));
            }
        }
    }
}
