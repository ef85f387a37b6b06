//! The passes: a random program, fitted to a pipeline in either layout, still means what it meant.

#![no_main]

use ir::interpret::PipelineInterpreter;
use libfuzzer_sys::fuzz_target;
use passes::{ANY_ATOM, Failure, Layout, Made, Observer, Operations, PASSES, Target, compile};

// The programs that the property tests of the passes draw are those that a fuzzer wants: one place knows them.
#[path = "../../crates/passes/tests/common/mod.rs"]
mod common;

/// So many first bytes choose target and packets; the rest draw the program.
const HEAD: usize = 65;

fuzz_target!(|data: &[u8]| {
    let (head, numbers) = data.split_at(data.len().min(HEAD));
    let Some((&choice, packets)) = head.split_first() else { return };
    let program = common::program(&numbers[..numbers.len().min(600)]);
    let packets = fuzz::packets(&program, packets);
    let expected = fuzz::run(&program, &packets);
    let target = Target {
        atom: ANY_ATOM.to_owned(),
        depth: if choice & 1 == 0 { 1000 } else { 14 },
        stateful_per_stage: if choice & 2 == 0 { 4 } else { 1 },
        operations: Operations { divide: true, ..Target::default().operations },
        ..Target::default()
    };
    let flow: &[&str] = if choice & 4 == 0 { &[] } else { &["x", "z", "byte"] };
    let flow_order = flow.iter().map(|&name| name.to_owned()).collect();
    for layout in [Layout::Single, Layout::Steered { flow_order }] {
        match compile(&program, &target, layout.clone(), &mut ParsesBack) {
            Ok(compiled) => {
                let pipeline = &compiled.pipeline;
                let mut interpreter = PipelineInterpreter::new(pipeline);
                let fields = fuzz::run_each(&pipeline.program, &packets, |values| {
                    interpreter.packet_checked(values).unwrap_or_else(|error| panic!("{error}\n{program}{pipeline}"));
                });
                // The layout's own register, of the flow order, comes after the program's.
                let ids = 0..program.registers.len();
                let registers = ids.map(|id| interpreter.registers().array(id).to_vec()).collect();
                let found = fuzz::Outcome { fields, registers };
                assert_eq!(found, expected, "{layout:?}\n{program}{pipeline}");
            }
            Err(Failure::Resources(refused)) => {
                assert!(!refused.report.findings.is_empty(), "refused without a reason");
            }
            Err(other) => panic!("{other}\n{program}"),
        }
    }
});

/// Holds the text after each pass to parse back.
struct ParsesBack;

impl Observer for ParsesBack {
    fn ends(&mut self, pass: &'static str, made: Made<'_>) {
        let text = made.to_string();
        let is_pipeline = PASSES[PASSES.len() - 2..].contains(&pass);
        let parsed = if is_pipeline {
            ir::parse::pipeline(pass, &text).unwrap().to_string()
        } else {
            ir::parse::program(pass, &text).unwrap().to_string()
        };
        assert_eq!(parsed, text);
    }
}
