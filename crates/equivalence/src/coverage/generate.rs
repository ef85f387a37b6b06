//! Generation of the stream: packets that reach what earlier ones did not, and variations of them.

use std::collections::VecDeque;
use std::sync::Arc;

use basis::{Duration, Instant, Random};
use control::{Info, Request};
use ir::interpret::PacketInterpreter;
use ir::{Program, VariableId};
use machines::Device;
use machines::Unsuitable;
use machines::blocks::Executor;
use machines::tofino::{Tofino, TofinoParameters};
use machines::v1model::{Switch, V1modelParameters};
use measure::Interest;
use node::{Outbox, Port};

use super::goals::Coverage;
use super::mutate::{Draft, any_of, grant, vary};
use super::threads;
use super::watch::{ExtractedBits, Watch};
use super::watched::Watched;
use super::wishes::Wish;

/// The options of a generated stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The number of packets.
    pub packets: usize,
    /// The seed of all random choices.
    pub seed: u64,
    /// The ingress ports. Packets arrive on those of them that the switch has, unless a program requires another port.
    pub ports: Vec<u16>,
    /// Whether packets that are sent repeatedly, for branches that depend only on state, come to different ports.
    pub moves: bool,
    /// The parameters of the chip, if the program is written for one; its seed is that of the options.
    pub chip: TofinoParameters,
    /// The time between two packets, except for the pauses that some programs wait for.
    pub spacing: Duration,
    /// Whether there are such pauses, of up to 90 seconds.
    pub pauses: bool,
}

impl Default for Options {
    /// Returns options for ten thousand packets on eight ports, one per nanosecond, with pauses.
    fn default() -> Self {
        Self {
            packets: 10_000,
            seed: 1,
            ports: (0..8).collect(),
            moves: false,
            chip: TofinoParameters::default(),
            spacing: Duration::from_nanoseconds(1),
            pauses: true,
        }
    }
}

/// A generated packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offered {
    /// The time of arrival, later than that of all packets before.
    pub at: Instant,
    /// The ingress port.
    pub port: Port,
    /// The bytes of the packet.
    pub bytes: Vec<u8>,
}

/// A generated stream, with its coverage.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The packets, in order of time.
    pub packets: Vec<Offered>,
    /// The goals that the packets reached on the interpreter.
    pub coverage: Coverage,
}

impl Generated {
    /// Returns the packets in the form in which a machine is offered them.
    pub fn offered(&self) -> impl Iterator<Item = node::Offered> + use<'_> {
        let packets = self.packets.iter();
        packets.map(|it| node::Offered { at: it.at, port: it.port, packet: wire::Packet::of_bytes(&it.bytes) })
    }
}

/// Generates a stream for a program whose tables are filled by `requests`, in order; requests that the switch refuses
/// have no effect. `seeds` are packets to begin with, such as those of a test. The result depends only on the
/// arguments.
///
/// # Errors
/// Returns what the architecture requires and the program lacks.
pub fn generate(
    program: &Arc<Program>,
    info: &Arc<Info>,
    requests: &[Request],
    seeds: &[(Port, Vec<u8>)],
    options: &Options,
) -> Result<Generated, Unsuitable> {
    if program.threads.is_some() {
        return Ok(threads::generate(program, info, requests, seeds, options));
    }
    // The first switch provides the tables, which the watch must know; the second one is watched.
    let architecture = info.architecture();
    let mut filled = switch(PacketInterpreter::new(program.clone()), info, options)?;
    let accepted: Vec<&Request> = requests.iter().filter(|request| filled.execute(request).is_ok()).collect();
    let watch = Watch::new(program.clone(), &filled.state());
    let executor = Watched::new(PacketInterpreter::new(program.clone()), watch, architecture);
    let mut switch = switch(executor, info, options)?;
    for request in accepted {
        // An identical switch has accepted the request.
        let _ = switch.execute(request);
    }
    let generator = Generator {
        out: Outbox::new(Interest::default()),
        random: Random::for_part(options.seed, 2),
        ports: options.ports.iter().copied().filter(|port| switch.has_port((*port).into())).collect(),
        port: info.architecture().arrival_port(program),
        options,
        now: Instant::ZERO,
        packets: Vec::with_capacity(options.packets),
        known: Vec::new(),
        waiting: VecDeque::new(),
        turn: 0,
        switch,
    };
    Ok(generator.run(seeds))
}

