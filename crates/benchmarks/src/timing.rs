//! Measures the running time of a machine and of the interpreter.

use std::borrow::Borrow;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant as WallClock;

use basis::Instant;
use ir::Program;
use ir::interpret::Interpreter;
use machines::{Device, Standstill, drive};
use measure::{Event, Interest};
use native::NativeStages;
use node::{Discarded, Offered, Sink, Transmission};
use runtime::binding::Binding;
use serde::Serialize;

/// The minimum number of runs, of which the fastest counts, because disturbances only ever make a run slower.
pub(super) const RUNS: u64 = 3;

/// Whether a machine ended in the interpreter's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The states are equal.
    Equal,
    /// The states differ.
    Differs,
}

impl Verdict {
    /// Returns the name in tables and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Differs => "differs",
        }
    }

    /// Compares two fingerprints.
    pub(super) fn of(state: u64, interpreter: u64) -> Self {
        if state == interpreter { Self::Equal } else { Self::Differs }
    }
}

/// Formats a fingerprint of registers ([`runtime::RegisterFile::fingerprint`]) for results: as text, because readers of
/// JSON that use floating-point numbers would round it.
pub(super) fn fingerprint_text(state: u64) -> String {
    format!("{state:016x}")
}

/// A sink that ignores everything.
struct Nobody;

impl Sink for Nobody {
    fn transmitted(&mut self, transmission: Transmission) {
        black_box(transmission);
    }
    fn discarded(&mut self, _: Instant, discarded: Discarded) {
        black_box(discarded);
    }
    fn event(&mut self, _: Instant, _: Event) {}
}

/// Drives a machine until it is idle and returns the time in seconds, together with an error if the machine does not
/// become idle. The time includes making the packets, if the iterator makes them on demand, but not compiling the machine's stages.
pub(super) fn time_machine(
    machine: &mut dyn Device,
    packets: impl Iterator<Item = Offered>,
) -> (f64, Result<(), Standstill>) {
    machine.compile_stages(Arc::new(NativeStages), 0);
    let start = WallClock::now();
    let ended = drive(machine, packets, Interest::default(), &mut Nobody);
    (start.elapsed().as_secs_f64(), ended.map(drop))
}

/// Runs the interpreter and returns the time in seconds, measured as by [`time_machine`], and the fingerprint of its
/// registers at the end.
pub(super) fn time_interpreter(
    program: &Program,
    binding: &Binding,
    packets: impl Iterator<Item = impl Borrow<Offered>>,
) -> (f64, u64) {
    let mut interpreter = Interpreter::new(program);
    let mut values = vec![0; program.variables.len()];
    let start = WallClock::now();
    for offered in packets {
        let offered = offered.borrow();
        if binding.load(&offered.packet, offered.port.0, &mut values) {
            interpreter.packet(&mut values);
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    (seconds, interpreter.registers().fingerprint())
}

/// Returns the fastest of some runs, each of which returns its time in seconds and its result.
pub(super) fn best<T>(runs: u64, mut run: impl FnMut() -> (f64, T)) -> (f64, T) {
    (1..runs).fold(run(), |best, _| faster(best, run()))
}

/// Returns the fastest runs of two contenders. They run alternately, because a slow period of the computer can last
/// longer than a run and would otherwise affect only one of them.
pub(super) fn best_of_each<A, B>(
    runs: u64,
    mut one: impl FnMut() -> (f64, A),
    mut other: impl FnMut() -> (f64, B),
) -> ((f64, A), (f64, B)) {
    (1..runs).fold((one(), other()), |best, _| (faster(best.0, one()), faster(best.1, other())))
}

/// Returns the faster of two runs.
pub(super) fn faster<T>(one: (f64, T), other: (f64, T)) -> (f64, T) {
    if other.0 < one.0 { other } else { one }
}
