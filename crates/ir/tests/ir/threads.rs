//! Programs of threads: their text, what is refused in it, and that random ones run without a panic.

use std::sync::Arc;

use basis::snapshot::{Loader, Saver, Snapshot};
use basis::{Instant, Random};
use ir::interpret::Unobserved;
use ir::interpret::threads::{Interleaving, Output, Start, Thread, ThreadCode, Ticket};
use ir::{Program, parse, verify};
use proptest::prelude::*;

use crate::generate::{Choices, choices};
use crate::generate_threads;

/// Every construct of a program of threads once, as the printer writes it.
const EVERY_PART: &str = include_str!("threads.ir");

#[test]
fn every_construct_of_threads_prints_as_it_was_read() {
    let program = parse::program("threads.ir", EVERY_PART).unwrap();
    assert_eq!(program.to_string(), EVERY_PART);
    assert_eq!(verify::program(&program), Ok(()));
}

/// Returns the findings for the program after one change, as `line: message`.
fn refused(from: &str, to: &str) -> Vec<String> {
    assert_eq!(EVERY_PART.matches(from).count(), 1, "{from}");
    let text = EVERY_PART.replace(from, to);
    let failure = parse::program("threads.ir", &text).expect_err("the text should be refused");
    let show = |finding: &diagnostics::Diagnostic| {
        let line = finding.span.map_or(0, |span| failure.sources.place(span).0);
        let hint = finding.hint.as_ref().map_or(String::new(), |hint| format!(" | {hint}"));
        format!("{}: {}{hint}", text.lines().nth(line - 1).unwrap_or_default().trim(), finding.message)
    };
    failure.diagnostics.iter().map(show).collect()
}

#[test]
fn memories_must_be_consistent() {
    for (from, to, expected) in [
        (
            "local_memory 256",
            "local_memory 260",
            "local_memory 260 = [1, 2]: the size of local memory is a multiple of 8 up to 65536 bytes",
        ),
        (
            "head 64 size 128",
            "head 64 size 193",
            "head 64 size 193: the head ends at byte 257, behind the local memory of 256 bytes",
        ),
        (
            "on_chip at 0 size 64",
            "on_chip at 4 size 64",
            "segment counts: on_chip at 4 size 64: the address and the size of a segment are multiples of 8, and the size is not 0",
        ),
        (
            "on_chip at 0 size 64",
            "on_chip at 0 size 136",
            "segment rates: on_chip at 128 size 128 policers limits: the segment overlaps the segment `counts`",
        ),
        (
            "at 1048576 size 4096",
            "at 68719472640 size 8192",
            "segment \"a route\": off_chip at 68719472640 size 8192 = [18446744073709551615, 2]: the segment ends behind byte 68719476736, the end of shared memory",
        ),
        (
            "at 128 size 128",
            "at 128 size 64",
            "segment rates: on_chip at 128 size 64 policers limits: 2 policers take 128 bytes, not 64",
        ),
        (
            "key 6 size 64 in flows",
            "key 6 size 12 in flows",
            "records flow: key 6 size 12 in flows: the size of a record is a multiple of 8 up to 1024, not 12",
        ),
        (
            "key 6 size 64 in flows",
            "key 6 size 64 in rates",
            "records flow: key 6 size 64 in rates: records cannot be in a segment of policers",
        ),
        ("timer age period 1000", "timer age period 0", "timer age period 0: the period of a timer cannot be 0"),
        (
            "size 64 = fill 9",
            "size 8 = [1, 2]",
            "segment filled: on_chip at 256 size 8 = [1, 2]: 2 first words of 8 bytes do not fit in 8 bytes",
        ),
    ] {
        assert_eq!(refused(from, to), [expected]);
    }
}

