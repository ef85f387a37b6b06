//! The memory in which packets lie that wait between ingress and egress, and the queues of their places.

use basis::Instant;
use queues::{OutputPlan, OutputQueues, Queued};
use serde::{Deserialize, Serialize};

use super::traveller::Traveller;

/// Packets that wait for the line of a port.
pub(super) struct Buffer<P> {
    /// The queues and the lines behind them; not here while they are at work.
    pub(super) queues: Option<Box<OutputQueues<Ticket>>>,
    pub(super) places: Vec<Option<Box<Traveller<P>>>>,
    /// The places in which nothing lies; the last one is taken first.
    pub(super) free: Vec<u32>,
}

/// What stands in a queue for a packet: where it lies, and what queues look at.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Ticket {
    place: u32,
    /// Its bytes as ingress left it.
    length: u32,
    /// When it came into the queue.
    pub(super) since: Instant,
    /// What the program chose.
    class: Option<u8>,
    /// What it had when it came into the switch.
    code_point: Option<u8>,
}

impl<P> Buffer<P> {
    /// An empty one, with these queues.
    pub(super) fn new(plan: OutputPlan) -> Self {
        let queues = OutputQueues::new(plan.ports, &plan.buffer, plan.seed);
        Self { queues: Some(Box::new(queues)), places: Vec::new(), free: Vec::new() }
    }

    /// Gives a packet of so many bytes a place.
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
                // There is no memory for so many.
                (self.places.len() - 1) as u32
            }
        };
        Ticket { place, length, since, class, code_point }
    }

    /// The packet of a ticket, which is gone from here.
    pub(super) fn take(&mut self, ticket: Ticket) -> Option<Box<Traveller<P>>> {
        let traveller = self.places.get_mut(ticket.place as usize)?.take()?;
        self.free.push(ticket.place);
        Some(traveller)
    }
}

/// Its bytes are in pieces, headers in variables: there is nothing to mark or to trim.
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
