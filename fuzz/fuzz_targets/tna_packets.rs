//! Programs for the Tofino Native Architecture on the chip: whatever the control plane asks for and whatever packets come,
//! packets are conserved, looking changes nothing, and machine code does the same as the interpreter.

#![no_main]

use std::sync::OnceLock;

use fuzz::{Compiled, TNA_PROGRAMS, compile_all, run_chip_on, steps};
use ir::interpret::PacketInterpreter;
use libfuzzer_sys::fuzz_target;
use machines::tofino::TofinoParameters;
use native::Native;

fn programs() -> &'static [Compiled] {
    static COMPILED: OnceLock<Vec<Compiled>> = OnceLock::new();
    COMPILED.get_or_init(|| compile_all(&TNA_PROGRAMS))
}

fuzz_target!(|data: &[u8]| {
    let (number, steps) = steps(data, programs());
    let (program, info) = &programs()[number];
    thread_local! {
        // Machine code is made once for each program: that takes longer than a thousand packets.
        static CODE: Vec<OnceLock<Native>> = TNA_PROGRAMS.iter().map(|_| OnceLock::new()).collect();
    }
    let parameters =
        |undefined| TofinoParameters { rounds: 3, copies: 40, digests: 4, undefined, ..TofinoParameters::default() };
    let interpreted = |undefined, observed| {
        let executor = PacketInterpreter::new(program.clone());
        run_chip_on(executor, info, &steps, parameters(undefined), observed).expect("the chip runs these programs")
    };
    let first = interpreted(None, false);
    assert_eq!(interpreted(None, true), first, "looking changes it");
    assert_eq!(interpreted(Some(7), false), interpreted(Some(7), true), "the same seed, and something else");
    let code = CODE.with(|code| {
        code[number].get_or_init(|| Native::compile(program.clone()).expect("this computer has machine code")).clone()
    });
    assert_eq!(run_chip_on(code, info, &steps, parameters(None), false), Some(first), "machine code differs");
});
