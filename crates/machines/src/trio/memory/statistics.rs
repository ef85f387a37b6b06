//! What the memory system counts.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The kinds of engines that threads reach over the crossbar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Block {
    /// A bank of shared memory with its read-modify-write engine: words, counters and policers.
    Bank,
    /// The hash block: records and hashes.
    Hash,
    /// The filters.
    Filter,
    /// The packet buffer: tails, and packets that are made or leave.
    PacketBuffer,
    /// Timers, messages to the control plane, and the clock.
    Service,
}

impl Block {
    /// All kinds, in the order of results.
    pub const ALL: [Self; 5] = [Self::Bank, Self::Hash, Self::Filter, Self::PacketBuffer, Self::Service];

    /// Returns the name of the kind in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bank => "bank",
            Self::Hash => "hash",
            Self::Filter => "filter",
            Self::PacketBuffer => "packet_buffer",
            Self::Service => "service",
        }
    }
}

/// The name of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct EngineName {
    /// Its kind.
    pub block: Block,
    /// Its number among those of the kind, from 0.
    pub number: u32,
}

impl fmt::Display for EngineName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.block.name(), self.number)
    }
}

/// What an engine has done until a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct EngineStatistics {
    /// The engine.
    pub name: EngineName,
    /// The number of requests.
    pub requests: u64,
    /// The number of cycles in which it was busy.
    pub busy: u64,
    /// The cycles that requests waited in its queue, summed over requests.
    pub waited: u64,
    /// The cycles in which it stood still before it could take up a request, because all lines that its bank can fetch at once
    /// were under way. The request waited then, too.
    pub stalled: u64,
    /// The number of requests in its queue now.
    pub queued: u64,
    /// The greatest number of requests that were in its queue at once.
    pub longest_queue: u64,
    /// The cycles from the moment at which a thread asked to that at which its reply was back, summed over requests. Those
    /// whose reply is on its way count already.
    pub latency: u64,
    /// The greatest of these times.
    pub longest_latency: u64,
}

/// What the cache of the memory off chip has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheStatistics {
    /// The number of accesses to lines that were there.
    pub hits: u64,
    /// The number of accesses to lines that were on their way.
    pub pending: u64,
    /// The number of accesses to lines that were fetched.
    pub misses: u64,
    /// The number of lines that were written back.
    pub written_back: u64,
    /// The cycles that requests for lines waited for the channel of their bank.
    pub channel_waited: u64,
}

/// What happened at the ports by which PPEs reach the crossbar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PortStatistics {
    /// The number of requests that could not leave when they were asked for: the queue of their engine was full, or an
    /// earlier request of the PPE waited.
    pub stalls: u64,
    /// The cycles that requests waited, summed over requests.
    pub stalled: u64,
    /// The number of requests that wait now.
    pub held: u64,
    /// The greatest number of requests that waited at once.
    pub most_held: u64,
}

/// What the memory system has done until a cycle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MemoryStatistics {
    /// The engines, in the order of [`Block::ALL`] and of their numbers.
    pub engines: Vec<EngineStatistics>,
    /// The cache.
    pub cache: CacheStatistics,
    /// The ports of the crossbar, by PPE.
    pub ports: Vec<PortStatistics>,
}

impl MemoryStatistics {
    /// Returns the engines of a kind.
    pub fn of(&self, block: Block) -> impl Iterator<Item = &EngineStatistics> {
        self.engines.iter().filter(move |engine| engine.name.block == block)
    }
}
