//! The machine that runs P4 programs.

use ir::interpret::PacketInterpreter;
use machines::Device;
use machines::v1model::{Parameters, Switch};
use native::Native;

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
pub fn build_switch(program: &PacketProgram, options: &SwitchOptions) -> Result<Box<dyn Device>, Failure> {
    check_switches(&program.program, 1)?;
    let parameters = Parameters { seed: options.seed, undefined: options.undefined, ..Parameters::default() };
    let (info, program) = (program.info.clone(), program.program.clone());
    Ok(match options.executor {
        ExecutorKind::Interpreter => Box::new(Switch::new(PacketInterpreter::new(program), info, parameters)?),
        ExecutorKind::Native => {
            let compiled = Native::compile(program).map_err(|reason| Failure::plain(reason.to_string()))?;
            Box::new(Switch::new(compiled, info, parameters)?)
        }
    })
}

/// Refuses a port that a device has not.
///
/// # Errors
/// Which ports it has.
pub fn check_port(device: &dyn Device, port: u16) -> Result<(), Failure> {
    match no_such_port(device, port.into()) {
        Some(refusal) => Err(Failure::plain(refusal)),
        None => Ok(()),
    }
}

/// What is to say of a port that a device has not; `None` if it has it.
pub(super) fn no_such_port(device: &dyn Device, port: u32) -> Option<String> {
    let ports = device.ports().unwrap_or(1 << u16::BITS);
    (port >= ports).then(|| format!("there is no port {port}: the switch has ports 0 to {}", ports.saturating_sub(1)))
}