#[test]
fn instructions_are_checked_line_by_line() {
    for (from, to, expected) in [
        ("  b[31:0] = a + 1u32", "  b[31:0] = 1u8", "b[31:0] = 1u8: the place takes bit<32>, not bit<8>"),
        ("  b[63:32] = a if flag", "  b[32:32] = flag", "b[32:32] = flag: the place takes bit<1>, not bool"),
        (
            "  b[63:32] = a if flag",
            "  b[40:31] = 0u10",
            "b[40:31] = 0u10: the instruction writes these bits twice: `b[31:0] = a + 1u32` does too",
        ),
        (
            "memory(b, 7, 3) = 5u3",
            "memory(66u16, 15, 3) = 5u3",
            "memory(66u16, 15, 3) = 5u3 if (!flag): the instruction writes these bits twice: `memory(64u8, 0, 48) = memory(64u8, 48, 48)` does too",
        ),
        (
            "memory(64u8, 96, 16) ++ 0u16",
            "memory(255u8, 0, 16) ++ 0u16",
            "a = memory(255u8, 0, 16) ++ 0u16: the field 0 bits behind byte 255 lies outside of the local memory of 256 bytes",
        ),
        (
            "memory(64u8, 96, 16) ++ 0u16",
            "memory(64u8, 96, 65) ++ 0u16",
            "a = memory(64u8, 96, 65) ++ 0u16: a field of local memory has 1 to 64 bits, not 65",
        ),
        (
            "  a = memory(64u8, 96, 16) ++ 0u16",
            "  a = int<32>(hash2(a, b))",
            "a = int<32>(hash2(a, b)): instructions compute with constants, variables and local memory only",
        ),
        (
            "  a = memory(64u8, 96, 16) ++ 0u16",
            "  a = bit<32>(hash2(a, b))",
            "a = bit<32>(hash2(a, b)): instructions compute with constants, variables and local memory only",
        ),
        (
            "  jump a if a < 10u32",
            "  jump flag if a < 10u32",
            "jump flag if a < 10u32: the target of a jump must be a number, not a bool",
        ),
        (
            "  call sub then next if",
            "  call nobody then next if",
            "call nobody then next if flag & (a == 2048u32): the instruction `nobody` is not declared",
        ),
        (
            "  goto policing",
            "  goto polcing",
            "goto polcing: the instruction `polcing` is not declared | did you mean `policing`?",
        ),
        (
            "  goto policing",
            "  goto policing if flag",
            "}: the instruction `counting` does not say where the thread goes on | its last line is `goto`, `jump`, `call`, `return` or `end` without a condition",
        ),
        ("  goto policing", "  goto policing\n  a = 1u32", "a = 1u32: nothing follows a way without a condition"),
        ("  goto policing", "  time\n  goto policing", "time: an instruction has at most one transaction"),
        (
            "read 1048576u32, 64",
            "read 1048576u32, 60",
            "read 1048576u32, 60 -> memory 192u8: the operation takes 8 to 64 bytes in steps of 8, not 60",
        ),
        (
            "add 20u8, (a, a + 1u32)",
            "add 20u8, (a, 1u8)",
            "add 20u8, (a, 1u8) -> b: the operation takes 4 to 64 bytes in steps of 4, not 5",
        ),
        (
            "(a, 6u8, flag, 0u7)",
            "(a, 6u8)",
            "find flow, (a, 6u8) -> flag, b: the keys of the table have 6 bytes, not 5",
        ),
        (
            "write_tail 0u8, a, (b)",
            "write_tail 0u8, a, ()",
            "write_tail 0u8, a, (): the operation takes 1 to 64 bytes, not 0",
        ),
        ("cut_tail 0u8, 100u8", "cut_tail 0u8, flag", "cut_tail 0u8, flag: an operand must be a number, not a bool"),
        ("  time -> b", "  time -> b, a", "time -> b, a: a reply of 8 bytes goes into 1 to 1 variables, not 2"),
        ("  stop_timer alarm", "  stop_timer alarm -> a", "stop_timer alarm -> a: the operation has no reply"),
        (
            "filter acl, a, memory(100u8, 0, 16)",
            "filter acl, a",
            "filter acl, a -> flag, `if`, v: the table takes 2 key words, not 1",
        ),
        ("seen(a, b)", "seen(b, a)", "async digest seen(b, a): `address` takes bit<32>, not bit<64>"),
        ("  async count", "  async conut", "async conut 16u8, a: expected an operation, found `conut`"),
    ] {
        assert_eq!(refused(from, to)[..1], [expected.to_owned()]);
    }
}

