//! Images as bytes: they come back, and damaged ones are refused.

mod common;

use std::path::Path;

use ir::interpret::threads::{Instructions, Output, Start, Thread, run};
use proptest::prelude::*;
use trio::{Image, Parameters, SourceLine};

use common::generate;

/// Returns the image of a program of the repository.
fn image(name: &str) -> Image {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/microcode");
    let path = folder.join(name).join(format!("{name}.mc"));
    let options = microcode::Options::default();
    let compiled = microcode::compile_file(&mut diagnostics::Sources::new(), &path, &options).expect("it compiles");
    let line = |line: usize| Some(SourceLine { file: format!("{name}.mc"), line: line as u32 + 1 });
    let lines = (0..compiled.places.len()).map(line).collect();
    Image::new(&compiled.program, &Parameters::default(), lines).expect("it fits")
}

const NAMES: [&str; 8] =
    ["ddos_filter", "filter", "keepalive", "load_balancer", "mix", "router", "tail_inspection", "telemetry"];

#[test]
fn images_come_back_with_labels_and_lines() {
    for name in NAMES {
        let image = image(name);
        let again = Image::from_bytes(&image.to_bytes());
        assert_eq!(again.as_ref(), Ok(&image), "{name}");
        assert_eq!(again.expect("it comes back").line(1.into()).map(|line| line.line), Some(2), "{name}");
        // What the image says as a program of the IR is mapped to words that say the same.
        let program = image.program();
        let mapped = Image::new(program, &Parameters::default(), Vec::new()).expect("it fits again");
        assert_eq!(mapped.program(), program, "{name}");
    }
}

#[test]
fn an_image_of_which_any_byte_is_damaged_is_refused() {
    let bytes = image("filter").to_bytes();
    for place in 0..bytes.len() {
        for change in [1, 0x80, 0xff] {
            let mut damaged = bytes.clone();
            damaged[place] ^= change;
            assert!(Image::from_bytes(&damaged).is_err(), "byte {place} ^ {change:#x}");
        }
    }
    for length in (0..bytes.len()).step_by(7) {
        assert!(Image::from_bytes(&bytes[..length]).is_err(), "{length} bytes");
    }
    assert!(Image::from_bytes(&[&bytes[..], &[0]].concat()).is_err());
}

/// Returns the same content with a checksum that is right.
fn sealed(bytes: &[u8]) -> Vec<u8> {
    let begin = bytes.iter().position(|byte| *byte == b'\n').expect("a heading") + 9;
    files::sealed::seal("Polyplane image of Trio", 1, &bytes[begin..bytes.len() - 8])
}

#[test]
fn a_program_that_needs_no_other_than_its_words_runs_from_them() {
    let bytes = image("filter").to_bytes();
    assert_eq!(sealed(&bytes), bytes);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// An image that somebody made by hand, with a checksum, is refused or runs.
    #[test]
    fn whatever_is_read_can_be_run(
        choices in prop::collection::vec(any::<u8>(), 0..400),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
        packet in prop::collection::vec(any::<u8>(), 0..80),
    ) {
        let (_, image) = generate::fitting(&choices);
        let mut bytes = image.to_bytes();
        let begin = bytes.iter().position(|byte| *byte == b'\n').expect("a heading") + 9;
        let end = bytes.len() - 8;
        for (place, value) in damage {
            bytes[begin + place.index(end - begin)] ^= value;
        }
        let Ok(image) = Image::from_bytes(&sealed(&bytes)) else { return Ok(()) };
        prop_assert_eq!(image.to_bytes(), sealed(&bytes));
        let mut code = image.code();
        code.declarations_mut().limit = 1000;
        let mut state = image.program().initial_state();
        let mut outputs: Vec<Output> = Vec::new();
        let start = Start::packet(1, &packet, basis::Instant::ZERO);
        if let Some(mut thread) = Thread::new(&code, &start) {
            run(&code, &mut state, &mut thread, start.time, &mut outputs);
        }
    }
}