/// A device whose executor can be looked into.
trait ObservedDevice<E>: Device {
    fn executor(&self) -> &E;
    fn executor_mut(&mut self) -> &mut E;
}

impl<E: Executor> ObservedDevice<E> for Switch<E> {
    fn executor(&self) -> &E {
        Switch::executor(self)
    }

    fn executor_mut(&mut self) -> &mut E {
        Switch::executor_mut(self)
    }
}

impl<E: Executor> ObservedDevice<E> for Tofino<E> {
    fn executor(&self) -> &E {
        Tofino::executor(self)
    }

    fn executor_mut(&mut self) -> &mut E {
        Tofino::executor_mut(self)
    }
}

/// Returns the switch for which a program is written.
fn switch<E: Executor + 'static>(
    executor: E,
    info: &Arc<Info>,
    options: &Options,
) -> Result<Box<dyn ObservedDevice<E>>, Unsuitable> {
    let seed = options.seed;
    if info.architecture().passes_bytes_to_egress() {
        let parameters = TofinoParameters { seed, ..options.chip.clone() };
        return Ok(Box::new(Tofino::new(executor, info.clone(), parameters)?));
    }
    let parameters = V1modelParameters { seed, ..V1modelParameters::default() };
    Ok(Box::new(Switch::new(executor, info.clone(), parameters)?))
}

/// A packet that was the first to reach some goal.
struct KnownPacket {
    draft: Draft,
    extracted: Vec<ExtractedBits>,
    /// The wishes for all other branches that it could take, and the number of those that were tried.
    wishes: Vec<Wish>,
    tried: usize,
}

struct Generator<'o> {
    switch: Box<dyn ObservedDevice<Watched>>,
    out: Outbox,
    random: Random,
    /// The ingress ports in use.
    ports: Vec<u16>,
    /// The variable that holds the ingress port.
    port: Option<VariableId>,
    options: &'o Options,
    now: Instant,
    packets: Vec<Offered>,
    known: Vec<KnownPacket>,
    waiting: VecDeque<Draft>,
    /// A counter that selects the next known packet.
    turn: usize,
}

/// The number of attempts to grant a wish, with different choices of bits.
const TRIES: usize = 3;
/// The number of wishes of a known packet that are tried before its wishes are determined again.
const AGAIN: usize = 64;

