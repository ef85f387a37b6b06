//! Files of chips, and settings that change a chip while it runs: refused with reasons at places inside the text, or settings
//! whose own text sets the same.

#![no_main]

use control::Error;
use diagnostics::Failure;
use fuzz::parts;
use libfuzzer_sys::fuzz_target;
use machines::tofino::ChipSettings;

fuzz_target!(|data: &[u8]| {
    // No text of TOML has a NUL.
    let (file, change) = parts(data);
    let Some(settings) = chip(&String::from_utf8_lossy(file)) else { return };
    let architectures = [&arch::TNA, &arch::T2NA];
    let problems = |settings: &ChipSettings| {
        let of =
            |own: &arch::Architecture| settings.problems(own.name, &own.in_front.expect("both have metadata in front"));
        architectures.into_iter().flat_map(of).collect::<Vec<String>>()
    };
    match settings.change(&String::from_utf8_lossy(change), problems) {
        Ok(change) => is_written(&change.settings),
        Err(Error::Configuration(findings)) => assert!(!findings.is_empty(), "refused without a reason"),
        Err(other) => panic!("{other}"),
    }
});

/// Reads a file; `None` if it is refused.
fn chip(text: &str) -> Option<ChipSettings> {
    match ChipSettings::parse("chip.toml", text) {
        Ok(settings) => {
            is_written(&settings);
            Some(settings)
        }
        Err(failure) => {
            fuzz::is_refusal(&failure);
            None
        }
    }
}

/// Checks that the text of settings sets the same.
fn is_written(settings: &ChipSettings) {
    let text = settings.to_text();
    let again = match ChipSettings::parse("again.toml", &text) {
        Ok(again) => again,
        Err(Failure::BadInput { sources, diagnostics }) => panic!("{}\n{text}", diagnostics.render(&sources, false)),
        Err(other) => panic!("{}\n{text}", other.render(false)),
    };
    assert_eq!(again, *settings, "{text}");
}
