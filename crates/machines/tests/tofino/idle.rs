//! Entries that no packet has matched for a while.

use basis::{Duration, Instant};
use control::{ActionCall, EntryAttributes, Request, Response, TableRequest, Target};
use machines::Device;
use machines::tofino::{ChipSettings, TofinoParameters};
use node::Node;
use runtime::Bits;
use runtime::tables::{EntryHandle, FieldMatch};

use crate::bench::{Bench, chip_with};

const PROGRAM: &str = include_str!("by_pipe.p4");

fn at(milliseconds: u64) -> Instant {
    Instant::ZERO + Duration::from_microseconds(1_000 * milliseconds)
}

/// Returns a chip of four pipes whose entry for packets of kind 7 has an idle timeout in milliseconds, or why it cannot.
fn with_entry(program: &str, timeout: u64) -> Result<(Bench, EntryHandle), control::Error> {
    let parameters = TofinoParameters { chip: Some(ChipSettings::of_pipes(4)), ..TofinoParameters::default() };
    let mut bench = Bench::of(chip_with(program, parameters).unwrap());
    let info = bench.chip.info().clone();
    let table = info.table_named("kinds").unwrap();
    let action = info.action_named(table, "to").unwrap();
    let insert = TableRequest::Insert {
        key: vec![FieldMatch::Exact(Bits::from_u64(7, 8))],
        priority: None,
        target: Target::Action(ActionCall { action, data: vec![Bits::from_u64(5, 9)] }),
        attributes: EntryAttributes { idle_timeout: timeout * 1_000_000, ..EntryAttributes::default() },
    };
    match bench.chip.execute(&Request::Table(table, insert))? {
        Response::Inserted(entry) => Ok((bench, entry)),
        other => panic!("{other:?}"),
    }
}

/// Wakes the chip at a time, and returns the entries that were found idle, each with the time.
fn idle(bench: &mut Bench, now: Instant) -> Vec<(EntryHandle, Instant)> {
    bench.out.begin(now);
    bench.chip.wake(now, &mut bench.out);
    match bench.chip.execute(&Request::TakeIdleEntries).unwrap() {
        Response::IdleEntries(found) => found.into_iter().map(|idle| (idle.entry.handle, idle.at)).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_entry_is_idle_when_no_packet_of_any_pipe_has_matched_it() {
    let of_tofino_1 = PROGRAM.replace("size = 16;", "size = 16; idle_timeout = true;");
    let of_tofino_2 = PROGRAM
        .replace("<tna.p4>", "<t2na.p4>")
        .replace("    table kinds", "    IdleTimeout() timeout;\n    table kinds")
        .replace("size = 16;", "size = 16; idle_timeout = timeout;");
    for program in [of_tofino_1, of_tofino_2] {
        let (mut bench, entry) = with_entry(&program, 10).unwrap();
        let packet = |bench: &mut Bench, now, pipe: u16, kind| {
            bench.out.begin(now);
            bench.give(now, 128 * pipe + 9, &[kind, 0, 0, 0, 0, 0, 0]);
            bench.ends();
        };
        // Each pipe by itself would find the entry idle, but some packet matches it in time; those of kind 8 do not.
        for (now, pipe, kind) in [(4, 0, 7), (12, 3, 7), (14, 1, 8), (20, 2, 7)] {
            packet(&mut bench, at(now), pipe, kind);
            assert_eq!(idle(&mut bench, at(now)), []);
        }
        assert_eq!(idle(&mut bench, at(29)), []);
        assert_eq!(idle(&mut bench, at(30)), [(entry, at(30))]);
        // It is told once for each timeout.
        assert_eq!(idle(&mut bench, at(35)), []);
        packet(&mut bench, at(39), 1, 7);
        assert_eq!(idle(&mut bench, at(40)), []);
        assert_eq!(idle(&mut bench, at(49)), [(entry, at(49))]);
    }
}

#[test]
fn a_chip_asks_to_be_woken_when_an_entry_may_be_idle() {
    let program = PROGRAM.replace("size = 16;", "size = 16; idle_timeout = true;");
    let (mut bench, _) = with_entry(&program, 10).unwrap();
    bench.out.begin(at(1));
    bench.chip.wake(at(1), &mut bench.out);
    assert_eq!(bench.out.take_deadline(), Some(at(10)));
}

#[test]
fn entries_of_a_table_without_idle_timeouts_have_none() {
    let refused = with_entry(PROGRAM, 10).map(|_| ()).unwrap_err().to_string();
    assert!(refused.contains("so its entries have no idle timeouts"), "{refused}");
    assert!(with_entry(PROGRAM, 0).is_ok());
}