impl Generator<'_> {
    fn run(mut self, seeds: &[(Port, Vec<u8>)]) -> Generated {
        // The longest is long enough for the headers of realistic programs.
        let blank = [0, 64, 256].map(|length| (Port(self.first_port()), vec![0; length]));
        for (port, bytes) in seeds.iter().chain(&blank) {
            // A test may be for a switch with other ports.
            let port = if self.switch.has_port(port.0.into()) { port.0 } else { self.first_port() };
            self.waiting.push_back(Draft { port, bytes: bytes.clone() });
        }
        while self.packets.len() < self.options.packets {
            let draft = match self.waiting.pop_front() {
                Some(draft) => draft,
                None => self.another(),
            };
            // For branches that depend only on state: the same packet repeatedly.
            let repeats = if self.random.chance(0.02) { 1 << self.random.below(7) } else { 1 };
            for _ in 0..repeats {
                self.send(&draft);
            }
            if self.options.moves && self.random.chance(0.25) {
                let port = any_of(&self.ports, &mut self.random);
                self.send(&Draft { port, ..draft.clone() });
            }
            self.send_repaired(draft);
        }
        let coverage = self.switch.executor().watch.coverage.clone();
        Generated { packets: self.packets, coverage }
    }

    /// Returns the first ingress port; 0 if there is none.
    fn first_port(&self) -> u16 {
        self.ports.first().copied().unwrap_or_default()
    }

    /// Returns a variation of a known packet: either a random one, or one that grants its next wish.
    fn another(&mut self) -> Draft {
        let Some(last) = self.known.len().checked_sub(1) else {
            return Draft { port: self.first_port(), bytes: Vec::new() };
        };
        if self.random.chance(0.3) {
            let known = &self.known[self.random.below(self.known.len() as u64) as usize];
            return vary(&known.draft, &known.extracted, &self.ports, &mut self.random);
        }
        // The newest packets come first.
        let known = last - self.turn % self.known.len();
        self.turn += 1;
        let draft = self.known[known].draft.clone();
        if self.known[known].tried.is_multiple_of(AGAIN) {
            // State may have changed since the packet was first sent, and with it the values that it is compared with.
            self.switch.executor_mut().watch.wishes_everything = true;
            self.send(&draft);
            let watch = &mut self.switch.executor_mut().watch;
            watch.wishes_everything = false;
            self.known[known].wishes.clone_from(&watch.wishes);
        }
        let KnownPacket { extracted, wishes, tried, .. } = &mut self.known[known];
        *tried += 1;
        let wish = if wishes.is_empty() { None } else { wishes.get(*tried % wishes.len()) };
        wish.and_then(|wish| grant(wish, &draft, extracted, self.port, &mut self.random)).unwrap_or(draft)
    }

    /// Sends the packet with correct checksums, more often than not. The checksums of outer headers are corrected
    /// first.
    fn send_repaired(&mut self, mut draft: Draft) {
        for _ in 0..4 {
            let watch = &self.switch.executor().watch;
            if watch.repairs.is_empty() || !self.random.chance(0.7) {
                return;
            }
            let wish = Wish { changes: watch.repairs.clone() };
            let Some(repaired) = grant(&wish, &draft, &watch.extracted, self.port, &mut self.random) else { return };
            self.send(&repaired);
            draft = repaired;
        }
    }

    /// Sends a packet and stores its wishes.
    fn send(&mut self, draft: &Draft) {
        if self.packets.len() >= self.options.packets || !self.switch.has_port(draft.port.into()) {
            return;
        }
        let pause = self.pause();
        self.now += pause;
        let port = Port(draft.port);
        self.switch.executor_mut().watch.begin();
        self.out.begin(self.now);
        let mut packet = wire::Packet::of_bytes(&draft.bytes);
        packet.sidecar.id = self.packets.len() as u64;
        self.switch.receive(self.now, port, &mut vec![packet], &mut self.out);
        // The fate of the packet is irrelevant here.
        self.out.transmissions.clear();
        self.out.discarded.clear();
        self.packets.push(Offered { at: self.now, port, bytes: draft.bytes.clone() });
        let watch = &self.switch.executor().watch;
        if watch.wishes_everything || !watch.is_new {
            return;
        }
        let drafts = watch.wishes.iter().flat_map(|wish| std::iter::repeat_n(wish, TRIES));
        let drafts: Vec<Draft> =
            drafts.filter_map(|wish| grant(wish, draft, &watch.extracted, self.port, &mut self.random)).collect();
        self.waiting.extend(drafts);
        let extracted = watch.extracted.clone();
        self.known.push(KnownPacket { draft: draft.clone(), extracted, wishes: Vec::new(), tried: 0 });
    }

    /// Returns the time until the next packet.
    fn pause(&mut self) -> Duration {
        if !self.options.pauses || !self.random.chance(1.0 / 64.0) {
            return self.options.spacing;
        }
        // From 1 µs to 90 s; each order of magnitude is equally likely.
        let order = 10u64.pow(self.random.below(8) as u32);
        Duration::from_nanoseconds(1000 * order * (1 + self.random.below(9)))
    }
}
