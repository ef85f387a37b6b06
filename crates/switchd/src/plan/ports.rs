//! `[[port]]`: the ports and their interfaces.

use basis::{Duration, Rate};
use machines::Device;
use plans::Section;
use workbench::no_such_port;

use super::{ArrivingPlan, Found, PortBinding, SwitchPlan};
use diagnostics::Failure;

/// Reads the ports. If they are not required, packets can come from a controller alone.
pub(super) fn ports(root: &Section<'_>, are_required: bool, text: &mut String) -> Vec<PortBinding> {
    let sections = root.sections("port");
    if sections.is_empty() && are_required {
        let hint = "add [[port]] for each, with `port = 0` and `interface = \"veth0\"`";
        root.error(root.span(), "the switch has no ports", hint);
    }
    let mut ports: Vec<PortBinding> = Vec::new();
    for section in sections {
        section.require("port", "the number of the port: port = 0");
        let number = section.optional_count("port", 0..=u64::from(u16::MAX));
        section.require("interface", "the interface: interface = \"veth0\"");
        let interface = section.text("interface");
        let interface_place = interface.as_ref().map(|(_, span)| span.clone());
        let interface = interface.map(|(name, _)| name).unwrap_or_default();
        let namespace = section.text("namespace").map(|(name, _)| name);
        let rate = section.has("rate").then(|| section.rate("rate", Rate::from_gigabits_per_second(1)));
        let delay = section.delay("delay", Duration::ZERO);
        let arriving = arriving(section.section("arriving"), text);
        let place = if section.has("port") { section.span_of("port") } else { section.span().clone() };
        if let Some(number) = number {
            let port = number as u16;
            let place = Some(place);
            ports.push(PortBinding { port, interface, namespace, rate, delay, arriving, place, interface_place });
        }
        section.end(text);
    }
    ports
}

/// The packets that wait for a link on which packets arrive: as many as for a network card of Linux.
const USUAL_LIMIT: u64 = 1000;

/// Reads the link on which packets arrive.
fn arriving(section: Section<'_>, text: &mut String) -> Option<ArrivingPlan> {
    if !section.is_given() {
        return None;
    }
    let rate = section.has("rate").then(|| section.rate("rate", Rate::from_gigabits_per_second(1)));
    let delay = section.delay("delay", Duration::ZERO);
    let limit = section.count("limit", 1..=1 << 20, USUAL_LIMIT) as u32;
    if !section.has("rate") {
        if section.has("limit") {
            let hint = "add the `rate` of the link for which packets wait";
            section.error(&section.span_of("limit"), "`limit` without a `rate`", hint);
        }
        if !section.has("delay") {
            let hint = "add its `rate` or its `delay`, or leave [port.arriving] out";
            section.error(section.span(), "the link on which packets arrive holds none", hint);
        }
    }
    section.end(text);
    Some(ArrivingPlan { rate, delay, limit })
}

/// The ports that a switch has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExistingPorts {
    /// Those with interfaces; none if packets come from controllers alone.
    bound: Vec<u16>,
    /// The port of the controller.
    cpu: Option<u16>,
    /// The number of ports of the device; `None` if it has any.
    count: Option<u32>,
}

impl ExistingPorts {
    /// Returns whether the switch has a port: one with an interface, or that of the controller. A switch without interfaces
    /// has all ports of its device.
    pub fn has(&self, port: u32) -> bool {
        let is = |own: u16| u32::from(own) == port;
        match self.bound.is_empty() {
            true => self.count.is_none_or(|count| port < count),
            false => self.bound.iter().copied().chain(self.cpu).any(is),
        }
    }
}

impl SwitchPlan {
    /// Returns the ports that the switch has with a device.
    pub fn existing_ports(&self, device: &dyn Device) -> ExistingPorts {
        let bound = self.ports.iter().map(|own| own.port).collect();
        ExistingPorts { bound, cpu: self.cpu_port(device), count: device.ports() }
    }

    /// Checks that the device has the ports, and that of the controller, which no interface has.
    ///
    /// # Errors
    /// Fails with a diagnostic for each port that cannot be.
    pub fn check_ports(&self, device: &dyn Device) -> Result<(), Failure> {
        let lacking = |binding: &PortBinding| {
            Some((binding.place.clone(), no_such_port(device, binding.port.into())?, String::new()))
        };
        let mut found: Vec<Found> = self.ports.iter().filter_map(lacking).collect();
        if let Some(cpu) = self.cpu_port(device) {
            if let Some(binding) = self.ports.iter().find(|binding| binding.port == cpu) {
                let message =
                    format!("port {cpu} is bound to `{}`, and is the port of the controller", binding.interface);
                found.push((
                    binding.place.clone(),
                    message,
                    "set `cpu_port` under [p4runtime] to another port".to_owned(),
                ));
            } else if let Some(message) = no_such_port(device, cpu.into()) {
                found.push((None, format!("the port of the controller: {message}"), String::new()));
            }
            let of_device = device.cpu_port().map(|port| port.0);
            if let Some(other) = of_device.filter(|other| *other != cpu) {
                let message = format!("the port of the controller is {cpu} for P4Runtime and {other} for the machine");
                found.push((None, message, "leave out `cpu-port` under [options]".to_owned()));
            }
        }
        self.refuse(found)
    }
}
