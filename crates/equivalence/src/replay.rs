//! The interpreter, which runs the threads of a program again in the order in which a machine says that things happened.
//!
//! The meaning of a program of threads is any interleaving ([`ir::interpret::threads`]); the machine chooses one and tells it
//! by the events of [`machines::threads`]. Everything else is for the interpreter to find out: what each thread asks for, what
//! its transactions do, which packets leave, and how it ends.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use basis::Instant;
use control::{Device as ControlDevice, DigestQueue, Info, Plane, Replication, Request, Response};
use ir::Program;
use ir::interpret::threads::{
    Fault, LeavingPacket, Output, ReplayedThread, Start, Thread, ThreadCode, ThreadEnding, Ticket,
};
use ir::threads::Cause;
use machines::threads::{self, Began, Replied, Took};
use measure::Event;
use node::{Offered, Reason};
use runtime::ProgramState;
use wire::Packet;

use crate::difference::Fate;
use crate::outside::Outside;
use crate::reference::PacketEnd;
use crate::tape::{Tape, Taped};

/// The reasons for which a machine discards packets because of what their threads do.
#[derive(Clone, Debug)]
pub struct ThreadReasons {
    /// For a packet whose thread came to its end and had neither sent nor dropped it.
    pub consumed: Reason,
    /// For those that the program declares, in its order.
    pub declared: Vec<Reason>,
    /// For a packet whose thread was stopped by an error.
    pub of_fault: fn(Fault) -> Reason,
}

impl ThreadReasons {
    /// Returns whether a packet is discarded for one of these reasons. All others are matters of the machine around threads,
    /// such as full queues.
    pub(crate) fn has(&self, reason: Reason) -> bool {
        reason == self.consumed
            || self.declared.contains(&reason)
            || Fault::ALL.iter().any(|fault| (self.of_fault)(*fault) == reason)
    }
}

/// Threads that run again.
pub(crate) struct Replay {
    code: ThreadCode,
    pub(crate) reasons: ThreadReasons,
    plane: Plane,
    state: ProgramState,
    replication: Replication,
    digests: DigestQueue,
    threads: BTreeMap<u64, Running>,
    /// The packets for which no thread has begun yet, with their numbers.
    waiting: BTreeMap<u64, Offered>,
    arrived: u64,
    /// The time of the last thing that happened.
    now: Instant,
    responses: VecDeque<Result<Response, control::Error>>,
    /// The ends of the packets that arrived.
    pub(crate) ends: BTreeMap<u64, Vec<PacketEnd>>,
    /// What leaves beside these packets, and what the order has that no program can do.
    pub(crate) outside: Outside,
}

/// A thread.
struct Running {
    replayed: ReplayedThread,
    /// The packet for which it began, with its number.
    packet: Option<(u64, Packet)>,
    /// The number of packets that it has made and sent.
    made: u64,
    /// The messages that it has sent.
    messages: Vec<(u32, Vec<u64>)>,
}

impl Replay {
    /// Creates the state in which a program begins. Requests of the control plane are carried out by
    /// [`Replay::execute`].
    pub fn new(program: &Arc<Program>, info: &Arc<Info>, limit: u64, reasons: ThreadReasons) -> Self {
        let mut code = ThreadCode::new(Arc::clone(program));
        code.limit = limit;
        Self {
            code,
            reasons,
            state: program.initial_state(),
            plane: Plane::new(Arc::clone(info)),
            replication: Replication::new(),
            digests: DigestQueue::new(info, usize::MAX),
            threads: BTreeMap::new(),
            waiting: BTreeMap::new(),
            arrived: 0,
            now: Instant::ZERO,
            responses: VecDeque::new(),
            ends: BTreeMap::new(),
            outside: Outside::default(),
        }
    }

    /// Returns the state of the program.
    pub fn state(&self) -> &ProgramState {
        &self.state
    }

    /// Carries out a request. The machine tells which threads events begin.
    pub fn execute(&mut self, request: &Request) -> Result<Response, control::Error> {
        let device = &mut ControlDevice {
            states: std::slice::from_mut(&mut self.state),
            replication: &mut self.replication,
            digests: &mut self.digests,
            now: self.now,
        };
        let response = self.plane.execute(request, device);
        self.plane.take_raised();
        response
    }

