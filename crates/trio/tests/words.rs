//! Words mean what the instructions of the IR mean from which they are made, and so does their disassembly.

mod common;

use std::sync::Arc;

use ir::interpret::Unobserved;
use ir::interpret::threads::{Instructions, Output, Start, Step, Thread, ThreadCode, ThreadEnding};
use proptest::prelude::*;
use runtime::ProgramState;
use trio::Image;

use common::generate;

/// What happens to a thread in a step: what it returned, where the thread is, its variables and local memory, and the request.
type Seen = (Step, Option<u32>, Vec<u64>, Vec<u8>, String);

/// Runs a thread to its end, and returns what is seen after each step, and what it leaves.
fn run<I: Instructions>(code: &I, start: &Start<'_>) -> (Vec<Seen>, ProgramState, Vec<Output>) {
    let mut state = code.declarations().program().initial_state();
    let mut thread = Thread::new(code, start).expect("an entrance");
    let (mut seen, mut outputs) = (Vec::new(), Vec::new());
    for turn in 0..200_u64 {
        let step = thread.step(code, &mut Unobserved);
        let requests = format!("{:?}", thread.pending().collect::<Vec<_>>());
        let at = thread.next_instruction().map(|id| id.0);
        seen.push((step, at, thread.variables().to_vec(), thread.local_memory().to_vec(), requests));
        match step {
            Step::Ended(_) => break,
            // Some transactions take effect later.
            Step::Asks(ticket) if turn % 3 != 0 => {
                if thread.may_apply(ticket) {
                    thread.perform(code, &mut state, ticket, start.time, &mut outputs, &mut Unobserved);
                }
            }
            Step::Done | Step::Asks(_) | Step::Waits => {}
        }
        if turn % 4 == 3 || step == Step::Waits {
            let pending: Vec<_> = thread.pending().map(|(ticket, _)| ticket).collect();
            for ticket in pending {
                thread.perform(code, &mut state, ticket, start.time, &mut outputs, &mut Unobserved);
            }
        }
    }
    (seen, state, outputs)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn words_and_their_disassembly_do_what_the_program_says(
        choices in prop::collection::vec(any::<u8>(), 0..3000),
        packet in prop::collection::vec(any::<u8>(), 0..80),
        port in 0..4_u64,
    ) {
        let (program, image) = generate::fitting(&choices);
        let original = ThreadCode::new(Arc::new(program));
        let disassembled = ThreadCode::new(image.program().clone());
        let start = Start::packet(port, &packet, basis::Instant::ZERO);
        let expected = run(&original, &start);
        let of_words = run(&image.code(), &start);
        for (place, (expected, found)) in expected.0.iter().zip(&of_words.0).enumerate() {
            prop_assert_eq!(expected, found, "step {} of\n{}\nas words\n{:#?}", place, original.program(), image.words());
        }
        prop_assert_eq!(expected.0.len(), of_words.0.len());
        prop_assert_eq!(&expected.1.memory, &of_words.1.memory);
        prop_assert_eq!(&expected.2, &of_words.2);
        let of_ir = run(&disassembled, &start);
        for (place, (expected, found)) in expected.0.iter().zip(&of_ir.0).enumerate() {
            prop_assert_eq!(expected, found, "step {} of\n{}\nas\n{}", place, original.program(), image.program());
        }
        prop_assert_eq!(&expected.2, &of_ir.2);
        // The image comes back from its bytes, and its program maps to words that do the same.
        let bytes = image.to_bytes();
        let again = Image::from_bytes(&bytes);
        prop_assert_eq!(again.as_ref().map(Image::program), Ok(image.program()));
        prop_assert_eq!(again, Ok(image));
    }
}

#[test]
fn the_generated_programs_do_a_bit_of_everything() {
    let mut random = basis::Random::new(7);
    let (mut instructions, mut empty, mut steps) = (0, 0, 0);
    let (mut requests, mut faults) = (std::collections::BTreeSet::new(), std::collections::BTreeSet::new());
    for _ in 0..1000 {
        let choices: Vec<u8> = (0..3000).map(|_| random.bits() as u8).collect();
        let (program, image) = generate::fitting(&choices);
        let own = &program.threads.as_ref().expect("threads").instructions;
        instructions += own.len();
        empty += own.iter().filter(|one| one.moves.is_empty() && one.transaction.is_none()).count();
        let packet: Vec<u8> = choices[..choices[0] as usize % 80].to_vec();
        let (seen, ..) = run(&image.code(), &Start::packet(1, &packet, basis::Instant::ZERO));
        steps += seen.len();
        for (step, _, _, _, pending) in &seen {
            if let Step::Ended(ThreadEnding::Fault(fault)) = step {
                faults.insert(fault.name());
            }
            requests.extend(
                pending.split_once("), ").and_then(|(_, request)| request.split(' ').next()).map(str::to_owned),
            );
        }
    }
    assert!(empty * 2 < instructions, "{empty} of {instructions} instructions are empty");
    assert!(steps > 3_000, "{steps} steps");
    assert!(requests.len() >= 16, "{requests:?}");
    let expected = ["local_memory", "no_instruction", "no_packet", "return_without_call"];
    assert!(expected.iter().all(|fault| faults.contains(fault)), "{faults:?}");
}

/// Two pointers lead to the same bits, which only the run shows; beside the end of local memory another error comes first.
#[test]
fn bits_that_are_written_twice_are_found_as_the_ir_finds_them() {
    let text = |near: u64, other: u64, condition: &str| {
        format!(
            "program twice
local near: bit<16>
local other: bit<16>
local w: bit<64>
local_memory 96
instruction start {{
  near = {near}u16
  other = {other}u16
  goto writes
}}
instruction writes {{
  memory(near, 0, 64) = w
  memory(other, 0, 64) = w {condition}
  end
}}
entrance packet = instruction start
"
        )
    };
    for (near, other, condition, fault) in [
        (16, 16, "", "written_twice"),
        (16, 23, "", "written_twice"),
        (16, 24, "", ""),
        (84, 90, "", "local_memory"),
        (16, 16, "if (w != 0u64)", ""),
        (65_530, 16, "", "local_memory"),
    ] {
        let text = text(near, other, condition);
        let program = ir::parse::program("twice.ir", &text).unwrap_or_else(|error| panic!("{error}"));
        let image = Image::new(&program, &trio::Parameters::default(), Vec::new()).expect("it fits");
        let start = Start::packet(0, &[], basis::Instant::ZERO);
        let (expected, found) = (run(&ThreadCode::new(Arc::new(program)), &start), run(&image.code(), &start));
        assert_eq!(expected.0, found.0, "{text}");
        let ended = match expected.0.last() {
            Some((Step::Ended(ThreadEnding::Fault(fault)), ..)) => fault.name(),
            _ => "",
        };
        assert_eq!(ended, fault, "{text}");
    }
}
