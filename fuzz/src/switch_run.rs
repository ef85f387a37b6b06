//! Runs of a v1model switch that are held against each other.

use std::sync::Arc;

use basis::Instant;
use control::{Info, Request};
use ir::Program;
use ir::interpret::PacketInterpreter;
use machines::Device;
use machines::trace::{Pass, Step as Traced};
use machines::blocks::Digest;
use machines::blocks::Executor;
use machines::v1model::{Statistics, Switch, V1modelParameters};
use measure::{Event, Interest};
use node::{Node, Outbox, Port, Reason};
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
    /// Packets that left, with the length of what was cut off.
    sent: Vec<(u16, Vec<u8>, u64)>,
    discarded: Vec<Reason>,
    events: Vec<Event>,
    statistics: Statistics,
    /// All state at the end.
    state: String,
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
    let mut switch = match Switch::new(executor, Arc::clone(info), parameters) {
        Ok(switch) => switch,
        Err(unsuitable) => {
            assert!(!unsuitable.to_string().is_empty(), "refused without a reason");
            return None;
        }
    };
    if observed {
        switch.observe().unwrap_or_else(|unsuitable| panic!("{unsuitable}"));
    }
    let mut out = Outbox::new(Interest::of::<Digest>());
    let (mut answers, mut sent, mut discarded, mut events) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (step, time) in steps.iter().zip(1..) {
        let now = Instant::from_microseconds(time);
        match step {
            Step::Request(request) => answers.push(match switch.execute(request) {
                Ok(response) => format!("{response:?}"),
                Err(error) => error.to_string(),
            }),
            Step::Packet { port, bytes, cut } => {
                let mut packet = Packet::of_bytes(bytes);
                packet.tail = Tail::Length(*cut);
                packet.sidecar.id = time;
                packet.sidecar.arrival = now;
                out.begin(now);
                switch.receive(now, Port(*port), &mut vec![packet], &mut out);
                assert_eq!(out.deadline(), None, "the switch takes no time");
                let leaving = |packet: &Packet| (packet.head.bytes().to_vec(), packet.len() as u64);
                sent.extend(out.transmissions.drain(..).map(|sent| {
                    let (bytes, length) = leaving(&sent.packet);
                    (sent.port.0, bytes, length)
                }));
                discarded.extend(out.discarded.drain(..).map(|discarded| discarded.reason));
                events.append(&mut out.events.drain(..).collect());
                let statistics = switch.statistics();
                let ends = statistics.transmitted + statistics.discarded.total();
                assert_eq!(statistics.received + statistics.replicated, ends, "packets are conserved: {statistics:?}");
                assert_eq!(
                    (sent.len() as u64, discarded.len() as u64),
                    (statistics.transmitted, statistics.discarded.total())
                );
            }
        }
    }
    let traces = switch.take_traces();
    if observed {
        let told =
            traces.iter().map(|trace| ends(&trace.pass)).fold((0, 0), |sum, more| (sum.0 + more.0, sum.1 + more.1));
        assert_eq!(told, (sent.len(), discarded.len()), "traces tell of all packets");
        traces.iter().for_each(|trace| assert!(!trace.to_string().is_empty()));
    }
    let (statistics, state) = (switch.statistics().clone(), format!("{:?}", switch.state()));
    Some(Ran { answers, sent, discarded, events, statistics, state })
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
