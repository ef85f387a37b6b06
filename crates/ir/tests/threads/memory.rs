//! Transactions on shared memory, policers, filters and hashes.

use ir::interpret::threads::{Fault, ThreadEnding};
use runtime::memory::MemoryError;
use runtime::meter::MeterRates;
use runtime::tables::{FieldMatch, TableEntry, Target};
use runtime::{Bits, hash};

use crate::support::{Running, sequence, text};

const MEMORY: &str =
    "segment m: on_chip at 0 size 4096 = [1, 2, 3, 4, 5, 6, 7, 8, 9]\nsegment far: off_chip at 1048576 size 64";

fn running(lines: &str) -> Running {
    Running::new(&text(MEMORY, &sequence(lines)))
}

fn fault(lines: &str) -> Fault {
    match running(lines).values() {
        (ThreadEnding::Fault(fault), _) => fault,
        (ThreadEnding::Done, values) => panic!("no error: {values:?}"),
    }
}

#[test]
fn reads_and_writes_carry_8_to_64_bytes_in_network_order() {
    assert_eq!(running("read 8u8, 24 -> a, b, c").abc(), [2, 3, 4]);
    assert_eq!(running("read 0u8, 64 -> _, a").abc(), [2, 0, 0]);
    assert_eq!(running("read 0u8, 64 -> memory 192u8\n\na = memory(192u8, 440, 8) ++ 0u56").abc()[0] >> 56, 7);
    let mut both =
        running("a = 0x0102030405060708u64\n\nwrite 1048576u32, (a, 9u8, 0u56)\n\nwrite 128u8, memory 64u8, 64");
    both.abc();
    assert_eq!(
        [1_048_576, 1_048_584, 128, 184].map(|address| both.word(address)),
        [0x0102_0304_0506_0708, 0x0900_0000_0000_0000, 0x0001_0203_0405_0607, 0x3839_3A3B_3C3D_3E3F]
    );
}

#[test]
fn a_transaction_sees_what_was_there_before_its_instruction() {
    let mut both =
        running("a = 1u64\n\na = 2u64\nmemory(64u8, 0, 8) = 255u8\nwrite 8u8, (a)\n\nwrite 16u8, memory 64u8, 8");
    both.abc();
    assert_eq!((both.word(8), both.word(16) >> 56), (1, 255));
    // The reply comes after what the instruction itself writes.
    assert_eq!(running("a = 7u64\nread 16u8, 8 -> a").abc()[0], 3);
}

#[test]
fn replies_are_converted_to_the_types_of_variables() {
    let mut converted =
        Running::new(&text(MEMORY, &sequence("a = 0x1FFu64\n\nwrite 0u8, (a, a)\n\nread 0u8, 16 -> small, flag")));
    let (_, values) = converted.values();
    assert_eq!(values[3..], [0xFF, 1]);
}

#[test]
fn fetches_return_what_was_there_before() {
    for (word, expected) in [
        ("fetch_and", 0b1000u64),
        ("fetch_or", 0b1110),
        ("fetch_xor", 0b0110),
        ("fetch_clear", 0b0100),
        ("fetch_swap", 0b1010),
    ] {
        let mut fetched = running(&format!("write 8u8, (12u64)\n\n{word} 8u8, 10u8 -> a"));
        assert_eq!((fetched.abc()[0], fetched.word(8)), (12, expected), "{word}");
    }
    let mut masked =
        running("write 8u8, (0x1111111111111111u64)\n\nwrite_masked 8u8, 0x2222222222222222u64, 0xFF00u16");
    masked.abc();
    assert_eq!(masked.word(8), 0x1111_1111_1111_2211);
}

#[test]
fn counters_and_adds_wrap_around() {
    let mut counted = running("write 16u8, (0xFFFFFFFFFFFFFFFFu64, 0xFFFFFFFFFFFFFFFFu64)\n\ncount 16u8, 100u8");
    counted.abc();
    assert_eq!((counted.word(16), counted.word(24)), (0, 99));
    let mut added =
        running("write 16u8, (0xFFFFFFFF00000001u64)\n\nadd 20u8, (0xFFFFFFFFu32, 5u32) -> a\n\nadd 16u8, (2u32) -> b");
    // The reply to an add of two numbers has 8 bytes, that to an add of one has 4.
    assert_eq!(added.abc()[..2], [0x0000_0001_0000_0000, 0xFFFF_FFFF]);
    assert_eq!((added.word(16), added.word(24)), (0x0000_0001_0000_0000, 0x0000_0005_0000_0004));
}

