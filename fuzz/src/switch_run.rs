//! Runs of a switch or chip that are held against each other.

use std::sync::Arc;

use basis::Instant;
use control::{Info, Request};
use ir::Program;
use ir::interpret::PacketInterpreter;
use machines::blocks::{Digest, Executor};
use machines::tofino::{Tofino, TofinoParameters};
use machines::trace::{Pass, Step as Traced};
use machines::v1model::{Switch, V1modelParameters};
use machines::{Device, Statistics};
use measure::{Event, Interest};
use node::{Course, Discarded, Limit, Offered, Port, Reason, Sink, Transmission};
use wire::{Packet, Tail};

/// What happens to a switch.
#[derive(Clone, Debug)]
pub enum Step {
    /// The control plane asks for something.
    Request(Request),
    /// A packet arrives.
    Packet {
        /// Where.
        port: u16,
        /// The bytes that it has.
        bytes: Vec<u8>,
        /// How many more it had before it was cut.
        cut: u32,
    },
}

/// What a run leaves.
#[derive(Debug, PartialEq)]
pub struct Ran {
    /// What each request was answered.
    answers: Vec<String>,
    seen: Seen,
    statistics: Statistics,
    /// What only this kind of machine counts.
    counters: Vec<(&'static str, u64)>,
    /// All state at the end.
    state: String,
}

/// What a switch puts out.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    /// Packets that left, with the length of what was cut off.
    sent: Vec<(u16, Vec<u8>, u64)>,
    discarded: Vec<Reason>,
    events: Vec<Event>,
}

impl Sink for Seen {
    fn transmitted(&mut self, sent: Transmission) {
        self.sent.push((sent.port.0, sent.packet.head.bytes().to_vec(), sent.packet.len() as u64));
    }

    fn discarded(&mut self, _: Instant, discarded: Discarded) {
        self.discarded.push(discarded.reason);
    }

    fn event(&mut self, _: Instant, event: Event) {
        self.events.push(event);
    }
}

/// Takes a new switch through the steps, a microsecond after each other; each must conserve packets, and so must its
/// traces if it is observed. `None` if the switch cannot run the program.
pub fn run_switch(
    program: &Arc<Program>,
    info: &Arc<Info>,
    steps: &[Step],
    parameters: V1modelParameters,
    observed: bool,
) -> Option<Ran> {
    run_switch_on(PacketInterpreter::new(Arc::clone(program)), info, steps, parameters, observed)
}

/// The same with any executor of the program.
pub fn run_switch_on<E: Executor>(
    executor: E,
    info: &Arc<Info>,
    steps: &[Step],
    parameters: V1modelParameters,
    observed: bool,
) -> Option<Ran> {
    Some(run_device(suitable(Switch::new(executor, Arc::clone(info), parameters))?, steps, observed))
}

/// Takes a new chip through the steps in the same way; `None` if the chip cannot run the program.
pub fn run_chip_on<E: Executor>(
    executor: E,
    info: &Arc<Info>,
    steps: &[Step],
    parameters: TofinoParameters,
    observed: bool,
) -> Option<Ran> {
    Some(run_device(suitable(Tofino::new(executor, Arc::clone(info), parameters))?, steps, observed))
}

/// A machine, unless it was refused, which must be for a reason.
fn suitable<D>(built: Result<D, machines::Unsuitable>) -> Option<D> {
    built.map_err(|unsuitable| assert!(!unsuitable.to_string().is_empty(), "refused without a reason")).ok()
}

fn run_device(mut device: impl Device, steps: &[Step], observed: bool) -> Ran {
    if observed {
        device.observe().unwrap_or_else(|unsuitable| panic!("{unsuitable}"));
    }
    let mut course = Course::new(Limit::default(), Interest::of::<Digest>());
    let (mut answers, mut seen, mut received) = (Vec::new(), Seen::default(), 0);
    for (step, time) in steps.iter().zip(1..) {
        match step {
            Step::Request(request) => answers.push(match device.execute(request) {
                Ok(response) => format!("{response:?}"),
                Err(error) => error.to_string(),
            }),
            Step::Packet { port, bytes, cut } => {
                let mut packet = Packet::of_bytes(bytes);
                packet.tail = Tail::Length(*cut);
                let offered = Offered { at: Instant::from_microseconds(time), port: Port(*port), packet };
                course.offer(&mut device, offered, &mut seen).unwrap_or_else(|endless| panic!("{endless}"));
                received += 1;
                check_conservation(&device, received, &seen);
            }
        }
    }
    course.finish(&mut device, &mut seen).unwrap_or_else(|endless| panic!("{endless}"));
    check_conservation(&device, received, &seen);
    let traces = device.take_traces();
    if observed {
        let told =
            traces.iter().map(|trace| ends(&trace.pass)).fold((0, 0), |sum, more| (sum.0 + more.0, sum.1 + more.1));
        assert_eq!(told, (seen.sent.len(), seen.discarded.len()), "traces tell of all packets");
        traces.iter().for_each(|trace| assert!(!trace.to_string().is_empty()));
    }
    let mut counters = Vec::new();
    device.counters(&mut |counter| counters.push((counter.name, counter.value)));
    Ran { answers, seen, statistics: device.statistics(), counters, state: format!("{:?}", device.state()) }
}

fn check_conservation(device: &impl Device, received: u64, seen: &Seen) {
    let (account, statistics) = (device.account(), device.statistics());
    let (sent, discarded) = (seen.sent.len() as u64, seen.discarded.len() as u64);
    assert_eq!(
        received + account.generated + account.replicated,
        sent + discarded + account.consumed + account.held,
        "packets are conserved: {statistics:?}"
    );
    assert_eq!((statistics.received, statistics.transmitted), (received, sent));
    assert_eq!(statistics.discarded.total(), discarded);
}

/// How many packets left, and how many were discarded, as a trace tells it.
fn ends(pass: &Pass) -> (usize, usize) {
    let of_step = |step: &Traced| match step {
        Traced::Transmit { .. } => (1, 0),
        Traced::Discard { .. } => (0, 1),
        Traced::Fork { pass } => ends(pass),
        _ => (0, 0),
    };
    pass.steps.iter().map(of_step).fold((0, 0), |sum, more| (sum.0 + more.0, sum.1 + more.1))
}
