//! The machine that runs P4 programs.

use ir::interpret::PacketInterpreter;
use machines::v1model::{Parameters, Switch};

use super::load::PacketProgram;
use crate::failure::Failure;

/// A v1model switch whose program the interpreter runs.
pub type PacketSwitch = Switch<PacketInterpreter>;

/// What a user can say of the switch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SwitchOptions {
    /// Where everything random is drawn from.
    pub seed: u64,
    /// What values that the language leaves open are drawn from; `None` makes them zero.
    pub undefined: Option<u64>,
}

/// A fresh switch that runs a program.
///
/// # Errors
/// What v1model needs and the program lacks.
pub fn build_switch(program: &PacketProgram, options: &SwitchOptions) -> Result<PacketSwitch, Failure> {
    let parameters = Parameters { seed: options.seed, undefined: options.undefined, ..Parameters::default() };
    let executor = PacketInterpreter::new(program.program.clone());
    Ok(Switch::new(executor, program.info.clone(), parameters)?)
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