#[test]
fn addresses_that_cannot_be_accessed_are_errors() {
    assert_eq!(fault("read 4096u16, 8 -> a"), Fault::SharedMemory(MemoryError::Outside));
    assert_eq!(fault("read 4u8, 8 -> a"), Fault::SharedMemory(MemoryError::Unaligned));
    assert_eq!(fault("read 56u8, 16 -> a"), Fault::SharedMemory(MemoryError::TwoLines));
    assert_eq!(fault("count 56u8, 1u8"), Fault::SharedMemory(MemoryError::TwoLines));
    assert_eq!(fault("add 2u8, (1u32)"), Fault::SharedMemory(MemoryError::Unaligned));
    assert_eq!(fault("police 0u8, 1u8 -> a"), Fault::SharedMemory(MemoryError::Policers));
    assert_eq!(fault("async write 0xFFFFFFFFFFFFFFF8u64, (a)"), Fault::SharedMemory(MemoryError::Outside));
    assert_eq!(fault("read 0u8, 64 -> memory 200u8"), Fault::LocalMemory);
    assert_eq!(fault("write 0u8, memory 250u8, 8"), Fault::LocalMemory);
}

#[test]
fn policers_lie_in_shared_memory() {
    let declarations = "meter rate: bytes size 2\nsegment p: on_chip at 64 size 128 policers rate";
    let lines = "police 128u8, 200u8 -> a\n\npolice 64u8, 200u8 -> b\n\npolice 128u8, 10u8 before 2u8 -> c";
    let mut running = Running::new(&text(declarations, &sequence(lines)));
    let rates = MeterRates { committed_rate: 1, committed_burst: 250, peak_rate: 1, peak_burst: 500 };
    running.state.meters[0].set(1, Some(rates)).unwrap();
    assert_eq!(running.abc(), [0, 0, 2]);
    assert_eq!(running.abc(), [1, 0, 2]);
    assert_eq!(running.abc(), [2, 0, 2]);
    // Words cannot be read there.
    let (ending, _) = Running::new(&text(declarations, &sequence("read 64u8, 8 -> a"))).values();
    assert_eq!(ending, ThreadEnding::Fault(Fault::SharedMemory(MemoryError::Policers)));
}

#[test]
fn filters_answer_with_the_action_and_its_data() {
    let declarations = "local v: bit<32>\nlocal w: bit<8>\naction allow(v, w) {\n}\naction refuse() {\n}\n\
                        table acl {\n  key undefined<bit<32>>: ternary\n  key undefined<bit<80>>: ternary\n  action allow\n  action refuse\n  \
                        default refuse()\n  entry 10 &&& 255, _ => allow(7, 9) priority 1\n}";
    let lines = "a = 10u64\n\nfilter acl, bit<32>(a), a, bit<16>(a) -> a, b, c, small";
    let mut running = Running::new(&text(declarations, &sequence(lines)));
    assert_eq!(running.values().1, [1, 0, 7, 9, 0]);
    let key = vec![FieldMatch::Any, FieldMatch::Mask { value: Bits::from_limbs(&[10, 10], 80), mask: Bits::ones(80) }];
    let target = Target::Action { action: 1, data: vec![] };
    running.state.tables[0].insert(TableEntry { key, priority: 5, target, is_constant: false }).unwrap();
    assert_eq!(running.values().1, [1, 1, 0, 0, 0]);
    let mut missed = Running::new(&text(declarations, &sequence(&lines.replace("a = 10u64", "a = 11u64"))));
    assert_eq!(missed.values().1, [0, 1, 0, 0, 0]);
}

#[test]
fn hashes_cover_the_bytes_that_the_program_chooses() {
    let mut hashed = running(
        "hash memory 64u8, 12, 7u8 -> a\n\nhash (memory(64u8, 0, 64), memory(72u8, 0, 32)), 7u8 -> b\n\n\
                              hash (true, 3u7, 1u4), 0u8 -> c",
    );
    let bytes: Vec<u8> = (0..12).collect();
    let expected = hash::of_bytes(&bytes, 7);
    // 1 0000011 0001, filled up with zeros.
    assert_eq!(hashed.abc(), [expected, expected, hash::of_bytes(&[0x83, 0x10], 0)]);
}

#[test]
fn the_time_is_that_at_which_the_transaction_takes_effect() {
    let mut timed = running("time -> a");
    timed.now = basis::Instant::from_picoseconds(123_456_789);
    assert_eq!(timed.abc()[0], 123_456);
}
