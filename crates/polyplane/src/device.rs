//! A machine that runs a program, packet by packet.

use std::borrow::Cow;

use basis::Instant;
use control::{RefusedRequest, Request, Response};
use diagnostics::Failure;
use machines::trace::Trace;
use machines::{Standstill, Statistics};
use measure::{Event, Interest};
use node::{Course, Discarded, Limit, Offered, Port, Reason, Sink, Transmission};
use runtime::ProgramState;
use wire::Packet;
use workbench::check_port;

use crate::Tables;

/// A machine that runs a program. It has a clock of its own, which begins at 0 and goes on as packets come.
pub struct Device {
    device: Box<dyn machines::Device>,
    course: Course,
    now: Instant,
}

/// The outcome for packets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// The packets that left, in order of time.
    pub departures: Vec<Departure>,
    /// The packets that went no further, in order of time.
    pub drops: Vec<Drop>,
}

/// A packet that left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Departure {
    /// The time at which it left, in picoseconds of the device's clock.
    pub at_ps: u64,
    /// The port on which it left.
    pub port: u16,
    /// The packet.
    pub packet: Packet,
}

/// A packet that went no further.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drop {
    /// The time at which it was dropped, in picoseconds of the device's clock.
    pub at_ps: u64,
    /// The reason why it was dropped.
    pub reason: Reason,
}

impl Device {
    pub(crate) fn new(device: Box<dyn machines::Device>) -> Self {
        Self { device, course: Course::new(Limit::default(), Interest::default()), now: Instant::ZERO }
    }

    /// Carries out requests of the control plane: table entries, multicast groups, and so on.
    ///
    /// # Errors
    /// Every request of the first file with such that the device refuses, at its place.
    pub fn fill(&mut self, tables: &Tables) -> Result<(), Failure> {
        tables.entries().clone().apply(&mut *self.device)
    }

    /// Carries out one request of the control plane, after the packets that have come and before those that will.
    ///
    /// # Errors
    /// If the request is refused; then nothing has changed.
    pub fn execute(&mut self, request: &Request) -> Result<Response, control::Error> {
        self.device.execute(request)
    }

    /// Carries out requests in order, as [`Device::execute`] does: all of them, or none if one is refused.
    ///
    /// # Errors
    /// The first request that is refused, with the reason; then nothing has changed.
    pub fn execute_together(&mut self, requests: &[Request]) -> Result<Vec<Response>, RefusedRequest> {
        self.device.execute_together(requests)
    }

    /// Sends the bytes of a packet into a port, now, and lets the device come to rest.
    ///
    /// # Errors
    /// The device does not have this port, or packets stand still in it.
    pub fn send(&mut self, port: u16, bytes: &[u8]) -> Result<Sent, Failure> {
        self.send_all([(self.now.picoseconds(), port, Packet::of_bytes(bytes))])
    }

    /// Sends packets into ports, each at its time in picoseconds of the device's clock, and lets the device come to
    /// rest. Packets come in order of time; one whose time has passed comes now.
    ///
    /// # Errors
    /// The device does not have one of the ports, or packets stand still in it.
    pub fn send_all(&mut self, packets: impl IntoIterator<Item = (u64, u16, Packet)>) -> Result<Sent, Failure> {
        let mut sent = Sent::default();
        for (at, port, packet) in packets {
            check_port(&*self.device, port)?;
            let offered = Offered { at: Instant::from_picoseconds(at), port: Port(port), packet };
            let went_on = self.course.offer(&mut *self.device, offered, &mut sent);
            went_on.map_err(|endless| Standstill::of(&*self.device, endless.at, Some(endless)))?;
        }
        let end = self.course.finish(&mut *self.device, &mut sent);
        self.now = end.map_err(|endless| Standstill::of(&*self.device, endless.at, Some(endless)))?;
        if !self.device.stuck().is_empty() {
            return Err(Standstill::of(&*self.device, self.now, None).into());
        }
        Ok(sent)
    }

    /// Sends the bytes of a packet into a port and tells everything that happened to it: a tree, for a packet may
    /// become several.
    ///
    /// # Errors
    /// The device does not have this port, does not tell what happens inside, or stands still.
    pub fn trace(&mut self, port: u16, bytes: &[u8]) -> Result<Vec<Trace>, Failure> {
        self.device.observe()?;
        let _ = self.device.take_traces();
        self.send(port, bytes)?;
        Ok(self.device.take_traces())
    }

    /// Returns the state of the program now, as its author wrote it: registers, counters, meters and tables.
    pub fn state(&self) -> Cow<'_, ProgramState> {
        self.device.state()
    }

    /// Returns what the device has done so far.
    pub fn statistics(&self) -> Statistics {
        self.device.statistics()
    }

    /// Returns the device behind the handle, for those who drive it themselves.
    pub fn into_inner(self) -> Box<dyn machines::Device> {
        self.device
    }
}

impl Sink for Sent {
    fn transmitted(&mut self, Transmission { at, port, packet, .. }: Transmission) {
        self.departures.push(Departure { at_ps: at.picoseconds(), port: port.0, packet });
    }

    fn discarded(&mut self, at: Instant, discarded: Discarded) {
        self.drops.push(Drop { at_ps: at.picoseconds(), reason: discarded.reason });
    }

    fn event(&mut self, _: Instant, _: Event) {}
}
