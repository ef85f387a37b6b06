//! The reorder engine: what leaves for a packet leaves when everything has left for all earlier packets of its flow
//! (section 2.1).

use serde::{Deserialize, Serialize};

/// The number of a packet in the reorder engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Place(u32);

const NONE: u32 = u32::MAX;

/// Packets that have been dispatched, in the order of their arrival, queue by queue. A flow lies in one queue, and flows of
/// one queue keep their order among each other, too.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Reorder<T> {
    queues: Vec<Queue>,
    packets: Vec<Packet<T>>,
    free: Vec<u32>,
    /// The number of things that wait to leave.
    held: u64,
    /// The largest number that have waited at once.
    most_held: u64,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Queue {
    first: u32,
    last: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Packet<T> {
    queue: u32,
    next: u32,
    is_done: bool,
    /// What leaves once earlier packets are done.
    leaving: Vec<T>,
}

impl<T> Reorder<T> {
    /// Creates so many empty queues, at least 1.
    pub(super) fn new(queues: u32) -> Self {
        let queues = vec![Queue { first: NONE, last: NONE }; queues.max(1) as usize];
        Self { queues, packets: Vec::new(), free: Vec::new(), held: 0, most_held: 0 }
    }

    /// Takes the next packet of a flow.
    pub(super) fn arrive(&mut self, flow: u64) -> Place {
        let queue = (flow % self.queues.len() as u64) as u32;
        let number = self.free.pop().unwrap_or(self.packets.len() as u32);
        match self.packets.get_mut(number as usize) {
            Some(packet) => (packet.queue, packet.next, packet.is_done) = (queue, NONE, false),
            None => self.packets.push(Packet { queue, next: NONE, is_done: false, leaving: Vec::new() }),
        }
        let own = &mut self.queues[queue as usize];
        match own.last {
            NONE => own.first = number,
            last => self.packets[last as usize].next = number,
        }
        own.last = number;
        Place(number)
    }

    /// Lets something leave for a packet that is not done: now, which appends it to `now`, or later.
    pub(super) fn leave(&mut self, place: Place, what: T, now: &mut Vec<T>) {
        let packet = &mut self.packets[place.0 as usize];
        if self.queues[packet.queue as usize].first == place.0 {
            now.push(what);
        } else {
            packet.leaving.push(what);
            self.held += 1;
            self.most_held = self.most_held.max(self.held);
        }
    }

    /// Ends a packet, for which nothing more leaves. What may leave now is appended to `now`, in order.
    pub(super) fn done(&mut self, place: Place, now: &mut Vec<T>) {
        let packet = &mut self.packets[place.0 as usize];
        packet.is_done = true;
        let queue = packet.queue as usize;
        if self.queues[queue].first != place.0 {
            return;
        }
        let mut first = place.0;
        loop {
            let packet = &mut self.packets[first as usize];
            self.held -= packet.leaving.len() as u64;
            now.append(&mut packet.leaving);
            if !packet.is_done {
                self.queues[queue].first = first;
                return;
            }
            self.free.push(first);
            first = packet.next;
            if first == NONE {
                self.queues[queue] = Queue { first: NONE, last: NONE };
                return;
            }
        }
    }

    /// Returns the number of things that wait to leave.
    pub(super) fn held(&self) -> u64 {
        self.held
    }

    /// Returns the largest number of things that have waited at once.
    pub(super) fn most_held(&self) -> u64 {
        self.most_held
    }
}

#[cfg(test)]
mod tests {
    use basis::Random;

    use super::*;

    #[test]
    fn packets_leave_when_all_earlier_ones_of_their_flow_are_done() {
        let (mut reorder, mut left) = (Reorder::new(4), Vec::new());
        let [a, b, other, c] = [0, 4, 1, 8].map(|flow| reorder.arrive(flow));
        reorder.leave(b, "b", &mut left);
        reorder.done(b, &mut left);
        reorder.leave(c, "c, made", &mut left);
        assert_eq!((&left[..], reorder.held()), (&[][..], 2));
        reorder.leave(other, "other", &mut left);
        reorder.done(other, &mut left);
        assert_eq!(std::mem::take(&mut left), ["other"]);
        reorder.leave(a, "a", &mut left);
        assert_eq!(std::mem::take(&mut left), ["a"]);
        reorder.done(a, &mut left);
        assert_eq!(std::mem::take(&mut left), ["b", "c, made"]);
        reorder.leave(c, "c", &mut left);
        reorder.done(c, &mut left);
        assert_eq!((&left[..], reorder.held(), reorder.most_held()), (&["c"][..], 0, 2));
    }

    /// Whatever the order in which packets are done, each flow keeps its order, and all leave.
    #[test]
    fn every_flow_keeps_its_order() {
        let mut random = Random::new(7);
        for _ in 0..200 {
            let (mut reorder, mut left, mut inside) = (Reorder::new(3), Vec::new(), Vec::new());
            for number in 0..100 {
                let flow = random.below(5);
                inside.push((reorder.arrive(flow), (flow, number)));
                while random.chance(0.5) && !inside.is_empty() {
                    let (place, packet) = inside.remove(random.below(inside.len() as u64) as usize);
                    if random.chance(0.9) {
                        reorder.leave(place, packet, &mut left);
                    }
                    reorder.done(place, &mut left);
                }
            }
            inside.into_iter().for_each(|(place, packet)| {
                reorder.leave(place, packet, &mut left);
                reorder.done(place, &mut left);
            });
            assert_eq!(reorder.held(), 0);
            for flow in 0..5 {
                let own: Vec<i32> = left.iter().filter(|packet| packet.0 == flow).map(|packet| packet.1).collect();
                assert!(own.is_sorted(), "{own:?}");
            }
        }
    }
}
