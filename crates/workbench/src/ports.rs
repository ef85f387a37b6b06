//! Checks the ports of a device.

use machines::Device;

use diagnostics::Failure;

/// Checks that a device has a port.
///
/// # Errors
/// If it does not; the message says which ports it has.
pub fn check_port(device: &dyn Device, port: u16) -> Result<(), Failure> {
    match no_such_port(device, port.into()) {
        Some(refusal) => Err(Failure::plain(refusal)),
        None => Ok(()),
    }
}

/// Returns the error message for a port that a device does not have, or `None` if the device has it.
pub(super) fn no_such_port(device: &dyn Device, port: u32) -> Option<String> {
    let ports = device.ports().unwrap_or(1 << u16::BITS);
    (port >= ports).then(|| format!("there is no port {port}: the switch has ports 0 to {}", ports.saturating_sub(1)))
}
