//! Programs that are nearly those for the Tofino Native Architecture in this project: each is refused with a reason, or becomes a
//! valid program that reads back, and that machine code and interpreter run alike on the chip.

#![no_main]

use fuzz::{Cursor, TNA_PROGRAMS, compile, mutated, run_chip_on, steps_for};
use ir::interpret::PacketInterpreter;
use libfuzzer_sys::fuzz_target;
use machines::tofino::TofinoParameters;
use native::Native;

fuzz_target!(|data: &[u8]| {
    let mut draw = Cursor::new(data);
    let text = mutated(TNA_PROGRAMS[draw.below(TNA_PROGRAMS.len())], &mut draw);
    let (program, info) = match compile(&text) {
        Ok(compiled) => compiled,
        Err(errors) => return assert!(errors.contains("error"), "refused without a reason"),
    };
    ir::verify::program(&program).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let printed = program.to_string();
    let again = ir::parse::program(&program.name, &printed).unwrap_or_else(|errors| panic!("{errors}\n{printed}"));
    assert!(again == *program, "it reads back as\n{again}\nand was\n{printed}");
    let steps = steps_for(&info, &mut draw);
    let parameters = || TofinoParameters { rounds: 3, copies: 40, digests: 4, ..TofinoParameters::default() };
    let interpreted = run_chip_on(PacketInterpreter::new(program.clone()), &info, &steps, parameters(), false);
    let code = Native::compile(program).unwrap_or_else(|reason| panic!("there is no machine code: {reason}\n{text}"));
    assert_eq!(run_chip_on(code, &info, &steps, parameters(), false), interpreted, "machine code differs\n{text}");
});
