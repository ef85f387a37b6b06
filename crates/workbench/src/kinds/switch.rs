//! The v1model switch, run by the interpreter or by machine code.

use std::sync::Arc;

use diagnostics::Diagnostic;
use equivalence::Reference;
use ir::interpret::PacketInterpreter;
use machines::Device;
use machines::blocks::Executor;
use machines::v1model::{Switch, V1modelParameters};
use native::Native;
use node::Link;
use passes::{Finding, ResourceReport};
use queues::{BufferPlan, DisciplinePlan, OutputPlan, PortPlan};

use super::tofino::is_for;
use super::{Accepts, ControlPlaneSetup, Fitted, Given, MachineKind, MachineOption, Settings, meaning};
use crate::memory_need::check_switches;
use crate::program::LoadedProgram;
use diagnostics::Failure;

/// The switch whose blocks run in the interpreter.
pub(super) static V1MODEL: V1model = V1model {
    name: "v1model",
    about: "the switch for which P4_16 programs are written, run by the interpreter: it defines what programs mean",
    page: "docs/machines/v1model.md",
    is_usual: false,
    fit: |program, settings| {
        let executor = PacketInterpreter::new(program.program.clone());
        Ok(Box::new(OnSwitch::new(program, executor, settings)))
    },
};
/// The switch whose blocks run as machine code.
pub(super) static NATIVE: V1model = V1model {
    name: "native",
    about: "the v1model switch compiled to machine code of this computer, which behaves the same and is much faster",
    page: "docs/machines/native.md",
    is_usual: true,
    fit: |program, settings| {
        let code = Native::compile(program.program.clone()).map_err(|reason| Failure::plain(reason.to_string()))?;
        Ok(Box::new(OnSwitch::new(program, code, settings)))
    },
};

/// A function that fits a program to the switch with one of the executors.
type Fit = fn(&LoadedProgram, &Settings) -> Result<Box<dyn Fitted>, Failure>;

pub(super) struct V1model {
    name: &'static str,
    about: &'static str,
    page: &'static str,
    /// Whether programs are checked on it by default. The interpreter's switch is the reference itself.
    is_usual: bool,
    fit: Fit,
}

impl MachineKind for V1model {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn page(&self) -> &'static str {
        self.page
    }

    fn options(&self) -> &[&'static MachineOption] {
        &OPTIONS
    }

    fn is_usual(&self, program: &LoadedProgram) -> bool {
        self.is_usual && program.has_parser() && !is_for(program)
    }

    fn fit(&self, program: &LoadedProgram, settings: &Settings) -> Result<Box<dyn Fitted>, Failure> {
        program.refuse_threads("the machine runs a parser, ingress, egress and a deparser, and no threads")?;
        if !program.has_parser() {
            let finding = "the machine runs a parser, ingress, egress and a deparser, but the program has none of them: \
                           it works on fields that a binding reads";
            let name = program.program.name.clone();
            let report = ResourceReport { program: name, findings: vec![Finding::new(finding)], smallest: None };
            return Err(Failure::DoesNotFit(report.to_string()));
        }
        if is_for(program) {
            let finding = format!(
                "programs for {} pass bytes from ingress to egress, but this switch passes headers",
                program.info.architecture().name
            );
            let finding = Finding::new(finding).note("the machine `tofino` runs them");
            let name = program.program.name.clone();
            let report = ResourceReport { program: name, findings: vec![finding], smallest: None };
            return Err(Failure::DoesNotFit(report.to_string()));
        }
        check_switches(&program.program, 1)?;
        (self.fit)(program, settings)
    }
}

/// The option for values that P4 leaves undefined.
static UNDEFINED: MachineOption = MachineOption {
    name: "undefined",
    value: "zero|random:SEED",
    default: "zero",
    help: "The values that P4 leaves undefined, such as the fields of an invalid header: `zero`, or `random:SEED`, \
           which helps to find programs that depend on them.",
    accepts: Accepts::Text(|text| undefined(text).map(drop)),
    heading: HEADING,
    is_hidden: false,
};

static PORT_RATE: MachineOption = MachineOption {
    name: "port-rate",
    value: "RATE",
    default: "",
    help: "The rate of each port, such as `10 Gb/s`. Packets then queue between ingress and egress, which sees the \
           depth of the queue and the waiting time. Without it no packet waits. In a network, the links determine the \
           rate.",
    accepts: Accepts::Text(|text| units::rate(text).map(drop)),
    heading: HEADING,
    is_hidden: false,
};

static QUEUE_LIMIT: MachineOption = MachineOption {
    name: "queue-limit",
    value: "SIZE",
    default: "100 kB",
    help: "The capacity of the queue of a port that has a rate, in bytes on the wire; packets that do not fit are \
           dropped.",
    accepts: Accepts::Text(|text| units::bytes(text).map(drop)),
    heading: HEADING,
    is_hidden: false,
};

