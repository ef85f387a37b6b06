//! The parameters of the memory system.

use basis::Duration;
use ir::Threads;
use ir::threads::MemoryKind;

/// The parameters of what threads reach over the crossbar. Latencies are those that a thread sees in an idle chip, from the
/// cycle in which its request leaves the PPE to that in which the reply is back; they are rounded up to whole cycles.
/// Sections are those of *Using Trio* (SIGCOMM 2022).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryParameters {
    /// The period of the clock (section 6.3: 1 GHz).
    pub period: Duration,
    /// The time that the crossbar takes in each direction (ours: 25 ns).
    pub crossbar: Duration,
    /// The latency of a read of 8 bytes on chip (section 2.3: approximately 70 ns).
    pub on_chip: Duration,
    /// The latency of a read of 8 bytes off chip that is not in the cache (section 2.3: approximately 300 to 400 ns; 350).
    pub off_chip: Duration,
    /// The size of the memory on chip in bytes (section 2.3: typically 2 to 8 MB; 8 MiB).
    pub on_chip_bytes: u64,
    /// The size of the memory off chip in bytes (section 2.3: several GB; 4 GiB).
    pub off_chip_bytes: u64,
    /// The number of banks, each with a read-modify-write engine (section 6.3: 12).
    pub banks: u32,
    /// The number of requests that wait at most in front of an engine; more wait at the ports of the crossbar (ours: 16).
    pub queue: u32,
    /// The cycles that a read-modify-write engine takes for 8 bytes (section 2.3: "8-byte per clock cycle"; 1).
    pub word_cycles: u32,
    /// The cycles that an engine takes for an addition of 32 bits (section 6.3: 2).
    pub add_cycles: u32,
    /// The cycles that an engine takes for a policer (ours: 2, as for a packet/byte counter, which is two words).
    pub policer_cycles: u32,
    /// The size of the cache of the memory off chip in bytes, for all banks together (section 2.3: 8 to 24 MB; 16 MiB).
    pub cache_bytes: u64,
    /// The number of lines of the cache that have one place in common (ours: 8).
    pub cache_ways: u32,
    /// The cycles that the channel of a bank to the memory off chip takes for a line of 64 bytes (ours: 4).
    pub line_cycles: u32,
    /// The number of lines that the channel of a bank fetches at most at once. If so many are under way, an engine takes up no
    /// request for another line, and what comes after it waits (ours: 128, more than `line_cycles` lets one fetch in
    /// `off_chip`).
    pub misses: u32,
    /// The hash block: records and hashes.
    pub hash: BlockParameters,
    /// The filters.
    pub filters: BlockParameters,
    /// The packet buffer: tails, and packets that leave or are made.
    pub packet_buffer: BlockParameters,
    /// The timers, the messages to the control plane, and the clock.
    pub services: BlockParameters,
}

/// The parameters of a block of engines that are no memory (ours: no source gives them).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockParameters {
    /// The number of engines.
    pub engines: u32,
    /// The cycles after which an engine begins the next request.
    pub cycles: u32,
    /// The latency of a request in an idle chip.
    pub latency: Duration,
}

impl Default for MemoryParameters {
    fn default() -> Self {
        let nanoseconds = Duration::from_nanoseconds;
        let block = |engines| BlockParameters { engines, cycles: 1, latency: nanoseconds(70) };
        Self {
            period: nanoseconds(1),
            crossbar: nanoseconds(25),
            on_chip: nanoseconds(70),
            off_chip: nanoseconds(350),
            on_chip_bytes: 8 << 20,
            off_chip_bytes: 4 << 30,
            banks: 12,
            queue: 16,
            word_cycles: 1,
            add_cycles: 2,
            policer_cycles: 2,
            cache_bytes: 16 << 20,
            cache_ways: 8,
            line_cycles: 4,
            misses: 128,
            hash: block(4),
            filters: block(4),
            packet_buffer: block(8),
            services: BlockParameters { engines: 1, cycles: 1, latency: nanoseconds(51) },
        }
    }
}

