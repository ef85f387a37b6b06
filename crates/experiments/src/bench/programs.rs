//! Every machine on a program and generated packets.

use node::Offered;
use serde::Serialize;
use traffic::Traffic;

use super::timing::{RUNS, best, time_interpreter, time_machine};
use crate::failure::Failure;
use crate::machine::{Architecture, MachinePlan};
use crate::program::LoadedProgram;
use crate::run::Run;

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

/// Measures every machine with `pipelines` pipelines on a program and packets, which are made beforehand.
///
/// # Errors
/// Whatever keeps one of the machines from running the program.
pub fn programs(loaded: &LoadedProgram, traffic: &Traffic, pipelines: usize) -> Result<Vec<Measured>, Failure> {
    let mut measured = Vec::new();
    let mut interpreter_rate = None;
    for architecture in Architecture::ALL {
        let mut plan = MachinePlan::new(architecture);
        plan.parameters.set_pipelines(pipelines);
        let ready = Run { loaded, plan, traffic }.ready()?;
        let packets: Vec<Offered> = ready.traffic.packets().collect();
        let program = || loaded.program.name.clone();
        let interpreter = *interpreter_rate.get_or_insert_with(|| {
            let (seconds, _) = best(RUNS, || time_interpreter(&loaded.program, ready.binding(), packets.iter()));
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
        let (seconds, (stage_cycles, ended)) = best(RUNS, || {
            let mut machine = ready.machine();
            let (seconds, ended) = time_machine(&mut *machine, packets.clone().into_iter());
            (seconds, (machine.statistics().stage_cycles, ended))
        });
        ended?;
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
