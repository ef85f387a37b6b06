//! Several logical machines on one chip (MP5 section 3.1, footnote 1): m of the k pipelines run one program and the
//! others run other programs. Each port belongs to one of the machines, which share nothing.

use basis::Instant;
use node::{Burst, Control, Node, Outbox, Port, Reason};

use crate::Device;

/// A chip that consists of several machines.
pub struct Chip {
    parts: Vec<ChipPart>,
    /// The index of the part that owns each port.
    parts_of_ports: Vec<usize>,
}

struct ChipPart {
    machine: Box<dyn Device>,
    deadline: Option<Instant>,
}

impl Chip {
    /// Creates a chip of `machines` where port p belongs to machine `parts_of_ports[p]`. Returns `None` if one of these
    /// numbers is out of range.
    pub fn new(machines: Vec<Box<dyn Device>>, parts_of_ports: Vec<usize>) -> Option<Self> {
        if parts_of_ports.iter().any(|&part| part >= machines.len()) {
            return None;
        }
        let parts = machines.into_iter().map(|machine| ChipPart { machine, deadline: None }).collect();
        Some(Self { parts, parts_of_ports })
    }

    /// Returns the machines, for access to their state and statistics.
    pub fn machines(&self) -> impl Iterator<Item = &dyn Device> {
        self.parts.iter().map(|part| &*part.machine)
    }

    /// Calls a machine and records when it wants to be woken.
    fn call(&mut self, part: usize, out: &mut Outbox, call: impl FnOnce(&mut dyn Device, &mut Outbox)) {
        let part = &mut self.parts[part];
        out.sleep();
        call(&mut *part.machine, out);
        part.deadline = out.take_deadline();
    }

    fn schedule(&self, out: &mut Outbox) {
        match self.parts.iter().filter_map(|part| part.deadline).min() {
            Some(deadline) => out.wake_at(deadline),
            None => out.sleep(),
        }
    }
}

impl Node for Chip {
    /// Discards packets on ports that belong to no machine.
    fn receive(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        match self.parts_of_ports.get(usize::from(port.0)).copied() {
            Some(part) => self.call(part, out, |machine, out| machine.receive(now, port, burst, out)),
            None => burst.drain(..).for_each(|packet| out.discard(packet, Reason::NO_SUCH_PORT)),
        }
        self.schedule(out);
    }

    fn wake(&mut self, now: Instant, out: &mut Outbox) {
        for part in 0..self.parts.len() {
            if self.parts[part].deadline.is_some_and(|deadline| deadline <= now) {
                self.call(part, out, |machine, out| machine.wake(now, out));
            }
        }
        self.schedule(out);
    }

    fn control(&mut self, now: Instant, request: Control, out: &mut Outbox) {
        for part in 0..self.parts.len() {
            self.call(part, out, |machine, out| machine.control(now, request.clone(), out));
        }
        self.schedule(out);
    }
}
