//! The machine that runs P4 programs.

use std::sync::Arc;

use basis::Instant;
use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use control::{Info, Request, Response};
use ir::interpret::PacketInterpreter;
use machines::Unsuitable;
use machines::v1model::trace::Trace;
use machines::v1model::{Parameters, Statistics, Switch};
use native::Native;
use node::{Account, Burst, Counter, Node, Outbox, Port, Station};

use super::load::PacketProgram;
use crate::failure::Failure;
use crate::memory_need::check_switches;

/// Who runs the blocks of the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExecutorKind {
    /// The interpreter, which is the meaning of a program and can tell everything that happens.
    #[default]
    Interpreter,
    /// Machine code, which means the same and is fast.
    Native,
}

/// A v1model switch, whoever runs its program.
pub struct PacketSwitch(Kind);

/// One branch for a burst costs nothing beside what the burst takes.
enum Kind {
    Interpreter(Switch<PacketInterpreter>),
    Native(Switch<Native>),
}

/// The same of either.
macro_rules! either {
    ($switch:expr, $it:ident => $what:expr) => {
        match $switch {
            Kind::Interpreter($it) => $what,
            Kind::Native($it) => $what,
        }
    };
}

impl PacketSwitch {
    /// Carries out a request of the control plane: [`Switch::control`].
    ///
    /// # Errors
    /// Why it is refused; then nothing has changed.
    pub fn control(&mut self, request: &Request) -> Result<Response, control::Error> {
        either!(&mut self.0, switch => switch.control(request))
    }

    /// What the control plane may know of the program.
    pub fn info(&self) -> &Arc<Info> {
        either!(&self.0, switch => switch.info())
    }

    /// All state of the program.
    pub fn state(&self) -> &runtime::State {
        either!(&self.0, switch => switch.state())
    }

    /// How many ports it has, from 0.
    pub fn ports(&self) -> u32 {
        either!(&self.0, switch => switch.ports())
    }

    /// What it has done so far.
    pub fn statistics(&self) -> &Statistics {
        either!(&self.0, switch => switch.statistics())
    }

    /// Records from now on what happens to every packet.
    ///
    /// # Errors
    /// Only the interpreter tells.
    pub fn observe(&mut self) -> Result<(), Unsuitable> {
        either!(&mut self.0, switch => switch.observe())
    }

    /// What was recorded since the last call, by packet in the order of arrival.
    pub fn take_traces(&mut self) -> Vec<Trace> {
        either!(&mut self.0, switch => switch.take_traces())
    }
}

impl Node for PacketSwitch {
    fn receive(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        either!(&mut self.0, switch => switch.receive(now, port, burst, out));
    }

    fn wake(&mut self, now: Instant, out: &mut Outbox) {
        either!(&mut self.0, switch => switch.wake(now, out));
    }

    fn control(&mut self, now: Instant, request: node::Control, out: &mut Outbox) {
        either!(&mut self.0, switch => Node::control(switch, now, request, out));
    }
}

impl Station for PacketSwitch {
    fn account(&self) -> Account {
        either!(&self.0, switch => switch.account())
    }

    fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        either!(&self.0, switch => switch.counters(tell));
    }
}

/// What a user can say of the switch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SwitchOptions {
    /// Where everything random is drawn from.
    pub seed: u64,
    /// What values that the language leaves open are drawn from; `None` makes them zero.
    pub undefined: Option<u64>,
    /// Who runs the program.
    pub executor: ExecutorKind,
}

/// A fresh switch that runs a program.
///
/// # Errors
/// What v1model needs and the program lacks, or what its executor cannot do.
pub fn build_switch(program: &PacketProgram, options: &SwitchOptions) -> Result<PacketSwitch, Failure> {
    check_switches(&program.program, 1)?;
    let parameters = Parameters { seed: options.seed, undefined: options.undefined, ..Parameters::default() };
    let (info, program) = (program.info.clone(), program.program.clone());
    Ok(PacketSwitch(match options.executor {
        ExecutorKind::Interpreter => Kind::Interpreter(Switch::new(PacketInterpreter::new(program), info, parameters)?),
        ExecutorKind::Native => {
            let compiled = Native::compile(program).map_err(|reason| Failure::plain(reason.to_string()))?;
            Kind::Native(Switch::new(compiled, info, parameters)?)
        }
    }))
}

/// Refuses a port that the switch has not.
///
/// # Errors
/// Which ports it has.
pub fn check_port(switch: &PacketSwitch, port: u16) -> Result<(), Failure> {
    if u32::from(port) < switch.ports() {
        return Ok(());
    }
    Err(Failure::plain(no_such_port(switch, port.into())))
}

/// What is to say of a port that the switch has not.
pub(super) fn no_such_port(switch: &PacketSwitch, port: u32) -> String {
    format!("there is no port {port}: the switch has ports 0 to {}", switch.ports().saturating_sub(1))
}

impl Snapshot for PacketSwitch {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        either!(&self.0, switch => switch.save(into))
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        either!(&mut self.0, switch => switch.restore(from))
    }
}