#[test]
fn an_instruction_has_a_bounded_number_of_moves() {
    let moves = |count: u32| -> String { (0..count).map(|bit| format!("  memory({bit}u16, 0, 8) = 1u8\n")).collect() };
    let program = |count| format!("program p\nlocal_memory 512\ninstruction i {{\n{}  end\n}}\n", moves(count));
    assert_eq!(verify::program(&parse::program("256", &program(256)).unwrap()), Ok(()));
    let failure = parse::program("257", &program(257)).unwrap_err().to_string();
    assert!(failure.contains("an instruction has at most 256 moves, not 257"), "{failure}");
}

#[test]
fn threads_have_no_other_code() {
    assert_eq!(
        refused("reason refused", "reason refused\npacket {\n}\nregister r: int<32> = 0"),
        ["program \"every part\": a program of threads cannot also have registers"]
    );
    assert_eq!(
        refused("local a: bit<32>", "field a: bit<32>"),
        ["field a: bit<32>: the variables of threads are locals, not fields"]
    );
    assert_eq!(
        refused("intrinsic argument = b", "intrinsic tick = b"),
        [
            "intrinsic tick = b: threads have no intrinsic `tick`, only packet_length, head_length, port, cause, argument, time"
        ]
    );
    assert_eq!(
        refused("entrance timer age = instruction scanning", "entrance packet = instruction scanning"),
        ["entrance packet = instruction scanning: threads of one cause have one entrance only"]
    );
    assert_eq!(
        refused("entrance packet = instruction start", "entrance packets = instruction start"),
        [
            "entrance packets = instruction start: threads do not begin for `packets` | write `entrance packet`, `entrance timer` or `entrance event` and a name"
        ]
    );
    assert_eq!(
        refused("reason refused", "reason refused\nhead 1 size 2"),
        ["head 1 size 2: the line `head` is declared twice"]
    );
    // Local memory belongs to threads alone.
    let text = "program p\nfield a: bit<8>\npacket {\n  a = memory(0u8, 0, 8)\n}\n";
    let failure = parse::program("p.ir", text).unwrap_err();
    assert!(failure.to_string().contains("only programs of threads have local memory"), "{failure}");
}

#[test]
fn subroutines_call_each_other_eight_deep() {
    let program = |depth: usize| {
        let mut text = "program deep\nlocal_memory 0\nhead 0 size 0\n".to_owned();
        for number in 0..depth {
            text += &format!("instruction i{number} {{\n  call i{} then out\n}}\n", number + 1);
        }
        text + &format!("instruction i{depth} {{\n  return\n}}\ninstruction out {{\n  return\n}}\n")
    };
    assert_eq!(verify::program(&parse::program("8", &program(8)).unwrap()), Ok(()));
    let failure = parse::program("9", &program(9)).unwrap_err().to_string();
    assert!(failure.contains("call i9 then out") && failure.contains("more than 8 deep"), "{failure}");
    let recursive = "program r\nlocal_memory 0\ninstruction a {\n  call a then b\n}\ninstruction b {\n  return\n}\n";
    assert!(parse::program("r", recursive).is_err());
}