impl MemoryParameters {
    /// Returns so many cycles as a time takes, rounded up.
    pub fn cycles(&self, time: Duration) -> u64 {
        time.picoseconds().div_ceil(self.period.picoseconds().max(1))
    }

    /// Returns what is wrong with the parameters, in whole sentences, each with the name that files of chips have for the
    /// parameter or the block; nothing if a chip can be built with them.
    pub fn findings(&self) -> Vec<(&'static str, String)> {
        let mut findings = Vec::new();
        let mut demand = |holds: bool, place: &'static str, finding: &str| {
            if !holds {
                findings.push((place, finding.to_owned()));
            }
        };
        demand(self.period > Duration::ZERO, "clock", "the period of the clock must not be 0");
        for (place, name, count) in [
            ("banks", "banks", self.banks),
            ("queue", "places of a queue", self.queue),
            ("cache_ways", "ways", self.cache_ways),
            ("misses", "misses of a bank", self.misses),
        ] {
            demand((1..=4096).contains(&count), place, &format!("the number of {name} must be from 1 to 4096"));
        }
        for (place, name, cycles) in [
            ("word_cycles", "8 bytes", self.word_cycles),
            ("add_cycles", "an addition", self.add_cycles),
            ("policer_cycles", "a policer", self.policer_cycles),
            ("line_cycles", "a line", self.line_cycles),
        ] {
            demand((1..=65_536).contains(&cycles), place, &format!("the cycles for {name} must be from 1 to 65,536"));
        }
        let ways = u64::from(self.cache_ways) * u64::from(self.banks) * ir::threads::LINE_BYTES;
        demand(
            (ways..=1 << 32).contains(&self.cache_bytes),
            "cache_size",
            "the cache must have room for a line in each way of each bank, and at most 4 GiB",
        );
        let latency = |cycles: u32| self.crossbar.times(2) + self.period.times(cycles.into());
        demand(
            self.on_chip >= latency(self.word_cycles),
            "on_chip",
            "a read on chip cannot take less than the crossbar in both directions and the engine",
        );
        demand(self.off_chip >= self.on_chip, "off_chip", "a read off chip cannot take less than one on chip");
        for (place, name, block) in [
            ("hash", "hash block", self.hash),
            ("filters", "filters", self.filters),
            ("packet_buffer", "packet buffer", self.packet_buffer),
            ("services", "services", self.services),
        ] {
            demand((1..=4096).contains(&block.engines), place, &format!("the {name} must have 1 to 4096 engines"));
            demand(
                (1..=65_536).contains(&block.cycles),
                place,
                &format!("an engine of the {name} must take 1 to 65,536 cycles"),
            );
            demand(
                block.latency >= latency(block.cycles),
                place,
                &format!("the {name} cannot answer faster than the crossbar in both directions and an engine"),
            );
        }
        findings
    }

    /// Returns for which segments of a program there is not enough memory, in whole sentences.
    pub fn shortages(&self, threads: &Threads) -> Vec<String> {
        let kinds = [
            (MemoryKind::OnChip, "on chip", self.on_chip_bytes),
            (MemoryKind::OffChip, "off chip", self.off_chip_bytes),
        ];
        let mut shortages = Vec::new();
        for (kind, name, available) in kinds {
            let needed: u64 = threads.segments.iter().filter(|own| own.kind == kind).map(|own| own.bytes).sum();
            if needed > available {
                shortages.push(format!("the segments {name} need {needed} bytes, the chip has {available}"));
            }
        }
        shortages
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_a_chip_and_nonsense_is_refused() {
        let default = MemoryParameters::default();
        assert_eq!(default.findings(), []);
        assert_eq!(default.cycles(Duration::from_picoseconds(1001)), 2);
        let short = Duration::from_nanoseconds(50);
        let wrong = MemoryParameters { banks: 0, on_chip: short, cache_bytes: 1 << 33, line_cycles: 0, ..default };
        let findings = wrong.findings();
        for part in ["banks", "a line must be", "a read on chip", "way of each bank"] {
            assert!(findings.iter().any(|finding| finding.1.contains(part)), "{part}: {findings:?}");
        }
        assert_eq!(findings.len(), 4, "{findings:?}");
    }
}
