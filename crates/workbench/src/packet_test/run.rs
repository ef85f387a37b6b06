//! Executes the steps of a packet test in order.

use std::collections::{BTreeMap, VecDeque};

use basis::{Duration, Instant};
use control::stf::{Expectation, IdleCheck, Step};
use control::{IdleEntry, Request, Response};
use diagnostics::{Diagnostic, Diagnostics, Span};
use machines::{Device, Standstill};
use measure::{Event, Interest};
use node::{Course, Discarded, Limit, Offered, Port, Sink, Transmission};
use runtime::Bits;
use wire::Packet;

use super::judge::{Expected, Left, judge};
use super::reads::read;
use super::{CheckOutcome, PacketTest, ReadOutcome, TestOutcome};
use crate::Activity;
use crate::ports::no_such_port;
use diagnostics::Failure;

/// The time from one packet to the next.
const BETWEEN_PACKETS: Duration = Duration::from_microseconds(1);

/// The state of a running test.
struct Running {
    /// The time before which the next packet does not arrive.
    earliest: Instant,
    /// The time at which the last packet arrived, or until which a line has waited since.
    last: Instant,
    /// Whether all packets so far are finished.
    is_finished: bool,
    course: Course,
    expected: BTreeMap<u32, Vec<Expected>>,
    left: BTreeMap<u32, Vec<Left>>,
    checks: Vec<CheckOutcome>,
    reads: Vec<ReadOutcome>,
    /// The messages of each digest that no line has looked at, the oldest first.
    digests: BTreeMap<usize, VecDeque<Vec<Bits>>>,
    /// The notifications of idle entries that no line has looked at, the oldest first.
    idle: VecDeque<IdleEntry>,
    /// Whether the test has a line with `expect` or `no_packet`.
    is_about_packets: bool,
    refused: Diagnostics,
}

impl PacketTest {
    pub(super) fn run_on(self, mut switch: Box<dyn Device>) -> Result<TestOutcome, Failure> {
        let mut running = Running::new();
        for step in &self.steps {
            let line = self.sources.place(step.span).0;
            running.step(&mut *switch, &step.item, step.span, line)?;
        }
        running.finish(&mut *switch)?;
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

/// A sink that collects departing packets by port.
struct Leaving<'l>(&'l mut BTreeMap<u32, Vec<Left>>);

impl Sink for Leaving<'_> {
    fn transmitted(&mut self, transmission: Transmission) {
        let mut bytes = Vec::new();
        transmission.packet.append_to(&mut bytes);
        let left = Left { time: transmission.at.microseconds(), bytes, no_packet: None };
        self.0.entry(transmission.port.0.into()).or_default().push(left);
    }

    fn discarded(&mut self, _at: Instant, _discarded: Discarded) {}

    fn event(&mut self, _at: Instant, _event: Event) {}
}

impl Running {
    fn new() -> Self {
        Self {
            earliest: Instant::ZERO,
            last: Instant::ZERO,
            is_finished: true,
            course: Course::new(Limit::default(), Interest::default()),
            expected: BTreeMap::new(),
            left: BTreeMap::new(),
            checks: Vec::new(),
            reads: Vec::new(),
            digests: BTreeMap::new(),
            idle: VecDeque::new(),
            is_about_packets: false,
            refused: Diagnostics::new(),
        }
    }

