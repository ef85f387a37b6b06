//! Configurations of virtual switches: refused with reasons at places inside the text, or read so that their own text, with every
//! default in it, is the same configuration, whose tables can be compiled.

#![no_main]

use diagnostics::Failure;
use files::PlanText;
use libfuzzer_sys::fuzz_target;
use vswitch::configuration::{Reading, read};
use vswitch::policy::Policy;

fn reading(text: &str) -> Result<Reading, Failure> {
    read(&PlanText { name: "fuzz".into(), path: "fuzz.toml".into(), text: text.into(), folder: Default::default() })
}

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let first = match reading(&text) {
        Ok(first) => first,
        Err(failure) => return fuzz::is_refusal(&failure),
    };
    let again = match reading(&first.text) {
        Ok(again) => again,
        Err(other) => panic!("its own text is refused: {}\n{}", other.render(false), first.text),
    };
    assert_eq!(again.text, first.text);
    assert_eq!(again.configuration, first.configuration);
    Policy::of(first.configuration, 0);
});
