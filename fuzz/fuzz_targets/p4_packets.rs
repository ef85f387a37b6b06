//! P4 programs on the v1model switch: whatever the control plane asks for and whatever packets come, packets are
//! conserved, looking changes nothing, and the same seed gives the same.

#![no_main]

use std::sync::OnceLock;

use fuzz::{Compiled, PROGRAMS, compile_all, run_switch, steps};
use libfuzzer_sys::fuzz_target;
use machines::v1model::V1modelParameters;

fn programs() -> &'static [Compiled] {
    static COMPILED: OnceLock<Vec<Compiled>> = OnceLock::new();
    COMPILED.get_or_init(|| compile_all(&PROGRAMS))
}

fuzz_target!(|data: &[u8]| {
    let (number, steps) = steps(data, programs());
    let (program, info) = &programs()[number];
    let usual = V1modelParameters { rounds: 3, copies: 40, digests: 4, ..V1modelParameters::default() };
    for undefined in [None, Some(7)] {
        let run =
            |observed| run_switch(program, info, &steps, V1modelParameters { undefined, ..usual.clone() }, observed);
        let first = run(false).expect("v1model runs these programs");
        assert_eq!(run(false).as_ref(), Some(&first), "the same seed, and something else");
        assert_eq!(run(true).as_ref(), Some(&first), "looking changes it");
    }
});
