//! Measures every machine with pipelines on a program and generated packets.

use node::Offered;
use serde::Serialize;
use traffic::Traffic;

use super::timing::{RUNS, best, time_interpreter, time_machine};
use diagnostics::Failure;
use workbench::LoadedProgram;
use workbench::kinds::{self, Given, Settings};
use workbench::run::{Offer, Run};

/// The speed of one machine, or of the interpreter, on a program.
#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    /// The program.
    pub program: String,
    /// The machine, or the interpreter.
    pub machine: String,
    /// Packets per second of wall-clock time.
    pub packets_per_second: f64,
    /// Stage cycles in which a stage held a packet, per second of wall-clock time; `None` for the interpreter.
    pub stage_cycles_per_second: Option<f64>,
    /// The speed relative to the interpreter in the same run.
    pub against_interpreter: f64,
}

/// Measures every machine with `pipelines` pipelines on a program. The packets are made before the clock starts.
///
/// # Errors
/// If one of the machines cannot run the program.
pub fn programs(loaded: &LoadedProgram, traffic: &Traffic, pipelines: usize) -> Result<Vec<Measured>, Failure> {
    let mut measured = Vec::new();
    let mut interpreter_rate = None;
    let mut given = Given::default();
    given.push(kinds::PIPELINES, pipelines.to_string())?;
    for machine in kinds::ALL {
        let settings = Settings { given: given.clone(), packets: None };
        let Some(plan) = machine.pipelines(loaded, &settings)? else { continue };
        let offer = Offer::planned(traffic.clone(), loaded, plan.line_rate())?;
        let prepared = offer.prepared().cloned().expect("it was planned");
        let ready = Run { settings, ..Run::new(loaded, machine, offer) }.ready(None)?;
        let packets: Vec<Offered> = prepared.packets().collect();
        let program = || loaded.program.name.clone();
        let interpreter = *interpreter_rate.get_or_insert_with(|| {
            let (seconds, _) = best(RUNS, || time_interpreter(&loaded.program, prepared.binding(), packets.iter()));
            let rate = packets.len() as f64 / seconds;
            measured.push(Measured {
                program: program(),
                machine: "interpreter".to_owned(),
                packets_per_second: rate,
                stage_cycles_per_second: None,
                against_interpreter: 1.0,
            });
            rate
        });
        let device = || ready.machine().unwrap_or_else(|_| unreachable!("it was built once"));
        let (seconds, (stage_cycles, ended)) = best(RUNS, || {
            let mut machine = device();
            let (seconds, ended) = time_machine(&mut *machine, packets.clone().into_iter());
            (seconds, (machine.statistics().stage_cycles, ended))
        });
        ended?;
        let rate = packets.len() as f64 / seconds;
        measured.push(Measured {
            program: program(),
            machine: format!("{}, {pipelines} pipelines", machine.name()),
            packets_per_second: rate,
            stage_cycles_per_second: Some(stage_cycles as f64 / seconds),
            against_interpreter: rate / interpreter,
        });
    }
    Ok(measured)
}
