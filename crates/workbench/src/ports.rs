//! Ports that a device has.

use machines::Device;

use diagnostics::Failure;

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
