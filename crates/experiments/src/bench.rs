//! How fast machines are stepped on this computer, beside the interpreter on the same packets.

use std::hint::black_box;
use std::time::Instant as WallClock;

use basis::Instant;
use ir::interpret::Interpreter;
use measure::{Event, Interest};
use node::{Discarded, Offered, Sink, Transmission, drive};
use serde::Serialize;
use traffic::Traffic;

use crate::failure::Failure;
use crate::loaded::LoadedProgram;
use crate::machine::{Architecture, MachinePlan};
use crate::run::{ReadyRun, Run};

/// One measurement.
#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    /// The program.
    pub program: String,
    /// The machine, or the interpreter.
    pub machine: String,
    /// Packets per second of this computer's time.
    pub packets_per_second: f64,
    /// Stages that held a packet, per second of this computer's time; `None` for the interpreter.
    pub stage_cycles_per_second: Option<f64>,
    /// How many times as fast as the interpreter in the same run.
    pub against_interpreter: f64,
}

/// The best of so many runs counts: what disturbs a run only ever makes it slower.
const RUNS: usize = 3;

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

/// Measures every machine with `pipelines` pipelines on a program and packets, which are made beforehand.
///
/// # Errors
/// Whatever keeps one of the machines from running the program.
pub fn bench(loaded: &LoadedProgram, traffic: &Traffic, pipelines: usize) -> Result<Vec<Measured>, Failure> {
    let mut measured = Vec::new();
    let mut interpreter_rate = None;
    for architecture in Architecture::ALL {
        let mut plan = MachinePlan::new(architecture);
        plan.parameters.pipelines = pipelines;
        let ready = Run { loaded, plan, traffic }.ready()?;
        let packets: Vec<Offered> = ready.traffic.packets().collect();
        let program = || loaded.program.name.clone();
        let interpreter = *interpreter_rate.get_or_insert_with(|| {
            let rate = packets.len() as f64 / best(|| interpret(&ready, &packets)).0;
            measured.push(Measured {
                program: program(),
                machine: "interpreter".to_owned(),
                packets_per_second: rate,
                stage_cycles_per_second: None,
                against_interpreter: 1.0,
            });
            rate
        });
        let (seconds, stage_cycles) = best(|| {
            let mut machine = ready.machine();
            let packets = packets.clone();
            let start = WallClock::now();
            drive(&mut *machine, packets, Interest::default(), &mut Nobody);
            (start.elapsed().as_secs_f64(), machine.statistics().stage_cycles)
        });
        let rate = packets.len() as f64 / seconds;
        measured.push(Measured {
            program: program(),
            machine: format!("{architecture}, {pipelines} pipelines"),
            packets_per_second: rate,
            stage_cycles_per_second: Some(stage_cycles as f64 / seconds),
            against_interpreter: rate / interpreter,
        });
    }
    Ok(measured)
}

fn interpret(ready: &ReadyRun<'_>, packets: &[Offered]) -> (f64, ()) {
    let program = &ready.loaded.program;
    let mut interpreter = Interpreter::new(program);
    let mut values = vec![0; program.variables.len()];
    let start = WallClock::now();
    for offered in packets {
        if ready.binding().load(&offered.packet, offered.port.0, &mut values) {
            interpreter.packet(&mut values);
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    black_box(interpreter.registers());
    (seconds, ())
}

fn best<T>(mut run: impl FnMut() -> (f64, T)) -> (f64, T) {
    let runs = (0..RUNS).map(|_| run());
    runs.min_by(|a, b| a.0.total_cmp(&b.0)).expect("at least one run")
}
