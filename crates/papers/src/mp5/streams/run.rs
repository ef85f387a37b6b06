//! One run of a contender on a stream.

use ir::interpret::Interpreter;
use machines::drive;
use machines::mp5::Rules;
use machines::mp5::counters::{MOVES, WASTED_CYCLES};
use machines::pipelines::events::Access;
use measure::Interest;
use serde::Serialize;

use super::contender::Contender;
use super::machine::{resolution_stages, stream_machine};
use super::stream::{PERIOD, Stream};
use super::watch::Watch;
use diagnostics::Failure;

/// What came of a run. Times are in cycles of one pipeline.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StreamOutcome {
    /// Packets that came, and left again.
    pub packets: u64,
    /// Of these, packets that were discarded: none, as long as queues have no bounds.
    pub discarded: u64,
    /// When the last packet arrived.
    pub last_arrival: u64,
    /// When the last packet left.
    pub last_departure: u64,
    /// The published definition: last arrival / last departure, so that filling and draining count. 0 without packets.
    pub throughput: f64,
    /// Departures / arrivals from the warm-up's end, after the first tenth of the time, to the last arrival; of departures
    /// as much later as a packet takes that nothing delays, so that line rate is 1. A queue of the warm-up that empties
    /// later can take it above 1. 0 without arrivals.
    pub steady_throughput: f64,
    /// The most packets, phantoms among them, in the queue of one stage of one pipeline.
    pub largest_queue: u64,
    /// Packets that accessed some state before a packet that had arrived earlier: condition C1 (MP5 section 2.2.1).
    pub violations: u64,
    /// Passes through a pipeline after a packet's first.
    pub recirculations: u64,
    /// Indices moved between pipelines.
    pub moves: u64,
    /// Cycles that a stage spent to remove a phantom whose packet took the other branch.
    pub wasted_cycles: u64,
    /// Stages that held a packet, summed over cycles and pipelines.
    pub stage_cycles: u64,
    /// A fingerprint of the registers at the end ([`runtime::RegisterFile::fingerprint`]).
    pub state: u64,
}

/// Runs a contender on a stream, until the last packet has left.
///
/// `seed` is for what the machine draws, its first maps; the stream has a seed of its own. Memory follows the packets
/// in flight: under a load that a contender cannot carry, that is the part of the stream that it is behind.
///
/// # Errors
/// A resource report if the machine cannot be built, or what stands still in it.
pub fn run_stream(stream: &Stream, contender: &Contender, rules: Rules, seed: u64) -> Result<StreamOutcome, Failure> {
    let mut machine = stream_machine(stream, contender, rules, seed)?;
    let last_arrival = stream.last_arrival();
    let depth = u64::from(stream.shape().depth() + resolution_stages(rules));
    let mut watch = Watch::new(PERIOD, last_arrival, depth);
    let interest = Interest::of::<Access>();
    drive(&mut *machine, stream.packets(PERIOD), interest, &mut watch)?;
    let ratio = |a: u64, b: u64| if b == 0 { 0.0 } else { a as f64 / b as f64 };
    let statistics = machine.statistics();
    Ok(StreamOutcome {
        packets: watch.packets,
        discarded: watch.discarded,
        last_arrival,
        last_departure: watch.last_departure,
        throughput: ratio(last_arrival, watch.last_departure),
        steady_throughput: ratio(watch.steady_departures, watch.steady_arrivals),
        largest_queue: statistics.largest_queue,
        violations: watch.order.violating_packets(),
        recirculations: statistics.recirculations,
        moves: statistics.own(MOVES),
        wasted_cycles: statistics.own(WASTED_CYCLES),
        stage_cycles: statistics.stage_cycles,
        state: machine.state().registers.fingerprint(),
    })
}

/// The fingerprint of the registers after the interpreter has run the stream's program on its packets, one after the
/// other: what [`StreamOutcome::state`] is to be.
pub fn interpret_stream(stream: &Stream) -> u64 {
    let (program, binding) = (stream.program(), stream.binding());
    let mut interpreter = Interpreter::new(&program);
    let mut values = vec![0; program.variables.len()];
    for offered in stream.packets(PERIOD) {
        if binding.load(&offered.packet, offered.port.0, &mut values) {
            interpreter.packet(&mut values);
        }
    }
    interpreter.registers().fingerprint()
}
