//! The steps of a packet test, one after the other.

use std::collections::BTreeMap;

use basis::Instant;
use control::stf::{Expectation, Step};
use diagnostics::{Diagnostic, Diagnostics, Span};
use machines::Device;
use node::{Outbox, Port};
use wire::Packet;

use super::judge::{Expected, Left, judge};
use super::reads::read;
use super::{CheckOutcome, PacketTest, ReadOutcome, TestOutcome};
use crate::failure::Failure;
use crate::packet_programs::Activity;
use crate::packet_programs::switch::no_such_port;

/// What is known while a test runs.
#[derive(Default)]
struct Running {
    packets: u64,
    out: Outbox,
    expected: BTreeMap<u32, Vec<Expected>>,
    left: BTreeMap<u32, Vec<Left>>,
    checks: Vec<CheckOutcome>,
    reads: Vec<ReadOutcome>,
    /// Whether a line says what leaves.
    is_about_packets: bool,
    refused: Diagnostics,
}

impl PacketTest {
    pub(super) fn run_on(self, mut switch: Box<dyn Device>) -> Result<TestOutcome, Failure> {
        let mut running = Running::default();
        for step in &self.steps {
            let line = self.sources.place(step.span).0;
            running.step(&mut *switch, &step.item, step.span, line);
        }
        if running.refused.has_errors() {
            return Err(Failure::BadInput { sources: self.sources, diagnostics: running.refused });
        }
        let statistics = Activity::of(&*switch);
        let conserved = statistics.is_conserved();
        debug_assert!(conserved, "packets were lost or made: {statistics:?}");
        let left = if running.is_about_packets { running.left } else { BTreeMap::new() };
        let (expectations, unexpected) = judge(running.expected, left);
        let (checks, reads) = (running.checks, running.reads);
        let passed = conserved
            && unexpected.is_empty()
            && expectations.iter().all(|expectation| expectation.difference.is_none())
            && checks.iter().all(|check| check.difference.is_none());
        Ok(TestOutcome { test: self.name, passed, statistics, expectations, unexpected, checks, reads })
    }
}

impl Running {
    fn step(&mut self, switch: &mut dyn Device, step: &Step, span: Span, line: usize) {
        match step {
            Step::Request(request) => match switch.execute(request) {
                Ok(response) => self.reads.extend(read(switch.info(), line, request, response)),
                Err(error) => self.refused.push(Diagnostic::error(span, error.to_string()).label("refused")),
            },
            Step::Packet { port, bytes } => match u16::try_from(*port) {
                Ok(number) if no_such_port(switch, *port).is_none() => self.packet(switch, Port(number), bytes),
                _ => self.refused.extend(no_such_port(switch, *port).map(|refusal| Diagnostic::error(span, refusal))),
            },
            Step::Expect { port, expectation } => self.expect(*port, expectation, line),
            Step::NoPacket => self.no_packet(line),
            // Nothing is ever under way between two lines.
            Step::Wait => {}
            Step::Check { counter, request, check } => {
                let difference = match switch.execute(request) {
                    Ok(response) => check.verify(switch.info(), *counter, &response).err(),
                    Err(error) => Some(error.to_string()),
                };
                self.checks.push(CheckOutcome { line, difference });
            }
        }
    }

    fn packet(&mut self, switch: &mut dyn Device, port: Port, bytes: &[u8]) {
        let now = Instant::from_microseconds(self.packets);
        let mut packet = Packet::of_bytes(bytes);
        packet.sidecar.id = self.packets;
        packet.sidecar.arrival = now;
        self.packets += 1;
        self.out.begin(now);
        switch.receive(now, port, &mut vec![packet], &mut self.out);
        self.out.discarded.clear();
        for transmission in self.out.transmissions.drain(..) {
            let bytes = transmission.packet.head.bytes().to_vec();
            let left = Left { time: transmission.at.microseconds(), bytes, no_packet: None };
            self.left.entry(transmission.port.0.into()).or_default().push(left);
        }
    }

    fn expect(&mut self, port: u32, expectation: &Expectation, line: usize) {
        self.is_about_packets = true;
        self.expected.entry(port).or_default().push(Expected { line, expectation: expectation.clone() });
    }

    /// Whatever has left by now has to be expected by now.
    fn no_packet(&mut self, line: usize) {
        self.is_about_packets = true;
        for (port, left) in &mut self.left {
            let expected = self.expected.get(port).map_or(0, Vec::len);
            for packet in left.iter_mut().skip(expected) {
                packet.no_packet.get_or_insert(line);
            }
        }
    }
}
