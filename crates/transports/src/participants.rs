//! The protocols that a host runs beside its transport.

use basis::Instant;
use node::{Counter, NotBegun, Outbox, Reason, UnfinishedWork};
use wire::Packet;

use crate::aggregation::Participant;

/// The protocols of a host beside its transport, which take turns with it to send. Most hosts have none, and need only a
/// pointer for that.
#[derive(Default)]
pub struct Participants(Option<Box<List>>);

#[derive(Default)]
struct List {
    all: Vec<Box<dyn Participant>>,
    /// The position of the participant that may send next; the number of participants if it is the transport's turn.
    turn: usize,
}

impl Participants {
    pub fn add(&mut self, participant: Box<dyn Participant>) {
        self.0.get_or_insert_default().all.push(participant);
    }

    /// Gives a packet to the participant that accepts it.
    ///
    /// # Errors
    /// The packet, if nobody accepts it, and otherwise with the reason why its participant discards it.
    pub fn receive(&mut self, now: Instant, packet: Packet, out: &mut Outbox) -> Result<(), (Packet, Option<Reason>)> {
        let mut all = self.0.iter_mut().flat_map(|list| &mut list.all);
        match all.find(|participant| participant.accepts(&packet)) {
            Some(participant) => {
                participant.receive(now, packet, out).map_err(|(packet, reason)| (packet, Some(reason)))
            }
            None => Err((packet, None)),
        }
    }

    /// Wakes the participants whose deadlines have passed.
    pub fn wake_due(&mut self, now: Instant, out: &mut Outbox) {
        for participant in self.0.iter_mut().flat_map(|list| &mut list.all) {
            if participant.deadline().is_some_and(|deadline| deadline <= now) {
                participant.wake(now, out);
            }
        }
    }

    /// Returns the next packet to send, from the participants and from `of_transport` in turns.
    pub fn transmit(
        &mut self,
        now: Instant,
        is_paused: bool,
        mut of_transport: impl FnMut() -> Option<Packet>,
    ) -> Option<Packet> {
        let Some(list) = &mut self.0 else { return of_transport() };
        let places = list.all.len() + 1;
        (0..places).find_map(|_| {
            let packet = match list.all.get_mut(list.turn) {
                Some(participant) if is_paused => participant.transmit_while_paused(now),
                Some(participant) => participant.transmit(now),
                None => of_transport(),
            };
            list.turn = (list.turn + 1) % places;
            packet
        })
    }

    pub fn is_ready(&self, at: Instant) -> bool {
        self.all().any(|participant| participant.is_ready(at))
    }

    pub fn deadline(&self) -> Option<Instant> {
        self.all().filter_map(|participant| participant.deadline()).min()
    }

    pub fn waiting(&self, now: Instant) -> Vec<UnfinishedWork> {
        self.all().flat_map(|participant| participant.waiting(now)).collect()
    }

    pub fn not_begun(&self, tell: &mut dyn FnMut(NotBegun)) {
        self.all().for_each(|participant| participant.not_begun(tell));
    }

    pub fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        self.all().for_each(|participant| participant.counters(tell));
    }

    fn all(&self) -> impl Iterator<Item = &dyn Participant> {
        self.0.iter().flat_map(|list| &list.all).map(|participant| &**participant)
    }
}

basis::snapshot!(List { values turn; parts all; });

impl basis::snapshot::Snapshot for Participants {
    fn save(&self, into: &mut basis::snapshot::Saver) -> Result<(), basis::snapshot::Unfit> {
        self.0.save(into)
    }

    fn restore(&mut self, from: &mut basis::snapshot::Loader<'_>) -> Result<(), basis::snapshot::Unfit> {
        self.0.restore(from)
    }
}
