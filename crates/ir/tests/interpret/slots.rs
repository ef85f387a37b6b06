//! Entries of tables with slots, and what actions call by them: counters, meters and registers. Low-pass filters and early
//! detectors, which are arrays like others.

use basis::Instant;
use ir::interpret::Ending;
use ir::{FunctionId, Program, VariableId};
use runtime::filter::{FilterKind, FilterSettings};
use runtime::tables::{FieldMatch, TableEntry, Target};
use runtime::wred::WredSettings;
use runtime::{Bits, Count, MeterRates};

use crate::support::*;

const PROGRAM: &str = "program slots
local key: bit<8>
local called: bool
local hit: bool
local slot: bit<32>
local before: bit<2>
local color: bit<2>
local seen: bit<16>
local depth: bit<40>
local smooth: bit<16>
local drops: bool
register packets: bit<16>[4] = fill 100
counter c: packets_and_bytes direct width 8
counter narrow: bytes size 2 width 12
meter m: bytes direct
filter f: size 2
wred w: size 2
action counting() {
  if called {
    count c[slot]
    measure m[slot] before before adjust -20i8 -> color
    @packets[slot] = @packets[slot] + 1u16
    seen = @packets[slot]
  }
}
action missed() {
}
table t {
  key key: exact
  action counting only_entries
  action missed only_default
  default missed()
  size 4
  counter c
  meter m -> color
  slots
  register @packets
  counts when called
  entry 1 => counting()
  entry 2 => counting()
}
control main() {
  apply t -> hit, _, slot
  count narrow[key]
}
control filters() {
  filter f[key], depth -> smooth
  wred w[key], depth -> drops
}
packet {
}
";

const MAIN: FunctionId = FunctionId(2);
const FILTERS: FunctionId = FunctionId(3);

struct Tested {
    running: Running,
    program: Program,
}

impl Tested {
    fn new() -> Self {
        let program = ir::parse::program("slots.ir", PROGRAM).unwrap();
        assert_eq!(ir::verify::program(&program), Ok(()));
        let again = ir::parse::program("slots.ir", &program.to_string()).unwrap();
        assert_eq!(again, program);
        Self { running: Running::new(program.clone()), program }
    }

    fn variable(&self, name: &str) -> VariableId {
        self.program.variable_named(name).unwrap()
    }

    /// Runs a function with values of variables; returns the values of others.
    fn call<const N: usize>(&mut self, function: FunctionId, given: &[(&str, u64)], asked: [&str; N]) -> [u64; N] {
        let given: Vec<_> = given.iter().map(|(name, value)| (self.variable(name), *value)).collect();
        let (ending, packet) = self.running.call(function, &given);
        assert_eq!(ending, Ending::Done);
        asked.map(|name| packet.low(self.variable(name)))
    }
}

fn entry(key: u64) -> TableEntry {
    let target = Target::Action { action: 0, data: vec![] };
    TableEntry { key: vec![FieldMatch::Exact(Bits::Narrow(key))], priority: 0, target, is_constant: false }
}

#[test]
fn an_application_tells_the_slot_of_the_entry() {
    let mut tested = Tested::new();
    let slots = |tested: &mut Tested| [1, 2, 3, 4].map(|key| tested.call(MAIN, &[("key", key)], ["slot", "hit"]));
    const MISS: [u64; 2] = [0xFFFF_FFFF, 0];
    assert_eq!(slots(&mut tested), [[0, 1], [1, 1], MISS, MISS]);
    let first = tested.running.state.tables[0].entry_at(0).unwrap();
    tested.running.state.tables[0].delete(first).unwrap();
    tested.running.state.insert(0, entry(3)).unwrap();
    tested.running.state.insert(0, entry(4)).unwrap();
    assert_eq!(slots(&mut tested), [MISS, [1, 1], [0, 1], [2, 1]]);
}

