//! Records by key: made, found, deleted and scanned.

use basis::Instant;
use ir::interpret::threads::{Fault, Start, ThreadEnding};
use ir::threads::{Cause, TimerId};

use crate::support::{Running, sequence, text};

const DECLARATIONS: &str = "segment flows: off_chip at 4096 size 192\nrecords flow: key 2 size 64 in flows";

fn running(lines: &str) -> Running {
    Running::new(&text(DECLARATIONS, &sequence(lines)))
}

#[test]
fn a_record_is_memory_that_a_key_finds() {
    let mut one = running("insert flow, (5u16), (7u64) -> a, b\n\nfetch_or b, 8u8 -> c\n\nfind flow, (5u16) -> a, c");
    assert_eq!(one.abc(), [1, 4096, 4096]);
    assert_eq!((one.word(4096), one.word(4104)), (15, 0));
    // The second time there is one, which keeps what is in it.
    let mut again =
        running("insert flow, (5u16), (7u64)\n\ninsert flow, (5u16), (9u64) -> a, b\n\nfind flow, (6u16) -> c");
    assert_eq!((again.abc(), again.word(4096)), ([0, 4096, 0], 7));
}

#[test]
fn a_new_record_has_nothing_of_an_old_one() {
    let mut reused = running(
        "insert flow, (1u16), memory 64u8, 64 -> a, b\n\ndelete flow, (1u16) -> a\n\ninsert flow, (2u16), (3u8) -> b, c\n\n\
         delete flow, (1u16) -> b",
    );
    assert_eq!(reused.abc(), [1, 0, 4096]);
    assert_eq!([4096, 4104, 4152].map(|address| reused.word(address)), [3 << 56, 0, 0]);
}

#[test]
fn a_table_can_be_full_and_records_are_removed_by_address() {
    let fill = "insert flow, (1u16), (1u8)\n\ninsert flow, (2u16), (2u8)\n\ninsert flow, (3u16), (3u8)\n\n";
    assert_eq!(running(&format!("{fill}insert flow, (4u16), (4u8) -> a, b")).abc()[..2], [2, 0]);
    assert_eq!(
        running(&format!("{fill}remove flow, 4160u16 -> a\n\nfind flow, (2u16) -> b\n\nremove flow, 4160u16 -> c"))
            .abc(),
        [1, 0, 0]
    );
    for address in [4097, 4288, 4032] {
        let (ending, _) = running(&format!("remove flow, {address}u16")).values();
        assert_eq!(ending, ThreadEnding::Fault(Fault::NoRecord), "{address}");
    }
    let (ending, _) = running("scan flow, 0u8, 65u8").values();
    assert_eq!(ending, ThreadEnding::Fault(Fault::TooManyPlaces));
}

/// Trio, section 5: N timer threads that each scan 1/N of a table find each record that fell out of use after one interval
/// and before two.
#[test]
fn timer_threads_find_records_that_fell_out_of_use() {
    const PLACES: u64 = 1024;
    const THREADS: u64 = 16;
    let declarations = format!(
        "segment flows: off_chip at 65536 size {}\nrecords flow: key 2 size 8 in flows\nsegment found: on_chip at 0 size 8\n\
         timer part period 10\nlocal turn: bit<64>\nintrinsic argument = turn",
        8 * PLACES
    );
    // A packet refers to a record. A timer thread scans a part, and counts what has not been referenced.
    let all = "instruction start {\n  insert flow, (memory(64u8, 0, 16)), (1u8)\n  end\n}\n\
               instruction begin {\n  a = (turn % 16u64) * 64u64\n  goto look\n}\n\
               instruction look {\n  scan flow, a, 64u8 -> b\n  goto tell\n}\n\
               instruction tell {\n  write 0u8, (b)\n  end\n}\nentrance timer part = instruction begin\n";
    let mut running = Running::new(&text(&declarations, all));
    let interval = 160_000;
    let mut last_use = vec![0u64; PLACES as usize];
    let mut found = vec![None; PLACES as usize];
    for turn in 0..4 * THREADS {
        let now = turn * interval / THREADS;
        // Records of even numbers are used all the time, the others until the second interval.
        for number in (0..PLACES).filter(|number| now < 2 * interval || number % 2 == 0) {
            last_use[number as usize] = now;
            running.packet(0, &(number as u16).to_be_bytes());
        }
        let cause = Cause::Timer(TimerId(0));
        let time = Instant::from_picoseconds(now);
        running.run(&Start { cause, time, argument: turn, packet: None });
        let aged = running.word(0);
        for place in (0..64).filter(|place| aged >> place & 1 == 1) {
            found[(turn % THREADS * 64 + place) as usize].get_or_insert(now);
        }
    }
    for number in 0..PLACES as usize {
        let unused = found[number].map(|at: u64| at - last_use[number]);
        match number % 2 {
            0 => assert_eq!(unused, None, "record {number}"),
            _ => {
                let unused = unused.unwrap_or_else(|| panic!("record {number} was not found"));
                assert!((interval..2 * interval).contains(&unused), "record {number} was found after {unused}");
            }
        }
    }
}