static CPU_PORT: MachineOption = MachineOption {
    name: "cpu-port",
    value: "PORT",
    default: "",
    help: "The port of the controller, which is one like any other to the program. Packets that leave by it are packet-ins, \
           packet-outs arrive on it. A switch with P4Runtime has 510, or the last port of the program, unless this names \
           another; others have none.",
    accepts: Accepts::Number(0..=65_535),
    heading: HEADING,
    is_hidden: false,
};

/// The heading of the switch's options.
const HEADING: &str = "v1model and native";

static OPTIONS: [&MachineOption; 4] = [&UNDEFINED, &PORT_RATE, &QUEUE_LIMIT, &CPU_PORT];

/// Returns the link and the queue of every port, if the user gave a port rate.
fn port(given: &Given) -> Option<PortPlan> {
    let rate = given.last(PORT_RATE.name).and_then(|text| units::rate(text).ok())?;
    let limit = given.last(QUEUE_LIMIT.name).unwrap_or(QUEUE_LIMIT.default);
    let discipline = DisciplinePlan::DropTail { limit: units::bytes(limit).unwrap_or_default() };
    Some(PortPlan { rate, framing: Link::ETHERNET_FRAMING, is_last_hop: false, discipline })
}

/// Parses the value of `--undefined`: the seed of undefined values, or `None` if they are zero.
fn undefined(text: &str) -> Result<Option<u64>, String> {
    let seed = text.strip_prefix("random:").and_then(|seed| seed.parse().ok());
    match (text, seed) {
        ("zero", _) => Ok(None),
        (_, Some(seed)) => Ok(Some(seed)),
        _ => Err("it must be `zero`, or `random:` and a number such as `random:7`".to_owned()),
    }
}

/// A program fitted to the switch, with the executor of its blocks.
struct OnSwitch<E> {
    program: LoadedProgram,
    executor: E,
    undefined: Option<u64>,
    /// The link and the queue of every port, if ports have rates.
    port: Option<PortPlan>,
    cpu_port: Option<u16>,
}

impl<E> OnSwitch<E> {
    fn new(program: &LoadedProgram, executor: E, settings: &Settings) -> Self {
        let undefined = settings.given.last(UNDEFINED.name).and_then(|text| undefined(text).ok().flatten());
        let cpu_port = settings.given.last(CPU_PORT.name).and_then(|text| text.parse().ok());
        Self { program: program.clone(), executor, undefined, port: port(&settings.given), cpu_port }
    }
}

impl<E: Executor + Clone + 'static> Fitted for OnSwitch<E> {
    fn program(&self) -> &LoadedProgram {
        &self.program
    }

    fn build(&self, seed: u64) -> Result<Box<dyn Device>, Failure> {
        let (undefined, cpu_port) = (self.undefined, self.cpu_port);
        let parameters = V1modelParameters { seed, undefined, cpu_port, ..V1modelParameters::default() };
        let mut switch = Switch::new(self.executor.clone(), Arc::clone(&self.program.info), parameters)?;
        if let Some(port) = &self.port {
            let ports = vec![port.clone(); switch.ports().unwrap_or_default() as usize];
            // The switch supports these queues, because they change no bytes of packets.
            switch.hold_queues(OutputPlan { ports, buffer: BufferPlan::default(), seed })?;
        }
        Ok(Box::new(switch))
    }

    fn reference(&self, seed: u64, write: ControlPlaneSetup<'_>) -> Result<Reference<'_>, Failure> {
        if self.port.is_some() {
            let error = Diagnostic::without_place(
                "the reference has no queues, so it cannot be compared with a switch whose ports have a rate",
            );
            return Err(error.hint("leave `--port-rate` out").into());
        }
        Ok(Reference::of_switch(&self.program.program, meaning(&self.program, seed, write)?))
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        let undefined = self.undefined.map_or("zero".to_owned(), |seed| format!("random:{seed}"));
        let port = self.port.as_ref().map(|port| ("port", format!("{:?} {:?}", port.rate, port.discipline)));
        let cpu_port = self.cpu_port.map(|port| ("cpu_port", port.to_string()));
        [("undefined", undefined)].into_iter().chain(port).chain(cpu_port).collect()
    }
}

/// Returns a v1model switch whose blocks run in the interpreter.
///
/// # Errors
/// If the program lacks something that the switch needs.
pub fn interpreted_switch(
    program: &LoadedProgram,
    parameters: V1modelParameters,
) -> Result<Switch<PacketInterpreter>, Failure> {
    let executor = PacketInterpreter::new(program.program.clone());
    Ok(Switch::new(executor, Arc::clone(&program.info), parameters)?)
}
