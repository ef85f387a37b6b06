//! P4 programs as machine code: whatever the control plane asks for and whatever packets come, the same leaves as from
//! the interpreter, and the same state is left.

#![no_main]

use std::sync::OnceLock;

use fuzz::{Compiled, PROGRAMS, compile_all, run_switch_on, steps};
use ir::interpret::PacketInterpreter;
use libfuzzer_sys::fuzz_target;
use machines::v1model::V1modelParameters;
use native::Native;

fn programs() -> &'static [Compiled] {
    static COMPILED: OnceLock<Vec<Compiled>> = OnceLock::new();
    COMPILED.get_or_init(|| compile_all(&PROGRAMS))
}

fuzz_target!(|data: &[u8]| {
    let (number, steps) = steps(data, programs());
    let (program, info) = &programs()[number];
    thread_local! {
        // Machine code is made once for each program: that takes longer than a thousand packets.
        static CODE: Vec<OnceLock<Native>> = PROGRAMS.iter().map(|_| OnceLock::new()).collect();
    }
    let parameters = || V1modelParameters { rounds: 3, copies: 40, digests: 4, ..V1modelParameters::default() };
    let interpreted = run_switch_on(PacketInterpreter::new(program.clone()), info, &steps, parameters(), false);
    let compiled = CODE.with(|code| {
        code[number].get_or_init(|| Native::compile(program.clone()).expect("this computer has machine code")).clone()
    });
    assert_eq!(run_switch_on(compiled, info, &steps, parameters(), false), interpreted, "machine code differs");
});
