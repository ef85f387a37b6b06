//! The packet generators: when they are triggered, and the packets that they make.
//!
//! Each pipe has one, with several applications. An application that is triggered makes its batches of packets one after
//! the other, each with a header in front that says where it comes from, and sends them to ingress of its pipe.

use std::collections::{BTreeMap, BTreeSet};

use arch::GeneratedFront;
use basis::{Duration, Instant};
use node::Outbox;
use serde::{Deserialize, Serialize};

use super::front::{self, Generated, Known};
use super::ports::{STRIDE, pipe_of};
use super::settings::{GeneratorApplication, GeneratorSettings, GeneratorTrigger, PortSettings};
use super::switch::Tofino;
use crate::blocks::Executor;

/// What the generators of a chip are doing.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Generators {
    applications: BTreeMap<(u16, u8), Application>,
    /// The ports that went down and have not come up since: each triggers once.
    down: BTreeSet<u16>,
    /// What was generated so far.
    pub(super) counts: GeneratorCounts,
}

/// What generators have done, all taken together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct GeneratorCounts {
    pub(super) triggers: u64,
    pub(super) batches: u64,
    pub(super) packets: u64,
    /// Triggers that came while the application was making packets, and were lost.
    pub(super) missed: u64,
}

/// What an application is doing.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Application {
    /// The time at which its timer runs out.
    timer: Option<Instant>,
    /// The number of times that it was triggered.
    triggers: u64,
    /// What it is making.
    making: Option<Making>,
}

/// Packets that an application is making.
#[derive(Debug, Serialize, Deserialize)]
struct Making {
    /// What the next packet says.
    next: Generated,
    /// The time at which it is made.
    at: Instant,
    /// The time at which its batch began.
    batch_start: Instant,
}

/// A packet that a generator has made.
pub(super) struct GeneratedPacket {
    /// The device port at which it arrives.
    pub(super) port: u16,
    pub(super) bytes: Vec<u8>,
}

impl GeneratorCounts {
    /// Returns all counts with their names.
    pub(super) fn all(&self) -> [(&'static str, u64); 4] {
        [
            ("generator_triggers", self.triggers),
            ("generator_missed", self.missed),
            ("generator_batches", self.batches),
            ("generated", self.packets),
        ]
    }
}

impl Generators {
    /// Returns true if there is no application, and never was one.
    pub(super) fn are_idle(&self, settings: &GeneratorSettings) -> bool {
        self.applications.is_empty() && settings.applications().next().is_none() && self.counts.triggers == 0
    }

    /// Starts the timers of all applications that are enabled and have not been started.
    pub(super) fn start(&mut self, settings: &GeneratorSettings, now: Instant) {
        for (place, application) in settings.applications() {
            if application.is_enabled && !self.applications.contains_key(&place) {
                self.restart(place, application, now);
            }
        }
    }

    /// Starts an application afresh, as it is set now: what it was making is over.
    pub(super) fn restart(&mut self, place: (u16, u8), application: &GeneratorApplication, now: Instant) {
        let timer = match application.trigger {
            GeneratorTrigger::OneShot(time) | GeneratorTrigger::Periodic(time) => Some(now + time),
            GeneratorTrigger::PortDown(_) | GeneratorTrigger::Recirculation { .. } => None,
        };
        let timer = timer.filter(|_| application.is_enabled);
        self.applications.insert(place, Application { timer, ..Application::default() });
    }

    /// Triggers the applications that wait for a port to go down. A port that is already known to be down triggers none.
    /// On the chip, the drivers clear the state of a port (`bf_pktgen_clear_port_down`); here a port that comes up does so.
    pub(super) fn set_port(&mut self, settings: &GeneratorSettings, now: Instant, port: u16, is_up: bool) {
        if is_up {
            self.down.remove(&port);
        } else if self.down.insert(port) {
            let facts = Generated { port_down: port, ..Generated::default() };
            self.trigger_each(settings, now, pipe_of(port) as u16, facts, |trigger| {
                let GeneratorTrigger::PortDown(ports) = trigger else { return false };
                ports.is_empty() || ports.contains(&(port % STRIDE))
            });
        }
    }

