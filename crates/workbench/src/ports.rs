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
pub fn no_such_port(device: &dyn Device, port: u32) -> Option<String> {
    (!device.has_port(port)).then(|| format!("there is no port {port}: the switch has {}", existing_ports(device)))
}

/// The greatest number of ranges of ports that a message lists.
const RANGES: usize = 24;

/// Returns the ports of a device in words, such as `ports 0 to 71` or `ports 0, 4, 8, 68 to 71`.
fn existing_ports(device: &dyn Device) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for port in (0..device.ports().unwrap_or(1 << u16::BITS)).filter(|port| device.has_port(*port)) {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == port => *last = port,
            _ => ranges.push((port, port)),
        }
    }
    let in_words = |(first, last): &(u32, u32)| match last - first {
        0 => first.to_string(),
        _ => format!("{first} to {last}"),
    };
    let listed: Vec<String> = ranges.iter().take(RANGES).map(in_words).collect();
    match ranges.len() {
        0 => "no ports".to_owned(),
        1 if ranges[0].0 == ranges[0].1 => format!("port {}", listed[0]),
        count => format!("ports {}{}", listed.join(", "), if count > RANGES { ", and more" } else { "" }),
    }
}
