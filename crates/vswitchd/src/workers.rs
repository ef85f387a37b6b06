//! Cores of the switch on threads of their own, each with a ring of packets (Triton's HS-rings, section 4.2: as many as cores).
//!
//! The thread of the driver is pre- and post-processor. It brings packets to the rings, and carries out what the cores have made of
//! them, in the order of each core, so that the order within a flow stays. A ring is a queue of bounded length with one producer and
//! one consumer; nothing is allocated for a packet.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use basis::Instant;
use live::Waker;
use node::{Outbox, Port};
use rtrb::{Consumer, Producer, PushError, RingBuffer};
use vswitch::{Core, Made, Parsed, RING, VirtualSwitch};

/// The most things that wait for the post-processor; the core waits then.
const BEHIND: usize = 4096;
/// The most packets that a core takes at once. Whoever asks for its sessions waits as long.
const BATCH: usize = 64;
/// The longest sleep of a thread, should it miss a call.
const LONGEST_SLEEP: Duration = Duration::from_millis(20);

/// A packet for a core: the time at which it came, the port, and what was read.
type Job = (Instant, Port, Parsed);

/// What comes back from a core.
enum Back {
    /// Something was made of packets.
    Made(Made),
    /// Packets of a port have cost so much beside what every packet costs, in packets that find their session.
    Cost(Port, u64),
    /// So many packets are worked on, and everything that was made of them has come back.
    Done(usize),
}

/// What both sides of the rings see.
#[derive(Default)]
struct Shared {
    /// Whether the driver's thread was woken and has not looked yet.
    is_told: AtomicBool,
    is_stopping: AtomicBool,
}

/// The two rings of a core.
struct Ring {
    jobs: Producer<Job>,
    back: Consumer<Back>,
    is_asleep: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// The threads of all cores.
pub(crate) struct Workers {
    rings: Vec<Ring>,
    shared: Arc<Shared>,
    /// What the packets of each port have cost, by its number, until the next burst of the port is charged with it.
    costs: Vec<u64>,
}

impl Workers {
    /// Starts a thread for each core. `waker` ends the sleep of the driver that calls [`Workers::collect`].
    ///
    /// # Errors
    /// Returns the error of the system if it has no threads left; then none runs.
    pub fn start(cores: &[Arc<Mutex<Core>>], waker: &Waker) -> io::Result<Self> {
        let mut workers = Self { rings: Vec::new(), shared: Arc::default(), costs: Vec::new() };
        for (number, core) in cores.iter().enumerate() {
            let (jobs, taken) = RingBuffer::new(RING);
            let (behind, back) = RingBuffer::new(BEHIND);
            let is_asleep = Arc::new(AtomicBool::new(false));
            let worker = Worker {
                core: Arc::clone(core),
                jobs: taken,
                behind,
                is_asleep: Arc::clone(&is_asleep),
                shared: Arc::clone(&workers.shared),
                waker: waker.clone(),
            };
            let thread = std::thread::Builder::new().name(format!("core {number}")).spawn(move || worker.run())?;
            workers.rings.push(Ring { jobs, back, is_asleep, thread: Some(thread) });
        }
        Ok(workers)
    }

    /// Handles a burst: brings its packets to the rings, and wakes the cores that sleep.
    pub fn receive(
        &mut self,
        switch: &mut VirtualSwitch,
        now: Instant,
        port: Port,
        burst: &mut node::Burst,
        out: &mut Outbox,
    ) {
        let rings = &mut self.rings;
        switch.prepare(now, port, burst, out, &mut |core, parsed| {
            let is_in = rings[usize::from(core)].jobs.push((now, port, parsed)).is_ok();
            assert!(is_in, "a ring has room for everything that may wait for its core");
        });
        self.call(switch);
        self.collect(switch, now, out);
        let number = usize::from(port.0);
        let cost = self.costs.get_mut(number).map_or(0, std::mem::take);
        switch.end_burst(port, cost, out);
    }

    /// Wakes the cores that sleep and have packets.
    fn call(&self, switch: &VirtualSwitch) {
        // What was brought is there before it is asked who sleeps: see `Worker::sleep`.
        fence(Ordering::SeqCst);
        for (core, ring) in (0..).zip(&self.rings) {
            if switch.waiting(core) > 0
                && ring.is_asleep.swap(false, Ordering::SeqCst)
                && let Some(thread) = &ring.thread
            {
                thread.thread().unpark();
            }
        }
    }