    fn step(&mut self, switch: &mut dyn Device, step: &Step, span: Span, line: usize) -> Result<(), Standstill> {
        if !matches!(step, Step::Packet { .. } | Step::Expect { .. }) {
            self.finish(switch)?;
        }
        match step {
            Step::Request(request) => {
                match switch.execute(request) {
                    Ok(response) => self.reads.extend(read(switch.info(), line, request, response)),
                    Err(error) => self.refused.push(Diagnostic::error(span, error.to_string()).label("refused")),
                }
                // An event that was raised begins a thread, though no packet comes.
                if matches!(request, Request::RaiseEvent(..)) {
                    self.is_finished = false;
                    let told = self.course.tell_time(switch, &mut Leaving(&mut self.left));
                    told.map_err(|endless| Standstill::of(switch, endless.at, Some(endless)))?;
                }
            }
            Step::Packet { port, bytes } => match u16::try_from(*port) {
                Ok(number) if no_such_port(switch, *port).is_none() => self.packet(switch, Port(number), bytes)?,
                _ => self.refused.extend(no_such_port(switch, *port).map(|refusal| Diagnostic::error(span, refusal))),
            },
            Step::Expect { port, expectation } => self.expect(*port, expectation, line),
            Step::NoPacket => self.no_packet(line),
            Step::Wait { time } => self.wait(switch, *time)?,
            // The machine was built with it.
            Step::Option { .. } => {}
            Step::Check { request, check } => {
                let difference = match switch.execute(request) {
                    Ok(response) => check.verify(switch.info(), &response).err(),
                    Err(error) => Some(error.to_string()),
                };
                self.checks.push(CheckOutcome { line, difference });
            }
            Step::CheckDigest(check) => {
                let difference = match switch.execute(&Request::TakeDigests(check.digest)) {
                    Ok(response) => {
                        let waiting = self.digests.entry(check.digest.index()).or_default();
                        if let Response::Digests(messages) = response {
                            waiting.extend(messages);
                        }
                        let next = if check.fields.is_some() { waiting.pop_front() } else { waiting.front().cloned() };
                        check.verify(switch.info(), next.as_deref()).err()
                    }
                    Err(error) => Some(error.to_string()),
                };
                self.checks.push(CheckOutcome { line, difference });
            }
            Step::CheckIdle(check) => {
                let difference = self.check_idle(switch, check).err();
                self.checks.push(CheckOutcome { line, difference });
            }
        }
        Ok(())
    }

    /// Looks at the next notification of an idle entry. Returns what is wrong with it.
    fn check_idle(&mut self, switch: &mut dyn Device, check: &IdleCheck) -> Result<(), String> {
        let in_words = |error: control::Error| error.to_string();
        if let Response::IdleEntries(found) = switch.execute(&Request::TakeIdleEntries).map_err(in_words)? {
            self.idle.extend(found);
        }
        let Some(expected) = &check.entry else { return check.verify(switch.info(), self.idle.front(), None) };
        let handle = match switch.execute(&expected.read()).map_err(in_words)? {
            Response::Entries(entries) => entries.first().map(|entry| entry.handle),
            _ => None,
        };
        check.verify(switch.info(), self.idle.pop_front().as_ref(), handle)
    }

    /// Sends a packet into the device at the earliest time.
    fn packet(&mut self, device: &mut dyn Device, port: Port, bytes: &[u8]) -> Result<(), Standstill> {
        let offered = Offered { at: self.earliest, port, packet: Packet::of_bytes(bytes) };
        self.last = self.earliest;
        self.earliest = self.last + BETWEEN_PACKETS;
        self.is_finished = false;
        let went_on = self.course.offer(device, offered, &mut Leaving(&mut self.left));
        went_on.map_err(|endless| Standstill::of(device, endless.at, Some(endless)))
    }

    /// Lets a time pass after the last packet, or after the time until which the last line has waited. Timers of the device go
    /// on, though no packet may follow.
    fn wait(&mut self, device: &mut dyn Device, time: Duration) -> Result<(), Standstill> {
        self.last += time;
        self.earliest = self.earliest.max(self.last);
        if time == Duration::ZERO {
            return Ok(());
        }
        let went_on = self.course.wait(device, self.earliest, &mut Leaving(&mut self.left));
        went_on.map_err(|endless| Standstill::of(device, endless.at, Some(endless)))?;
        // What has begun while nobody sent anything is finished, too.
        let end = self.come_to_rest(device)?;
        if end > self.earliest {
            self.earliest = after(end);
        }
        Ok(())
    }

    /// Drives the device until it is idle. The next packet arrives at a whole microsecond after that.
    fn finish(&mut self, device: &mut dyn Device) -> Result<(), Standstill> {
        if std::mem::replace(&mut self.is_finished, true) {
            return Ok(());
        }
        let end = self.come_to_rest(device)?;
        self.earliest = self.earliest.max(after(end));
        Ok(())
    }

    /// Drives the device until it is idle. Returns the time of the last call to it.
    fn come_to_rest(&mut self, device: &mut dyn Device) -> Result<Instant, Standstill> {
        let end = self.course.finish(device, &mut Leaving(&mut self.left));
        end.map_err(|endless| Standstill::of(device, endless.at, Some(endless)))
    }

    fn expect(&mut self, port: u32, expectation: &Expectation, line: usize) {
        self.is_about_packets = true;
        self.expected.entry(port).or_default().push(Expected { line, expectation: expectation.clone() });
    }

    /// Marks the packets that have left but are not expected by now.
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

/// Returns the next whole microsecond after a time.
fn after(time: Instant) -> Instant {
    Instant::from_microseconds(time.microseconds() + 1)
}
