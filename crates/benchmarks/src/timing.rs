//! Taking the time of a machine and of the interpreter.

use std::borrow::Borrow;
use std::hint::black_box;
use std::time::Instant as WallClock;

use basis::Instant;
use ir::Program;
use ir::interpret::Interpreter;
use machines::{Device, Standstill, drive};
use measure::{Event, Interest};
use node::{Discarded, Offered, Sink, Transmission};
use runtime::binding::Binding;
use serde::Serialize;

/// The best of so many runs counts at least: what disturbs a run only ever makes it slower.
pub(super) const RUNS: u64 = 3;

/// Whether a machine came out in the interpreter's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It did.
    Equal,
    /// It did not.
    Differs,
}

impl Verdict {
    /// In tables, and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Differs => "differs",
        }
    }

    /// Of two fingerprints.
    pub(super) fn of(state: u64, interpreter: u64) -> Self {
        if state == interpreter { Self::Equal } else { Self::Differs }
    }
}

/// A fingerprint of registers ([`runtime::RegisterFile::fingerprint`]) as it is told: as a word, for what reads numbers
/// as floating point would round it.
pub(super) fn fingerprint_text(state: u64) -> String {
    format!("{state:016x}")
}

/// Takes packets without looking at them.
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

/// Drives a machine until it is idle; in seconds, with the making of the packets, if they are made as they are asked
/// for. With it comes what stands still, if the machine does not become idle.
pub(super) fn time_machine(
    machine: &mut dyn Device,
    packets: impl Iterator<Item = Offered>,
) -> (f64, Result<(), Standstill>) {
    let start = WallClock::now();
    let ended = drive(machine, packets, Interest::default(), &mut Nobody);
    (start.elapsed().as_secs_f64(), ended.map(drop))
}

/// Runs the interpreter: in how many seconds, counted in the same way, and the fingerprint of its registers then.
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

/// The fastest of some runs, each of which says how many seconds it took and what came of it.
pub(super) fn best<T>(runs: u64, mut run: impl FnMut() -> (f64, T)) -> (f64, T) {
    (1..runs).fold(run(), |best, _| faster(best, run()))
}

/// The fastest runs of two that are compared, one after the other in turn: a computer has slow moments that are longer
/// than a run, and would otherwise have them for one of the two.
pub(super) fn best_of_each<A, B>(
    runs: u64,
    mut one: impl FnMut() -> (f64, A),
    mut other: impl FnMut() -> (f64, B),
) -> ((f64, A), (f64, B)) {
    (1..runs).fold((one(), other()), |best, _| (faster(best.0, one()), faster(best.1, other())))
}

fn faster<T>(one: (f64, T), other: (f64, T)) -> (f64, T) {
    if other.0 < one.0 { other } else { one }
}
