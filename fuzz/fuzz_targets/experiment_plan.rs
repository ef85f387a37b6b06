//! Plans of published experiments: refused with reasons at places inside the text, or read, and read to the same again.

#![no_main]

use experiments::reproduce::Suite;
use libfuzzer_sys::fuzz_target;
use papers::mp5::suite;

thread_local! {
    static SUITE: Suite = suite::suite(None).unwrap_or_else(|failure| panic!("{}", failure.render(false))).0;
}

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    SUITE.with(|suite| {
        for is_quick in [false, true] {
            match suite.read("fuzz", "fuzz.toml", &text, is_quick) {
                Ok(experiment) => {
                    let again = suite.read("fuzz", "fuzz.toml", &text, is_quick).ok();
                    assert_eq!(again.map(|again| format!("{again:?}")), Some(format!("{experiment:?}")));
                }
                Err(failure) => fuzz::is_refusal(&failure),
            }
        }
    });
});
