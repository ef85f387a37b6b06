//! Workers around a switch, on links that lose, copy and delay packets.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use basis::{Duration, Instant, Random};
use machines::Device;
use transports::Endpoint;
use transports::aggregation::trio_ml::{TrioMl, TrioMlParameters};
use transports::aggregation::{Collective, Gradients, Outcome, Outcomes, Setup, Sum, Tensor, WorkerPlace};
use wire::Packet;

use super::driven::{Driven, GROUP, SWITCH, Seen, worker};

/// The contribution of a worker to a position of a tensor.
pub fn value(rank: u16, tensor: u32, position: u64) -> i32 {
    (u64::from(rank) + 1).wrapping_mul(0x9E37_79B9).wrapping_add(u64::from(tensor) * 7919 + position * 104_729) as i32
        >> 4
}

#[derive(Debug)]
struct Values(u16);

impl Gradients for Values {
    fn integers(&self, tensor: u32, first: u64, values: &mut [i32]) {
        for (at, place) in values.iter_mut().enumerate() {
            *place = value(self.0, tensor, first + at as u64);
        }
    }

    fn floats(&self, tensor: u32, first: u64, values: &mut [f32]) {
        for (at, place) in values.iter_mut().enumerate() {
            *place = value(self.0, tensor, first + at as u64) as f32;
        }
    }
}

/// The faults of all links: one of so many packets is lost, copied, or late by up to so many microseconds; 0 is none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Faults {
    pub loss: u64,
    pub copies: u64,
    pub late: u64,
}

/// A part of a tensor that has come out at a worker: how many workers it contains, and whether their sum is right.
pub type Parts = BTreeMap<(u32, u64), (u16, usize)>;

/// A worker with what came out.
pub struct Node {
    pub collective: TrioMl,
    outcomes: Outcomes,
    pub parts: Parts,
    pub missed: u64,
    pub finished: BTreeSet<u32>,
    pub stragglers: Vec<(u16, bool)>,
    /// It sends nothing and hears nothing.
    pub is_down: bool,
    free: Instant,
}

enum Event {
    ToSwitch(u16, Vec<u8>),
    ToWorker(u16, Vec<u8>),
}

/// Workers 0 to 2 behind the ports of their numbers.
pub struct Network {
    pub now: Instant,
    pub switch: Driven,
    pub workers: Vec<Node>,
    faults: Faults,
    random: Random,
    queue: BTreeMap<(Instant, u64), Event>,
    number: u64,
}

/// The setup of a job of these workers.
pub fn setup(generation: u16, ranks: &[u16]) -> Arc<Setup> {
    let place = |rank: &u16| WorkerPlace::with_two_levels(worker(*rank), [*rank as u8, 0], [0, 0]);
    Arc::new(Setup {
        job: 1,
        generation,
        group: GROUP,
        servers: vec![SWITCH],
        workers: ranks.iter().map(place).collect(),
        aggregators: 0..0,
    })
}

impl Network {
    pub fn new(device: Box<dyn Device>, faults: Faults, seed: u64, parameters: TrioMlParameters) -> Self {
        let node = |rank: u16| Node {
            collective: TrioMl::new(worker(rank), setup(1, &[0, 1, 2]), Arc::new(Values(rank)), parameters),
            outcomes: Outcomes::default(),
            parts: Parts::new(),
            missed: 0,
            finished: BTreeSet::new(),
            stragglers: Vec::new(),
            is_down: false,
            free: Instant::ZERO,
        };
        Self {
            now: Instant::ZERO,
            switch: Driven::new(device),
            workers: (0..3).map(node).collect(),
            faults,
            random: Random::new(seed),
            queue: BTreeMap::new(),
            number: 0,
        }
    }

    pub fn begin(&mut self, rank: usize, number: u32, length: u64) {
        self.workers[rank].collective.begin(self.now, Tensor { number, length });
    }

    fn chance(&mut self, one_of: u64) -> bool {
        one_of > 0 && self.random.below(one_of) == 0
    }

    fn put(&mut self, event: impl Fn(Vec<u8>) -> Event, bytes: &[u8]) {
        if self.chance(self.faults.loss) {
            return;
        }
        for _ in 0..1 + u32::from(self.chance(self.faults.copies)) {
            let late = if self.faults.late > 0 { self.random.below(self.faults.late) } else { 0 };
            self.number += 1;
            let at = self.now + Duration::from_microseconds(1 + late);
            self.queue.insert((at, self.number), event(bytes.to_vec()));
        }
    }

