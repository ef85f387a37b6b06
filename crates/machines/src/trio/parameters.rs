//! The parameters of the chip.

use basis::{Clock, Duration, Rate};

use super::memory::MemoryParameters;

/// The picoseconds of a second.
const SECOND: u64 = 1_000_000_000_000;

/// The parameters of a chip. Each says where its default comes from: a section of the paper, or "ours" for what it does not
/// give.
#[derive(Clone, Debug, PartialEq)]
pub struct TrioParameters {
    /// The frequency of the clock in hertz: 1 GHz (section 6.3).
    pub clock: u64,
    /// The number of packet processing engines: 16 in the first generation, 160 in the sixth (section 8).
    pub ppes: u32,
    /// The number of threads of each: "tens" (section 2.1); 20 is ours.
    pub threads: u32,
    /// The number of cycles that an instruction takes, until the next one of its thread can begin: "multiple" (section 2.2).
    /// 20 is ours: so an engine whose threads never wait for anything else begins an instruction in every cycle.
    pub instruction_cycles: u32,
    /// The number of instructions after which a thread is stopped, and its packet dropped. The paper sets no limit. Ours: 2^20.
    pub instructions: u64,
    /// The greatest number of bytes of a head: 192 (section 4). A program may load fewer.
    pub head_bytes: u32,
    /// The local memory of a thread in bytes: 1280 (section 2.2).
    pub local_memory: u32,
    /// The greatest number of packets that wait for a free thread. Ours: 4096.
    pub waiting: u32,
    /// The greatest number of events that wait for a free thread. Ours: 1024.
    pub events: u32,
    /// The number of timers: ours: 64. The paper says that their resolution lets hundreds of threads begin one
    /// after another (section 5).
    pub timers: u32,
    /// The number of queues of the reorder engine. Flows whose hashes fall into one queue keep their order among each other,
    /// too. Ours: 65,536.
    pub reorder_queues: u32,
    /// The rate of each port.
    pub ports: Vec<Rate>,
    /// The number of queues of each port. Ours: 8.
    pub queues: u8,
    /// The bytes that a queue holds at most, with framing. Ours: 1 MB.
    pub queue_bytes: u64,
    /// The greatest number of digests of each kind that wait for the control plane; the oldest are lost. Ours: 1024.
    pub digests: usize,
    /// Shared memory, and what else lies behind the crossbar.
    pub memory: MemoryParameters,
    /// The seed of random decisions of queues.
    pub seed: u64,
}

/// The greatest values of some parameters.
pub(super) struct Maximum {
    pub(super) ppes: u32,
    pub(super) threads: u32,
    pub(super) instruction_cycles: u32,
    pub(super) instructions: u64,
    pub(super) waiting: u32,
    pub(super) timers: u32,
    pub(super) reorder_queues: u32,
}

pub(super) const MAXIMUM: Maximum = Maximum {
    ppes: 4096,
    threads: 256,
    instruction_cycles: 1000,
    instructions: 1 << 32,
    waiting: 1 << 24,
    timers: 1 << 16,
    reorder_queues: 1 << 24,
};

impl Default for TrioParameters {
    /// Returns the fifth generation, that of the paper's measurements.
    fn default() -> Self {
        super::presets::GEN5.parameters()
    }
}

impl TrioParameters {
    /// Returns the clock.
    pub(super) fn clock(&self) -> Clock {
        // So many cycles in 1 s, as a fraction whose denominator is 1 if it can be: then the clock computes without divisions.
        let (mut divisor, mut rest) = (SECOND, self.clock);
        while rest != 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        Clock::new(Duration::from_picoseconds(SECOND / divisor), self.clock / divisor)
    }

    /// Returns the parameters of the memory system, with the clock of the chip.
    pub(super) fn memory(&self) -> MemoryParameters {
        let period = Duration::from_picoseconds(SECOND.div_ceil(self.clock));
        // With a slow clock, services take as long as the crossbar and an engine do at least.
        let mut services = self.memory.services;
        let least = self.memory.crossbar.times(2) + period.times(services.cycles.into());
        services.latency = services.latency.max(least);
        MemoryParameters { period, services, ..self.memory.clone() }
    }

    /// Returns what is wrong with the values, one sentence each.
    pub fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        let mut within = |name: &str, value: u64, least: u64, most: u64| {
            if !(least..=most).contains(&value) {
                problems.push(format!("`{name}` is {value}, but it must be {least} to {most}"));
            }
        };
        let most = MAXIMUM;
        within("clock", self.clock, 1_000_000, 1_000_000_000_000);
        within("ppes", self.ppes.into(), 1, most.ppes.into());
        within("threads", self.threads.into(), 1, most.threads.into());
        within("instruction_cycles", self.instruction_cycles.into(), 1, most.instruction_cycles.into());
        within("instructions", self.instructions, 1, MAXIMUM.instructions);
        within("head_bytes", self.head_bytes.into(), 1, ir::threads::MAX_LOCAL_MEMORY.into());
        within("local_memory", self.local_memory.into(), 8, ir::threads::MAX_LOCAL_MEMORY.into());
        within("waiting", self.waiting.into(), 1, most.waiting.into());
        within("events", self.events.into(), 1, most.waiting.into());
        within("timers", self.timers.into(), 0, most.timers.into());
        within("reorder_queues", self.reorder_queues.into(), 1, most.reorder_queues.into());
        within("ports", self.ports.len() as u64, 1, 1024);
        within("queues", self.queues.into(), 1, 128);
        within("queue_bytes", self.queue_bytes, 64, 1 << 40);
        if problems.is_empty() {
            problems.extend(self.memory().findings().into_iter().map(|(_, finding)| finding));
        }
        problems
    }
}