    /// Returns the answer to the next request of the run, which has been carried out in its turn.
    pub fn take_response(&mut self) -> Option<Result<Response, control::Error>> {
        self.responses.pop_front()
    }

    /// Runs all threads again in the order of a run.
    pub fn repeat(&mut self, tape: &Tape) {
        for taped in tape.iter() {
            match taped {
                Taped::Offered(offered) => {
                    self.waiting.insert(self.arrived, offered.clone());
                    self.arrived += 1;
                }
                Taped::Asked(asked) => {
                    let response = self.execute(&asked.0);
                    self.responses.push_back(response);
                }
                Taped::Event(_, event) => self.event(event.clone()),
                Taped::Transmitted(_) | Taped::Discarded(..) => (),
            }
        }
        for (number, running) in std::mem::take(&mut self.threads) {
            // Timers run for ever: their threads may be under way when a run ends, and what they have asked for last.
            if matches!(running.replayed.thread().cause(), Cause::Timer(_)) {
                self.outside.under_way(running.made, running.messages);
                continue;
            }
            self.outside
                .note(|| format!("thread {number} does not come to its end with the transactions of the machine"));
        }
    }

    fn event(&mut self, event: Event) {
        let event = match event.read() {
            Ok(began) => return self.began(began),
            Err(event) => event,
        };
        let event = match event.read::<Took>() {
            Ok(took) => {
                if self.took(took).is_none() {
                    let Took { thread, ticket: Ticket(ticket), .. } = took;
                    self.misfit(thread, || format!("asks for a transaction {ticket}, which only the machine has"));
                }
                return;
            }
            Err(event) => event,
        };
        if let Ok(replied) = event.read::<Replied>()
            && self.replied(replied).is_none()
        {
            let Replied { thread, ticket: Ticket(ticket), executed } = replied;
            self.misfit(thread, || {
                format!(
                    "gets the reply to transaction {ticket} after {executed} instructions, which only the machine does"
                )
            });
        }
    }

    /// Notes that a thread cannot do what the machine says, and forgets it.
    fn misfit(&mut self, number: u64, what: impl Fn() -> String) {
        // What follows of the thread would be as wrong.
        if let Some(running) = self.threads.remove(&number) {
            let of = running.packet.map_or(String::new(), |(packet, _)| format!(", for packet {packet},"));
            self.outside.note(|| format!("thread {number}{of} {}", what()));
        }
    }

    fn began(&mut self, Began { thread: number, cause, time, argument }: Began) {
        self.now = time;
        let packet = match cause {
            Cause::Packet => self.waiting.remove(&argument).map(|offered| (argument, offered)),
            Cause::Timer(_) | Cause::Event(_) => None,
        };
        let mut scratch = Vec::new();
        let start = match &packet {
            Some((_, Offered { port, packet, .. })) => {
                let packet = Some(threads::arrival(packet, port.0, &mut scratch));
                Start { cause, time, argument: 0, packet }
            }
            None => Start { cause, time, argument, packet: None },
        };
        let is_missing = cause == Cause::Packet && packet.is_none();
        let Some(thread) = Thread::new(&self.code, &start).filter(|_| !is_missing) else {
            return self.outside.note(|| format!("thread {number} begins for nothing"));
        };
        let packet = packet.map(|(sequence, Offered { at, mut packet, .. })| {
            (packet.sidecar.id, packet.sidecar.arrival) = (sequence, at);
            (sequence, packet)
        });
        self.threads
            .insert(number, Running { replayed: ReplayedThread::new(thread), packet, made: 0, messages: Vec::new() });
        self.go_on(number);
    }