#[test]
fn what_belongs_to_an_entry_changes_only_if_it_is_called() {
    let mut tested = Tested::new();
    tested.running.length = 120;
    assert_eq!(tested.call(MAIN, &[("key", 1), ("color", 3)], ["seen", "color"]), [0, 3]);
    let second = tested.running.state.tables[0].entry_at(1).unwrap();
    assert_eq!(tested.running.state.tables[0].counter(second), Some(Count::default()));
    let called = |key| [("key", key), ("called", 1)];
    assert_eq!([1, 1, 2].map(|key| tested.call(MAIN, &called(key), ["seen"])), [[101], [102], [101]]);
    assert_eq!(tested.running.state.tables[0].counter(second), Some(Count { packets: 1, bytes: 120 }));
    // Of three packets of 120 bytes a counter of 8 bits keeps the sum modulo 256.
    (0..2).for_each(|_| _ = tested.call(MAIN, &called(2), []));
    assert_eq!(tested.running.state.tables[0].counter(second), Some(Count { packets: 3, bytes: 104 }));
    // A new entry in the slot begins anew.
    tested.running.state.tables[0].delete(second).unwrap();
    tested.running.state.insert(0, entry(9)).unwrap();
    assert_eq!(tested.call(MAIN, &called(9), ["slot", "seen"]), [1, 101]);
}

#[test]
fn a_meter_is_given_a_colour_and_a_correction() {
    let mut tested = Tested::new();
    tested.running.length = 120;
    let rates = MeterRates { committed_rate: 1, committed_burst: 200, peak_rate: 1, peak_burst: 300 };
    let first = tested.running.state.tables[0].entry_at(0).unwrap();
    tested.running.state.tables[0].set_meter(first, Some(rates)).unwrap();
    let mut measured = |before| tested.call(MAIN, &[("key", 1), ("called", 1), ("before", before)], ["color"])[0];
    // Each packet is 100 bytes. One that is red takes no tokens, one that is yellow none of the committed ones (RFC 2698,
    // section 3, colour-aware mode).
    assert_eq!([2, 3, 1, 0, 0, 0].map(&mut measured), [2, 2, 1, 0, 0, 2]);
    tested.running.length = 5;
    let shorter = tested.call(MAIN, &[("key", 1), ("called", 1)], ["color"]);
    assert_eq!(shorter, [0], "a packet is not shorter than nothing");
}

#[test]
fn narrow_counters_wrap() {
    let mut tested = Tested::new();
    tested.running.length = 1500;
    (0..3).for_each(|_| _ = tested.call(MAIN, &[("key", 1)], []));
    let held = tested.running.state.counters[0..2].iter().map(|counters| counters.get(1)).collect::<Vec<_>>();
    assert_eq!(held, [None, Some(Count { packets: 3, bytes: 4500 - 4096 })]);
}

#[test]
fn filters_and_detectors_take_values() {
    let mut tested = Tested::new();
    let settings =
        FilterSettings { kind: FilterKind::Sample, gain_time_constant: 1000, decay_time_constant: 1000, scale_down: 1 };
    tested.running.state.filters[0].set(1, Some(settings)).unwrap();
    let early = WredSettings { time_constant: 1, minimum: 500, maximum: 500, maximum_probability: 0 };
    tested.running.state.wreds[0].set(1, Some(early)).unwrap();
    let mut take = |key, depth, nanoseconds: u64| {
        tested.running.now = Instant::from_picoseconds(nanoseconds * 1000);
        tested.call(FILTERS, &[("key", key), ("depth", depth)], ["smooth", "drops"])
    };
    assert_eq!([take(1, 1000, 0), take(1, 0, 1000)], [[500, 1], [183, 0]], "1000 and 1000 / e, halved");
    assert_eq!([take(0, 70_000, 0), take(2, 7, 0)], [[70_000 - 65_536, 0], [7, 0]], "not configured, outside");
    assert_eq!(take(0, 1 << 32, 0), [0xFFFF, 0], "values of more than 32 bits are the greatest of them");
}