    /// Lets time pass until all workers have finished so many tensors, or until `limit`. Returns whether they have.
    pub fn run(&mut self, tensors: usize, limit: Instant) -> bool {
        while self.now < limit {
            if self.workers.iter().all(|node| node.is_down || node.finished.len() >= tensors) {
                return true;
            }
            self.step(limit);
        }
        false
    }

    /// Goes on to the next moment in which something happens.
    pub fn step(&mut self, limit: Instant) {
        // What the workers send now. A packet takes a link a microsecond.
        for rank in 0..self.workers.len() {
            let now = self.now;
            let node = &mut self.workers[rank];
            if !node.is_down
                && node.free <= now
                && let Some(packet) = node.collective.transmit(now)
            {
                node.free = now + Duration::from_microseconds(1);
                let mut bytes = Vec::new();
                packet.append_to(&mut bytes);
                self.put(|bytes| Event::ToSwitch(rank as u16, bytes), &bytes);
            }
        }
        let mut next = limit;
        for node in self.workers.iter().filter(|node| !node.is_down) {
            if node.collective.is_ready(node.free) {
                next = next.min(node.free);
            }
            if let Some(deadline) = node.collective.deadline() {
                next = next.min(deadline);
            }
        }
        next = next.min(self.queue.first_key_value().map_or(limit, |((at, _), _)| *at));
        next = next.min(self.switch.deadline().unwrap_or(limit)).max(self.now);
        self.now = next;
        self.switch.run_until(next);
        while self.queue.first_key_value().is_some_and(|((at, _), _)| *at <= next) {
            match self.queue.pop_first().expect("there is one").1 {
                Event::ToSwitch(port, bytes) => self.switch.offer(port, &bytes),
                Event::ToWorker(rank, bytes) => self.deliver(rank, &bytes),
            }
        }
        for (at, seen) in std::mem::take(&mut self.switch.seen) {
            if let Seen::Sent(port, bytes) = seen {
                assert!(at >= next || at + Duration::from_microseconds(1000) >= next);
                self.put(|bytes| Event::ToWorker(port, bytes), &bytes);
            }
        }
        for rank in 0..self.workers.len() {
            let node = &mut self.workers[rank];
            if !node.is_down && node.collective.deadline().is_some_and(|deadline| deadline <= next) {
                node.collective.wake(next, &mut node.outcomes);
            }
            self.note(rank);
        }
    }

    fn deliver(&mut self, rank: u16, bytes: &[u8]) {
        let Some(node) = self.workers.get_mut(usize::from(rank)).filter(|node| !node.is_down) else { return };
        let packet = Packet::of_bytes(bytes);
        if node.collective.accepts(&packet) {
            node.collective.receive(self.now, packet, &mut node.outcomes).expect("packets of the switch are known");
        }
        self.note(rank.into());
    }

    /// Takes what has come out. A sum must be that of as many workers as it says it contains.
    fn note(&mut self, rank: usize) {
        let Node { outcomes, parts, missed, finished, stragglers, .. } = &mut self.workers[rank];
        outcomes.drain(|outcome| match outcome {
            Outcome::Part { tensor, first, sources, sum: Sum::Integers(sums) } => {
                let all: Vec<u16> = (0..3).collect();
                let is_sum_of = |mask: u32| {
                    let of = all.iter().filter(|rank| mask >> **rank & 1 != 0);
                    sums.iter().enumerate().all(|(at, found)| {
                        let position = first + at as u64;
                        *found == of.clone().fold(0_i32, |sum, rank| sum.wrapping_add(value(*rank, tensor, position)))
                    })
                };
                let is_right = (1_u32..8).any(|mask| mask.count_ones() == u32::from(sources) && is_sum_of(mask));
                assert!(is_right, "worker {rank}: tensor {tensor} from {first} is no sum over {sources} workers");
                assert!(parts.insert((tensor, first), (sources, sums.len())).is_none(), "a part comes out once");
            }
            Outcome::Part { .. } => panic!("Trio-ML sums integers"),
            Outcome::Missed { length, .. } => *missed += length,
            Outcome::Finished { tensor } => assert!(finished.insert(tensor), "a tensor finishes once"),
            Outcome::Straggler { worker, is_permanent } => stragglers.push((worker, is_permanent)),
        });
    }
}
