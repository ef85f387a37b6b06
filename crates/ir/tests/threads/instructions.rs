//! What one instruction means: parallel reads and writes, bit fields, conditions.

use ir::interpret::threads::{Fault, ThreadEnding};

use crate::support::{Running, sequence, text};

fn run(lines: &str) -> (ThreadEnding, [u64; 5]) {
    Running::new(&text("", &sequence(lines))).values()
}

fn done(lines: &str) -> [u64; 5] {
    let (ending, values) = run(lines);
    assert_eq!(ending, ThreadEnding::Done);
    values
}

fn fault(lines: &str) -> Fault {
    match run(lines) {
        (ThreadEnding::Fault(fault), _) => fault,
        (ThreadEnding::Done, values) => panic!("no error: {values:?}"),
    }
}

#[test]
fn all_reads_come_before_all_writes() {
    assert_eq!(done("a = 1u64\nb = 2u64\n\na = b\nb = a")[..2], [2, 1]);
    // The packet is 0, 1, 2, …: the fields exchange their values.
    let swapped = "memory(64u8, 0, 8) = memory(65u8, 0, 8)\nmemory(65u8, 0, 8) = memory(64u8, 0, 8)\n\n\
                   a = memory(64u8, 0, 16) ++ 0u48";
    assert_eq!(done(swapped)[0] >> 48, 0x0100);
}

#[test]
fn bits_of_a_variable_are_written_and_the_others_stay() {
    let values = done("a = 0xFFFFFFFFFFFFFFFFu64\n\na[15:8] = 0x12u8\na[63:60] = 0u4\nb = a");
    assert_eq!(values[..2], [0x0FFF_FFFF_FFFF_12FF, u64::MAX]);
    assert_eq!(done("a[63:0] = 5u64\nsmall[3:3] = 1u1")[..4], [5, 0, 0, 8]);
}

#[test]
fn fields_of_local_memory_have_any_place_and_length() {
    // Bytes 64 to 72 are 00 01 02 03 04 05 06 07 08.
    assert_eq!(done("a = memory(64u8, 4, 64)")[0], 0x0010_2030_4050_6070);
    assert_eq!(done("a = memory(64u8, 7, 64)")[0], 0x0081_0182_0283_0384);
    let written =
        done("memory(64u8, 7, 64) = 0xFFFFFFFFFFFFFFFFu64\n\na = memory(64u8, 0, 64)\nb = memory(72u8, 0, 64)");
    assert_eq!(written[..2], [0x01FF_FFFF_FFFF_FFFF, 0xFE09_0A0B_0C0D_0E0F]);
    // A pointer is a number, and counts bytes.
    assert_eq!(done("a = 64u64\n\nb = 0u56 ++ memory(a + 12u64, 4, 8)")[1], 0xC0);
}

#[test]
fn a_move_whose_condition_is_false_evaluates_nothing() {
    let values = done("a = 1000u64\n\nb = 7u64 if flag\nc = memory(a, 0, 64) if flag\nmemory(a, 0, 8) = 1u8 if flag");
    assert_eq!(values[..3], [1000, 0, 0]);
    assert_eq!(done("flag = true\n\nb = 7u64 if flag")[1], 7);
}

#[test]
fn accesses_outside_of_local_memory_are_errors() {
    assert_eq!(done("a = 248u64\n\nb = memory(a, 0, 64)")[1], 0);
    assert_eq!(fault("a = 249u64\n\nb = memory(a, 0, 64)"), Fault::LocalMemory);
    assert_eq!(fault("a = 0xFFFFFFFFFFFFFFFFu64\n\nb = memory(a, 8, 64)"), Fault::LocalMemory);
    assert_eq!(fault("a = 256u64\n\nmemory(a, 0, 1) = 1u1"), Fault::LocalMemory);
    // Only the side of a choice that is taken is read.
    assert_eq!(done("a = 999u64\n\nb = flag ? memory(a, 0, 64) : 3u64")[1], 3);
}

#[test]
fn an_instruction_with_an_error_has_no_effect() {
    let mut running = Running::new(&text(
        "segment m: on_chip at 0 size 64",
        &sequence("a = 999u64\n\nb = 1u64\nwrite 0u8, (a)\nc = memory(a, 0, 64)"),
    ));
    let (ending, values) = running.values();
    assert_eq!((ending, values[1]), (ThreadEnding::Fault(Fault::LocalMemory), 0));
    assert_eq!(running.word(0), 0);
}

#[test]
fn bits_that_are_written_twice_at_run_time_are_an_error() {
    let lines = |second: u64| format!("a = 70u64\nb = {second}u64\n\nmemory(a, 0, 12) = 1u12\nmemory(b, 0, 8) = 1u8");
    assert_eq!(fault(&lines(71)), Fault::WrittenTwice);
    assert_eq!(fault(&lines(70)), Fault::WrittenTwice);
    assert_eq!(done(&lines(72))[0], 70);
    assert_eq!(done(&lines(69))[0], 70);
}

#[test]
fn the_environment_of_a_thread_is_in_its_intrinsics() {
    let declarations = "local length: bit<16>\nlocal head: bit<8>\nlocal port: bit<8>\nlocal cause: bit<2>\nlocal time: bit<64>\n\
                        intrinsic packet_length = length\nintrinsic head_length = head\nintrinsic port = port\n\
                        intrinsic cause = cause\nintrinsic time = time";
    let mut running = Running::new(&text(declarations, &sequence("a = 0u64")));
    running.now = basis::Instant::from_microseconds(5);
    let (_, thread) = running.packet(9, &[7; 300]);
    assert_eq!(thread.variables()[5..], [300, 128, 9, 0, 5000]);
    assert_eq!(thread.packets().tail(0).map(|tail| tail.len()), Some(172));
    let (_, thread) = running.packet(9, &[7; 20]);
    assert_eq!((&thread.variables()[5..7], &thread.local_memory()[82..86]), (&[20, 20][..], &[7, 7, 0, 0][..]));
}
