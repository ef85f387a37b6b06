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

/// The outcome of a run. Times are in cycles of one pipeline.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StreamOutcome {
    /// The number of packets that arrived and left again.
    pub packets: u64,
    /// The number of them that were discarded: none as long as queues are unbounded.
    pub discarded: u64,
    /// The time of the last arrival.
    pub last_arrival: u64,
    /// The time of the last departure.
    pub last_departure: u64,
    /// The throughput by the published definition, last arrival / last departure, which includes filling and draining
    /// the pipeline; 0 without packets.
    pub throughput: f64,
    /// The steady throughput: departures / arrivals from the end of the warm-up, which is the first tenth of the time,
    /// to the last arrival; 0 without arrivals. Departures are counted later by the time of an undelayed packet, so
    /// that line rate is 1. It exceeds 1 if a queue from the warm-up empties later.
    pub steady_throughput: f64,
    /// The greatest number of packets, including phantoms, in the queue of one stage of one pipeline.
    pub largest_queue: u64,
    /// The number of packets that accessed some state before a packet that had arrived earlier, which violates
    /// condition C1 (MP5 section 2.2.1).
    pub violations: u64,
    /// The number of passes through a pipeline, not counting the first of each packet.
    pub recirculations: u64,
    /// The number of indices that were moved between pipelines.
    pub moves: u64,
    /// The number of cycles that stages spent on removing phantoms whose packets took the other branch.
    pub wasted_cycles: u64,
    /// The number of stages that held a packet, summed over cycles and pipelines.
    pub stage_cycles: u64,
    /// The fingerprint of the final registers ([`runtime::RegisterFile::fingerprint`]).
    pub state: u64,
}

/// Runs a contender on a stream, until the last packet has left.
///
/// `seed` is the seed of the machine, for its initial maps; the stream has a seed of its own. Memory is proportional to
/// the packets in flight, which accumulate if the load exceeds the throughput of the contender.
///
/// # Errors
/// Fails with a resource report if the machine cannot be built, or if packets get stuck in it.
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

/// Returns the fingerprint of the registers after the interpreter has run the stream's program on its packets one after
/// the other, which [`StreamOutcome::state`] must equal.
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