    /// Triggers the applications that wait for what a recirculated packet begins with.
    pub(super) fn recirculated(
        &mut self,
        settings: &GeneratorSettings,
        front: &GeneratedFront,
        (now, pipe): (Instant, u16),
        bytes: &[u8],
    ) {
        let Some(first) = bytes.get(..front.pattern) else { return };
        let trigger = first.iter().fold(0, |all, byte| all << 8 | u128::from(*byte));
        self.trigger_each(settings, now, pipe, Generated { trigger, ..Generated::default() }, |waits| {
            let GeneratorTrigger::Recirculation { pattern, mask } = waits else { return false };
            first.iter().zip(pattern.iter().zip(mask)).all(|(byte, (pattern, mask))| (byte ^ pattern) & mask == 0)
        });
    }

    fn trigger_each(
        &mut self,
        settings: &GeneratorSettings,
        now: Instant,
        pipe: u16,
        facts: Generated,
        waits: impl Fn(&GeneratorTrigger) -> bool,
    ) {
        let own = settings
            .applications()
            .filter(|((of, _), application)| *of == pipe && application.is_enabled && waits(&application.trigger));
        own.for_each(|(place, application)| self.trigger(place, application, now, facts));
    }

    fn trigger(&mut self, place: (u16, u8), settings: &GeneratorApplication, now: Instant, facts: Generated) {
        let own = self.applications.entry(place).or_default();
        if settings.most_triggers.is_some_and(|most| own.triggers >= most) {
            return;
        }
        if own.making.is_some() {
            self.counts.missed += 1;
            return;
        }
        own.triggers += 1;
        self.counts.triggers += 1;
        let next = Generated { pipe: place.0, application: place.1, batch: 0, packet: 0, ..facts };
        own.making = Some(Making { next, at: now, batch_start: now });
    }

    /// Returns the next time at which something happens by itself.
    pub(super) fn next(&self) -> Option<Instant> {
        let of = |own: &Application| [own.timer, own.making.as_ref().map(|making| making.at)];
        self.applications.values().flat_map(of).flatten().min()
    }

    /// Returns true if nothing happens by itself but timers that go on for ever.
    pub(super) fn rests(&self, settings: &GeneratorSettings) -> bool {
        self.applications.iter().all(|(place, own)| {
            let is_endless = settings.application(place.0, place.1).is_some_and(|application| {
                matches!(application.trigger, GeneratorTrigger::Periodic(_)) && application.most_triggers.is_none()
            });
            own.making.is_none() && (own.timer.is_none() || is_endless)
        })
    }

    /// Returns the next packet that is to be made by now, in the order of times. `spacing` is the time that a packet of so
    /// many bytes takes at the port of the generator of a pipe.
    pub(super) fn generate(
        &mut self,
        settings: &GeneratorSettings,
        front: &GeneratedFront,
        now: Instant,
        spacing: impl Fn(u16, usize) -> Duration,
    ) -> Option<GeneratedPacket> {
        while let Some((at, place)) = self.first_due(now) {
            let Some(application) = settings.application(place.0, place.1) else {
                self.applications.remove(&place);
                continue;
            };
            let own = self.applications.entry(place).or_default();
            if own.timer == Some(at) {
                own.timer = None;
                if let GeneratorTrigger::Periodic(period) = application.trigger {
                    // All that come before the packet that is being made are lost, and counted at once.
                    let until = own.making.as_ref().map_or(at, |making| making.at.min(now));
                    let lost = until.since(at).picoseconds() / period.picoseconds();
                    self.counts.missed += lost;
                    own.timer = Some(at + Duration::from_picoseconds(period.picoseconds() * (lost + 1)));
                }
                if application.most_triggers.is_some_and(|most| own.triggers + 1 >= most) {
                    own.timer = None;
                }
                self.trigger(place, application, at, Generated::default());
                continue;
            }
            let Some(making) = &mut own.making else { continue };
            let bytes = bytes(application, front, &making.next);
            let local = application.port.unwrap_or(front.port);
            let step = if application.increments_port { making.next.packet } else { 0 };
            let port = place.0 * STRIDE + (local.wrapping_add(step)) % STRIDE;
            self.counts.packets += 1;
            self.counts.batches += u64::from(making.next.packet == 0);
            if !making.step(application, spacing(place.0, bytes.len())) {
                own.making = None;
            }
            return Some(GeneratedPacket { port, bytes });
        }
        None
    }

