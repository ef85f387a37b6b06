//! The file in TOML that says what a chip is: a preset, and what is different.

use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};

use diagnostics::{Failure, Sources, did_you_mean};
use plans::{Entries, Findings, Section, parse};

use super::memory::{BlockParameters, MemoryParameters};
use super::presets::{GEN5, PRESET_NAMES, Preset};
use super::{MAXIMUM, TrioParameters};

/// The most memory of a kind.
const MEMORY: RangeInclusive<u64> = 0..=ir::threads::MAX_SHARED_MEMORY;

impl TrioParameters {
    /// Reads the text of a file; `path` is its name in diagnostics.
    ///
    /// # Errors
    /// Fails with a diagnostic for everything that is wrong.
    pub fn parse(path: &str, text: &str) -> Result<Self, Failure> {
        let mut sources = Sources::new();
        let id = sources.add(path, text);
        let (table, mut found) = parse(text, id);
        let findings = Findings::new(id);
        let root = Section::root(Entries::of(&findings, "the chip", &table, 0..0));
        let read = (!found.has_errors()).then(|| Self::read(root));
        found.extend(findings.end());
        match read {
            Some(read) if !found.has_errors() => Ok(read),
            _ => Err(Failure::BadInput { diagnostics: found.at_characters(&sources), sources }),
        }
    }

    fn read(section: Section<'_>) -> Self {
        let preset = preset(&section);
        let usual = preset.parameters();
        let number = |name, most: u32, default: u32| section.count(name, 1..=most.into(), default.into()) as u32;
        let rate = section.rate("port_rate", usual.ports[0]);
        let ports = section.count("ports", 1..=1024, usual.ports.len() as u64);
        let local_memory = 8..=u64::from(ir::threads::MAX_LOCAL_MEMORY);
        let (memory, places) = memory(section.section("memory"), usual.memory.clone());
        let parameters = Self {
            clock: section.parsed_or("clock", "a frequency", units::frequency, units::frequency_text, usual.clock),
            ppes: number("ppes", MAXIMUM.ppes, usual.ppes),
            threads: number("threads", MAXIMUM.threads, usual.threads),
            instruction_cycles: number("instruction_cycles", MAXIMUM.instruction_cycles, usual.instruction_cycles),
            instructions: section.count("instructions", 1..=MAXIMUM.instructions, usual.instructions),
            head_bytes: section.bytes("head", 1..=*local_memory.end(), usual.head_bytes.into()) as u32,
            local_memory: section.bytes("local_memory", local_memory, usual.local_memory.into()) as u32,
            waiting: number("waiting", MAXIMUM.waiting, usual.waiting),
            events: number("events", MAXIMUM.waiting, usual.events),
            timers: section.count("timers", 0..=MAXIMUM.timers.into(), usual.timers.into()) as u32,
            reorder_queues: number("reorder_queues", MAXIMUM.reorder_queues, usual.reorder_queues),
            ports: vec![rate; ports as usize],
            queues: section.count("queues", 1..=128, usual.queues.into()) as u8,
            queue_bytes: section.bytes("queue_size", 64..=1 << 40, usual.queue_bytes),
            digests: section.count("digests", 1..=1 << 20, usual.digests as u64) as usize,
            memory,
            seed: usual.seed,
        };
        if section.errors() == 0 {
            let hint = "docs/machines/trio.md describes all values";
            for (place, problem) in parameters.memory().findings() {
                section.error(places.get(place).unwrap_or(section.span()), problem, hint);
            }
        }
        if section.errors() == 0 {
            for problem in parameters.problems() {
                section.error(section.span(), problem, "docs/machines/trio.md describes all values");
            }
        }
        section.end(&mut String::new());
        parameters
    }
}

