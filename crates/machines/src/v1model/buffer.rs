//! The storage of packets that wait between ingress and egress, and the queues of their tickets.

use basis::Instant;
use queues::{OutputPlan, OutputQueues, Queued};
use serde::{Deserialize, Serialize};

use super::traveller::Traveller;

/// The packets that wait for the link of a port.
pub(super) struct Buffer<P> {
    /// The queues and the links behind them; `None` while they are being called.
    pub(super) queues: Option<Box<OutputQueues<Ticket>>>,
    pub(super) places: Vec<Option<Box<Traveller<P>>>>,
    /// The unused places; the last one is taken first.
    pub(super) free: Vec<u32>,
}

/// The entry of a packet in a queue: the place of the packet, and the properties that queues use.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Ticket {
    place: u32,
    /// The length of the packet in bytes after ingress.
    length: u32,
    /// The time at which it entered the queue.
    pub(super) since: Instant,
    /// The class that the program chose, if any.
    class: Option<u8>,
    /// The differentiated services code point with which it arrived.
    code_point: Option<u8>,
}

impl<P> Buffer<P> {
    /// Creates an empty buffer with the queues of a plan.
    pub(super) fn new(plan: OutputPlan) -> Self {
        let queues = OutputQueues::new(plan.ports, &plan.buffer, plan.seed);
        Self { queues: Some(Box::new(queues)), places: Vec::new(), free: Vec::new() }
    }

    /// Stores a packet of `length` bytes and returns its ticket.
    pub(super) fn put(
        &mut self,
        since: Instant,
        length: u32,
        class: Option<u8>,
        traveller: Box<Traveller<P>>,
    ) -> Ticket {
        let code_point = traveller.way.code_point;
        let place = match self.free.pop() {
            Some(place) => {
                self.places[place as usize] = Some(traveller);
                place
            }
            None => {
                self.places.push(Some(traveller));
                // Memory runs out long before the number overflows.
                (self.places.len() - 1) as u32
            }
        };
        Ticket { place, length, since, class, code_point }
    }

    /// Removes and returns the packet of a ticket.
    pub(super) fn take(&mut self, ticket: Ticket) -> Option<Box<Traveller<P>>> {
        let traveller = self.places.get_mut(ticket.place as usize)?.take()?;
        self.free.push(ticket.place);
        Some(traveller)
    }
}

/// While a packet waits its headers are in variables, so there are no bytes that a queue could mark or trim.
impl Queued for Ticket {
    fn length(&self) -> usize {
        self.length as usize
    }

    fn class(&self) -> Option<u8> {
        self.class
    }

    fn code_point(&self) -> Option<u8> {
        self.code_point
    }

    fn packet(&self) -> Option<&wire::Packet> {
        None
    }

    fn packet_mut(&mut self) -> Option<&mut wire::Packet> {
        None
    }
}
