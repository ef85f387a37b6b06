//! `[[port]]`: the ports of the chip.

use std::collections::BTreeMap;

use basis::Rate;
use plans::Section;
use queues::SchedulerPlan;
use serde::{Deserialize, Serialize};

use super::bytes::optional_bytes;
use crate::tofino::ports::{FIRST_FOR_CPU, FIRST_RECIRCULATION, OF_PIPE, STRIDE};

/// The most bytes that a port has of its own: those of T2NA.
const MOST_METADATA: usize = 24;

/// What is set of a port.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PortSettings {
    /// The device port: the number of its pipe times 128, and its number in the pipe.
    pub number: u16,
    /// The rate of its link.
    pub rate: Rate,
    /// Whether it is up when the chip starts.
    pub is_up: bool,
    /// What lies in front of packets that arrive at it, behind the intrinsic metadata; zeros follow.
    pub metadata: Vec<u8>,
}

impl PortSettings {
    /// The rate of ports unless another one is set.
    pub const RATE: Rate = Rate::from_gigabits_per_second(100);
    /// From one port of a pipe to the next, unless the file names its ports: a port of 100 Gb/s takes four channels of the
    /// chip, whose first has the number of the port.
    const CHANNELS: u16 = 4;

    /// Returns the settings of a port without further ones.
    pub fn of(number: u16) -> Self {
        Self { number, rate: Self::RATE, is_up: true, metadata: Vec::new() }
    }
}

/// Reads the ports of a chip with so many pipes. Those that recirculate are always there. Also returns the queues of ports
/// that have their own.
///
/// The entries of a section are `ports`, which must be given, `rate` (100 Gb/s), `up` (true), `metadata` (none) and the section
/// `[port.queue]`. Without a section for ports outside, each pipe has 16: 0, 4, …, 60.
pub(super) fn read(
    above: &Section<'_>,
    pipes: u16,
    text: &mut String,
) -> (Vec<PortSettings>, BTreeMap<u16, SchedulerPlan>) {
    let mut ports: Vec<PortSettings> = Vec::new();
    let mut queues = BTreeMap::new();
    for section in above.sections("port") {
        let mut below = String::new();
        let own = section.section("queue");
        let scheduler = own.is_given().then(|| queues::read::scheduler(&own, &mut below));
        section.require("ports", "the device ports: ports = [0, 4, 128]");
        let usual = PortSettings::of(0);
        let (rate, is_up) = (section.rate("rate", usual.rate), section.flag("up", usual.is_up));
        let metadata = optional_bytes(&section, "metadata", MOST_METADATA).unwrap_or_default();
        for (number, span) in section.placed_counts("ports", 0..=u64::from(u16::MAX)) {
            let number = number as u16;
            let (pipe, local) = (number / STRIDE, number % STRIDE);
            if pipe >= pipes || local >= OF_PIPE {
                let message = format!("there is no device port {number}: that is port {local} of pipe {pipe}");
                let last = OF_PIPE - 1;
                let hint = format!(
                    "pipes are 0 to {}, and a pipe has ports 0 to {last}; the number is pipe * 128 + port",
                    pipes - 1
                );
                section.error(&span, message, hint);
            } else if ports.iter().any(|known| known.number == number) {
                section.error(&span, format!("port {number} is named twice"), "name it in one section, once");
            } else {
                ports.push(PortSettings { number, rate, is_up, metadata: metadata.clone() });
                queues.extend(scheduler.clone().map(|scheduler| (number, scheduler)));
            }
        }
        section.end(text);
        own.end(text);
        text.push_str(&below);
    }
    let of_pipes = |locals: std::iter::StepBy<std::ops::Range<u16>>| {
        (0..pipes).flat_map(move |pipe| locals.clone().map(move |local| pipe * STRIDE + local))
    };
    let mut usual: Vec<u16> = of_pipes((FIRST_RECIRCULATION..OF_PIPE).step_by(1)).collect();
    if ports.iter().all(|port| port.number % STRIDE >= FIRST_FOR_CPU) {
        usual.extend(of_pipes((0..FIRST_FOR_CPU).step_by(PortSettings::CHANNELS.into())));
    }
    for number in usual {
        if ports.iter().all(|known| known.number != number) {
            ports.push(PortSettings::of(number));
        }
    }
    (ports, queues)
}

/// What to do about something that cannot change while the chip runs.
pub(super) const FIXED_HINT: &str = "set it in the file of the chip (`--chip`), and start again";

/// What a fragment of settings changes of a port.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PortChange {
    pub(super) is_up: Option<bool>,
    pub(super) metadata: Option<Vec<u8>>,
    /// The shaper of the port, and what its queues have but their pools and reserved cells.
    pub(super) queues: Option<SchedulerPlan>,
}

/// Reads what a fragment of settings changes of ports that are there.
pub(super) fn changes(above: &Section<'_>, known: &[PortSettings]) -> Vec<(u16, PortChange)> {
    let mut changes = Vec::new();
    let mut text = String::new();
    for section in above.sections("port") {
        section.require("ports", "the device ports: ports = [0, 4, 128]");
        let rate = section.has("rate").then(|| section.rate("rate", PortSettings::of(0).rate));
        let change = PortChange {
            is_up: section.has("up").then(|| section.flag("up", true)),
            metadata: optional_bytes(&section, "metadata", MOST_METADATA),
            queues: changed_queues(section.section("queue")),
        };
        for (number, span) in section.placed_counts("ports", 0..=u64::from(u16::MAX)) {
            let number = number as u16;
            match known.iter().find(|port| port.number == number) {
                None => {
                    section.error(&span, format!("the chip has no port {number}"), "its file says which ports it has")
                }
                Some(port) if rate.is_some_and(|rate| rate != port.rate) => {
                    let message = format!("the rate of port {number} cannot change while the chip runs");
                    section.error(&section.span_of("rate"), message, FIXED_HINT);
                }
                Some(_) => (),
            }
            changes.push((number, change.clone()));
        }
        section.end(&mut text);
    }
    changes
}

/// Reads queues that a fragment of settings changes, if it does.
pub(super) fn changed_queues(section: Section<'_>) -> Option<SchedulerPlan> {
    if !section.is_given() {
        return None;
    }
    for class in section.sections("class") {
        for name in ["pool", "reserved"].into_iter().filter(|name| class.has(name)) {
            let message = format!("`{name}` of a queue cannot change while the chip runs: other queues rely on it");
            class.error(&class.span_of(name), message, FIXED_HINT);
        }
    }
    let plan = queues::read::scheduler(&section, &mut String::new());
    section.end(&mut String::new());
    Some(plan)
}