/// Runs a few threads of a program in a random order, and returns what they did.
fn interleave(program: &Program, seed: u64, restores: bool) -> (String, Vec<(usize, Output)>) {
    let mut code = ThreadCode::new(Arc::new(program.clone()));
    code.limit = 100;
    let mut all = Interleaving::new(&code, program.initial_state());
    let mut random = Random::new(seed);
    let threads = code.threads();
    for number in 0..3u8 {
        let bytes: Vec<u8> = (0..200).map(|byte| byte ^ number).collect();
        let cause = threads.entrances[usize::from(number) % threads.entrances.len()].cause;
        let start = match cause {
            ir::threads::Cause::Packet => Start::packet(number.into(), &bytes, Instant::ZERO),
            cause => Start { cause, time: Instant::ZERO, argument: number.into(), packet: None },
        };
        all.add(Thread::new(&code, &start).expect("an entrance"));
    }
    let mut told = String::new();
    for turn in 0..400u64 {
        let thread = (random.bits() % 3) as usize;
        let pending: Vec<Ticket> = all.threads()[thread].pending().map(|(ticket, _)| ticket).collect();
        if !pending.is_empty() && random.bits().is_multiple_of(2) {
            let ticket = pending[(random.bits() % pending.len() as u64) as usize];
            let now = Instant::from_picoseconds(turn * 1000);
            told += &format!("{thread} {ticket:?} {}\n", all.apply(thread, ticket, now, &mut Unobserved));
        } else {
            told += &format!("{thread} {:?}\n", all.step(thread, &mut Unobserved));
        }
        if restores && turn % 23 == 0 {
            all = restored(&code, &all);
        }
    }
    for thread in all.threads() {
        told += &format!("{:?} {:02x?} {}\n", thread.variables(), thread.local_memory(), thread.executed());
        // A packet leaves once, or stays with its thread.
        let packets = thread.packets();
        assert!(packets.tail(0).is_some() || !thread.holds_packet());
    }
    told += &format!("{:?} {:?}", all.state.memory, all.state.records);
    (told, all.outputs)
}

/// Returns a copy of threads and state that was written down.
fn restored<'c>(code: &'c ThreadCode, all: &Interleaving<'c>) -> Interleaving<'c> {
    let mut saver = Saver::default();
    all.state.save(&mut saver).unwrap();
    all.threads().iter().for_each(|thread| thread.save(&mut saver).unwrap());
    let bytes = saver.into_bytes();
    let mut loader = Loader::new(&bytes);
    let mut copy = Interleaving::new(code, code.program().initial_state());
    copy.state.restore(&mut loader).unwrap();
    copy.outputs.clone_from(&all.outputs);
    for thread in all.threads() {
        let start = Start { cause: thread.cause(), time: Instant::ZERO, argument: 0, packet: None };
        let mut fresh = Thread::new(code, &start).expect("an entrance");
        fresh.restore(&mut loader).unwrap();
        copy.add(fresh);
    }
    loader.finish().unwrap();
    copy
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn programs_of_threads_are_valid_and_read_back(choices in choices()) {
        let program = generate_threads::program(&mut Choices::new(choices));
        prop_assert_eq!(verify::program(&program), Ok(()), "{}", program);
        let text = program.to_string();
        let read = parse::program("generated.ir", &text);
        prop_assert!(read.is_ok(), "{}\n{}", text, read.unwrap_err());
        prop_assert_eq!(read.unwrap(), program, "{}", text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Whatever threads do and in whatever order, nothing panics; and writing everything down in between changes nothing.
    #[test]
    fn threads_run_in_any_order(choices in choices(), seed in any::<u64>()) {
        let program = generate_threads::program(&mut Choices::new(choices));
        let (told, outputs) = interleave(&program, seed, false);
        let (again, restored) = interleave(&program, seed, true);
        prop_assert_eq!(told, again);
        prop_assert_eq!(&outputs, &restored);
        // A packet leaves once: each number of a thread occurs once.
        let mut left = std::collections::HashSet::new();
        for (thread, output) in &outputs {
            let number = match output {
                Output::Sent { packet, .. } | Output::Multicast { packet, .. } => packet.number,
                Output::Dropped { number, .. } => *number,
                _ => continue,
            };
            prop_assert!(left.insert((*thread, number)), "packet {} of thread {} left twice", number, thread);
        }
    }
}