/// Reads the name of a preset.
fn preset(section: &Section<'_>) -> &'static Preset {
    let Some((name, span)) = section.text("preset") else { return &GEN5 };
    Preset::named(&name).unwrap_or_else(|| {
        let hint = did_you_mean(&name, PRESET_NAMES).unwrap_or_else(|| format!("one of: {}", PRESET_NAMES.join(", ")));
        section.error(&span, format!("there is no preset `{name}`"), hint);
        &GEN5
    })
}

/// Where parameters stand, and the latencies of blocks, by the names that [`MemoryParameters::findings`] has for them.
type Places = BTreeMap<&'static str, Range<usize>>;

fn memory(section: Section<'_>, usual: MemoryParameters) -> (MemoryParameters, Places) {
    let mut places: Places = ["cache_size", "on_chip", "off_chip"].map(|name| (name, section.span_of(name))).into();
    let mut block = |name: &'static str, usual| {
        let (read, latency) = block(section.section(name), usual);
        places.insert(name, latency);
        read
    };
    let number = |name, default: u32| section.count(name, 1..=65_536, default.into()) as u32;
    let read = MemoryParameters {
        period: usual.period,
        crossbar: section.delay("crossbar", usual.crossbar),
        on_chip: section.delay("on_chip", usual.on_chip),
        off_chip: section.delay("off_chip", usual.off_chip),
        on_chip_bytes: section.bytes("on_chip_size", MEMORY, usual.on_chip_bytes),
        off_chip_bytes: section.bytes("off_chip_size", MEMORY, usual.off_chip_bytes),
        banks: number("banks", usual.banks),
        queue: number("queue", usual.queue),
        word_cycles: number("word_cycles", usual.word_cycles),
        add_cycles: number("add_cycles", usual.add_cycles),
        policer_cycles: number("policer_cycles", usual.policer_cycles),
        cache_bytes: section.bytes("cache_size", MEMORY, usual.cache_bytes),
        cache_ways: number("cache_ways", usual.cache_ways),
        line_cycles: number("line_cycles", usual.line_cycles),
        misses: number("misses", usual.misses),
        hash: block("hash", usual.hash),
        filters: block("filters", usual.filters),
        packet_buffer: block("packet_buffer", usual.packet_buffer),
        services: block("services", usual.services),
    };
    section.end(&mut String::new());
    (read, places)
}

/// Reads the parameters of a block. Returns the place of its latency too.
fn block(section: Section<'_>, usual: BlockParameters) -> (BlockParameters, Range<usize>) {
    let place = section.span_of("latency");
    let number = |name, default: u32| section.count(name, 1..=65_536, default.into()) as u32;
    let read = BlockParameters {
        engines: number("engines", usual.engines),
        cycles: number("cycles", usual.cycles),
        latency: section.delay("latency", usual.latency),
    };
    section.end(&mut String::new());
    (read, place)
}

#[cfg(test)]
mod tests {
    use basis::{Duration, Rate};

    use super::*;

    #[test]
    fn a_file_changes_what_it_gives_of_a_preset() {
        let text = "preset = \"gen1\"\nclock = \"2 GHz\"\nports = 2\nport_rate = \"25 Gb/s\"\n\
             [memory]\nbanks = 6\noff_chip = \"300 ns\"\n[memory.hash]\nengines = 9\n";
        let read = TrioParameters::parse("chip.toml", text).expect("it is right");
        let mut expected = Preset::named("gen1").expect("a preset").parameters();
        (expected.clock, expected.memory.banks, expected.memory.hash.engines) = (2_000_000_000, 6, 9);
        expected.ports = vec![Rate::from_gigabits_per_second(25); 2];
        expected.memory.off_chip = Duration::from_nanoseconds(300);
        assert_eq!(read, expected);
        assert_eq!(TrioParameters::parse("chip.toml", "").expect("it is right"), TrioParameters::default());
    }

    #[test]
    fn all_mistakes_are_reported() {
        let text = "preset = \"gen7\"\nppes = 0\npipes = 4\n[memory]\nbanks = \"x\"\n[memory.hash]\nengine = 1\n";
        let failure = TrioParameters::parse("chip.toml", text).expect_err("it is wrong");
        let Failure::BadInput { diagnostics, .. } = failure else { panic!("{failure:?}") };
        assert_eq!(diagnostics.iter().count(), 5, "{diagnostics:?}");
        let failure = TrioParameters::parse("chip.toml", "[memory]\non_chip = \"10 ns\"").expect_err("too fast");
        assert!(matches!(failure, Failure::BadInput { .. }));
    }

    /// Such mistakes were reported at the first character of the file.
    #[test]
    fn values_that_do_not_fit_each_other_are_reported_at_their_lines() {
        let text = "ppes = 2\n[memory]\non_chip = \"10 ns\"\noff_chip = \"9 ns\"\n[memory.hash]\nlatency = \"1 ns\"\n";
        let failure = TrioParameters::parse("chip.toml", text).expect_err("too fast").render(false);
        for place in ["chip.toml:3:11", "chip.toml:4:12", "chip.toml:6:11"] {
            assert!(failure.contains(place), "{failure}");
        }
    }
}