    /// Carries out what the cores have made so far.
    pub fn collect(&mut self, switch: &mut VirtualSwitch, now: Instant, out: &mut Outbox) {
        self.shared.is_told.store(false, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        for (core, ring) in (0..).zip(&mut self.rings) {
            while let Ok(back) = ring.back.pop() {
                match back {
                    Back::Made(made) => switch.finish(now, made, out),
                    Back::Done(packets) => switch.worked(core, packets),
                    Back::Cost(Port(port), cost) => {
                        let port = usize::from(port);
                        self.costs.resize(self.costs.len().max(port + 1), 0);
                        self.costs[port] += cost;
                    }
                }
            }
        }
    }

    /// Waits until the cores have worked on everything, which is carried out.
    pub fn settle(&mut self, switch: &mut VirtualSwitch, now: Instant, out: &mut Outbox) {
        self.collect(switch, now, out);
        while (0..).zip(&self.rings).any(|(core, ring)| switch.waiting(core) > 0 && !ring.has_failed()) {
            self.call(switch);
            std::thread::yield_now();
            self.collect(switch, now, out);
        }
    }
}

impl Ring {
    /// Returns true if the thread has ended, which it does only if its code panics.
    fn has_failed(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.shared.is_stopping.store(true, Ordering::SeqCst);
        for ring in &mut self.rings {
            if let Some(thread) = ring.thread.take() {
                thread.thread().unpark();
                // If it has panicked, its message has been printed.
                let _ = thread.join();
            }
        }
    }
}

/// A core on its thread.
struct Worker {
    core: Arc<Mutex<Core>>,
    jobs: Consumer<Job>,
    behind: Producer<Back>,
    is_asleep: Arc<AtomicBool>,
    shared: Arc<Shared>,
    waker: Waker,
}

impl Worker {
    fn run(mut self) {
        let mut made: Vec<Back> = Vec::with_capacity(2 * BATCH);
        while !self.is_stopping() {
            let packets = self.jobs.slots().min(BATCH);
            if packets == 0 {
                self.sleep();
                continue;
            }
            self.work(packets, &mut made);
            made.push(Back::Done(packets));
            made.drain(..).for_each(|back| self.give_back(back));
            self.tell();
        }
    }

    fn work(&mut self, packets: usize, made: &mut Vec<Back>) {
        let mut core = self.core.lock().unwrap_or_else(PoisonError::into_inner);
        let mut last: Option<Port> = None;
        for _ in 0..packets {
            let Ok((now, port, parsed)) = self.jobs.pop() else { break };
            if let Some(before) = last.filter(|before| *before != port) {
                end_burst(&mut core, before, made);
            }
            last = Some(port);
            core.work(now, parsed, &mut |one| made.push(Back::Made(one)));
        }
        if let Some(last) = last {
            end_burst(&mut core, last, made);
        }
    }

    /// Gives something back, and waits while there is no room.
    fn give_back(&mut self, mut back: Back) {
        while let Err(PushError::Full(again)) = self.behind.push(back) {
            if self.is_stopping() {
                return;
            }
            back = again;
            self.tell();
            std::thread::yield_now();
        }
    }

    /// Wakes the driver's thread, unless it was woken and has not looked yet.
    fn tell(&self) {
        fence(Ordering::SeqCst);
        if !self.shared.is_told.swap(true, Ordering::SeqCst) {
            self.waker.wake();
        }
    }

    /// Sleeps until packets come.
    fn sleep(&self) {
        self.is_asleep.store(true, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        // Whoever has brought a packet before has not seen this one asleep.
        if self.jobs.slots() == 0 && !self.is_stopping() {
            std::thread::park_timeout(LONGEST_SLEEP);
        }
        self.is_asleep.store(false, Ordering::SeqCst);
    }

    fn is_stopping(&self) -> bool {
        self.shared.is_stopping.load(Ordering::Relaxed)
    }
}

/// Lets a core finish packets of one port that came behind each other, and tells what they have cost.
fn end_burst(core: &mut Core, port: Port, made: &mut Vec<Back>) {
    core.finish(&mut |one| made.push(Back::Made(one)));
    let cost = core.take_further_cost();
    if cost > 0 {
        made.push(Back::Cost(port, cost));
    }
}