    /// Lets a transaction take effect. Returns `None` if it cannot take effect then.
    fn took(&mut self, Took { thread: number, ticket, time }: Took) -> Option<()> {
        self.now = time;
        // A thread that could do nothing that the machine says is not followed any more.
        let Some(running) = self.threads.get_mut(&number) else { return Some(()) };
        let mut outputs = Vec::new();
        if !running.replayed.take(&self.code, &mut self.state, ticket, time, &mut outputs) {
            return None;
        }
        for output in &outputs {
            match output {
                Output::Sent { packet, .. } if packet.number > 0 => running.made += 1,
                Output::Multicast { group, packet } if packet.number > 0 => {
                    running.made += replicas(&self.replication, *group).count() as u64;
                }
                Output::Digest { digest, values } => running.messages.push((digest.0, values.clone())),
                _ => (),
            }
        }
        let packet = running.packet.clone();
        outputs.into_iter().for_each(|output| self.put_out(packet.as_ref(), output));
        Some(())
    }

    /// Gives a thread a reply. Returns `None` if that cannot be then.
    fn replied(&mut self, Replied { thread: number, ticket, executed }: Replied) -> Option<()> {
        let Some(running) = self.threads.get_mut(&number) else { return Some(()) };
        if !running.replayed.reply(&self.code, ticket, executed) {
            return None;
        }
        self.go_on(number);
        Some(())
    }

    /// Executes the instructions of a thread that see no further reply: until it asks for a transaction, or ends.
    fn go_on(&mut self, number: u64) {
        let Some(running) = self.threads.get_mut(&number) else { return };
        let Some(ending) = running.replayed.go_on(&self.code) else { return };
        let holds_packet = running.replayed.thread().holds_packet();
        let packet = self.threads.remove(&number).and_then(|running| running.packet);
        if let Some((sequence, packet)) = packet.filter(|_| holds_packet) {
            let reason = match ending {
                ThreadEnding::Done => self.reasons.consumed,
                ThreadEnding::Fault(fault) => (self.reasons.of_fault)(fault),
            };
            self.end(sequence, PacketEnd { fate: Fate::Dropped, packet, reason: Some(reason) });
        }
    }

    fn end(&mut self, sequence: u64, end: PacketEnd) {
        self.ends.entry(sequence).or_default().push(end);
    }

    /// Notes what a transaction asks of the machine. `packet` is the one for which the thread began.
    fn put_out(&mut self, packet: Option<&(u64, Packet)>, output: Output) {
        match output {
            Output::Sent { port, packet: leaving, .. } => self.leaves(packet, leaving, &[port]),
            Output::Multicast { group, packet: leaving } => {
                let ports: Vec<u64> = replicas(&self.replication, group).collect();
                self.leaves(packet, leaving, &ports);
            }
            Output::Dropped { number: 0, reason } => {
                if let Some((sequence, packet)) = packet {
                    let reason = self.reasons.declared.get(reason.index()).copied();
                    self.end(*sequence, PacketEnd { fate: Fate::Dropped, packet: packet.clone(), reason });
                }
            }
            Output::Digest { digest, values } => self.outside.message(digest.0, values),
            // The machine says when timers fire. A packet that a thread has made and drops was never there.
            Output::Dropped { .. } | Output::TimerStarted { .. } | Output::TimerStopped { .. } => (),
        }
    }

    fn leaves(&mut self, own: Option<&(u64, Packet)>, leaving: LeavingPacket, ports: &[u64]) {
        let own = own.filter(|_| leaving.number == 0);
        let packet = threads::leaving(leaving, own.map(|(_, packet)| packet.clone()));
        for port in ports {
            // No machine has a port with such a number.
            let fate = u16::try_from(*port).map_or(Fate::Dropped, |port| Fate::Leaves { port });
            match own {
                Some((sequence, _)) => self.end(*sequence, PacketEnd { fate, packet: packet.clone(), reason: None }),
                None => self.outside.made(fate, &packet),
            }
        }
        if let (Some((sequence, _)), true) = (own, ports.is_empty()) {
            self.end(*sequence, PacketEnd { fate: Fate::Dropped, packet, reason: None });
        }
    }
}

/// Returns the ports to which a multicast group sends copies.
fn replicas(replication: &Replication, group: u64) -> impl Iterator<Item = u64> {
    let group = u32::try_from(group).ok().and_then(|group| replication.group(group));
    group.unwrap_or_default().iter().map(|replica| replica.port.into())
}

impl std::fmt::Debug for Replay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Replay({})", self.code.program().name)
    }
}