    /// Returns what is due first by now: an end of a timer, or a packet.
    fn first_due(&self, now: Instant) -> Option<(Instant, (u16, u8))> {
        let of = |(&place, own): (&(u16, u8), &Application)| {
            let at = own.timer.into_iter().chain(own.making.as_ref().map(|making| making.at)).min()?;
            (at <= now).then_some((at, place))
        };
        self.applications.iter().filter_map(of).min()
    }
}

impl Making {
    /// Goes on to the next packet; returns false if there is none. Gaps are from start to start, and at least what a packet
    /// takes.
    fn step(&mut self, application: &GeneratorApplication, spacing: Duration) -> bool {
        let behind = self.at + spacing;
        if u32::from(self.next.packet) + 1 < application.packets {
            self.next.packet += 1;
            self.at = behind.max(self.at + application.packet_gap);
            return true;
        }
        if u32::from(self.next.batch) + 1 < application.batches {
            (self.next.batch, self.next.packet) = (self.next.batch + 1, 0);
            self.at = behind.max(self.batch_start + application.batch_gap);
            self.batch_start = self.at;
            return true;
        }
        false
    }
}

/// Returns a packet with the header that says where it comes from.
fn bytes(application: &GeneratorApplication, front: &GeneratedFront, generated: &Generated) -> Vec<u8> {
    let header = match application.trigger {
        GeneratorTrigger::OneShot(_) | GeneratorTrigger::Periodic(_) => front.timer,
        GeneratorTrigger::PortDown(_) => front.port_down,
        GeneratorTrigger::Recirculation { .. } => front.recirculation,
    };
    let mut bytes = Vec::with_capacity(application.packet.len() + 24);
    front::write(header, &Known { generated: *generated, ..Known::default() }, &mut bytes);
    bytes.extend_from_slice(&application.packet);
    bytes
}

/// The bytes that a packet takes at the port of a generator beside its own, as on an Ethernet link: preamble, frame check
/// sequence and gap.
const FRAMING: u64 = 24;

impl<E: Executor> Tofino<E> {
    /// Makes all packets that are to be generated by now, and sends them through the chip.
    pub(super) fn generate(&mut self, now: Instant, out: &mut Outbox) {
        if self.generators.are_idle(&self.settings.generators) {
            return;
        }
        let front = self.layout(0).in_front.generated;
        self.generators.start(&self.settings.generators, now);
        loop {
            let (settings, ports) = (&self.settings, &self.ports);
            let spacing = |pipe: u16, bytes: usize| {
                let place = ports.place(pipe * STRIDE + front.port);
                let rate = place.map_or(PortSettings::RATE, |place| settings.ports[usize::from(place.0)].rate);
                rate.time_of(bytes as u64 + FRAMING)
            };
            let Some(GeneratedPacket { port, bytes }) =
                self.generators.generate(&settings.generators, &front, now, spacing)
            else {
                return;
            };
            self.copies = 0;
            self.enter(now, port, wire::Packet::of_bytes(&bytes), out);
        }
    }

    /// Triggers the packet generator of a port's pipe if a packet begins as it says that is recirculated and comes to ingress
    /// at a time.
    pub(super) fn look_for_patterns(&mut self, at: Instant, port: u16, packet: &wire::Packet) {
        let pipe = pipe_of(port);
        let front = self.layout(pipe).in_front.generated;
        // Patterns are short, and lie in what was emitted last.
        let bytes = packet.head.bytes();
        self.generators.recirculated(&self.settings.generators, &front, (at, pipe as u16), bytes);
    }
}
