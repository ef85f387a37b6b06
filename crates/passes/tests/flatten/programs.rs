//! Tests with the programs of this project and their packet tests.

use std::path::{Path, PathBuf};

use basis::Random;
use passes::PASSES;
use passes::flatten::{Options, flatten};

use crate::held::{Held, keeps_its_form, passed};
use crate::load::load_file;
use crate::on_all_cores::on_all_cores;

/// The programs that cannot be flattened, each with the features that prevent it.
const REFUSED: [(&str, &[&str]); 5] = [
    ("ecn_marker", &["multicast groups"]),
    ("ipv6_router", &["truncates packets", "meter `RouterIngress.errors`"]),
    ("learning_switch", &["digest `station_t`", "multicast groups"]),
    ("rate_limiter", &["meter `LimiterIngress.rates`"]),
    ("telemetry", &["multicast groups", "clones packets"]),
];

/// Returns the files of a folder with the given extension, sorted.
pub fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder of the project");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a file of the project").path()).collect();
    files.retain(|file| file.extension().is_some_and(|own| own == ending));
    files.sort();
    files
}

/// Returns the paths of all programs, sorted.
fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/p4");
    let entries = std::fs::read_dir(folder).expect("a folder of the project");
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.expect("a file of the project").path()).collect();
    folders.sort();
    folders.iter().filter(|folder| folder.is_dir()).flat_map(|folder| files(folder, "p4")).collect()
}

#[test]
fn flattened_programs_behave_the_same() {
    let refused = on_all_cores(&programs(), |file| {
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        let (program, info) = load_file(file, vec![]).unwrap_or_else(|errors| panic!("{errors}"));
        // Pipelines have one parser and one deparser; a program whose gresses have their own is not for them.
        if info.architecture().passes_bytes_to_egress() {
            return None;
        }
        let flattened = match flatten(&program, &Options::default()) {
            Ok(flattened) => flattened,
            Err(findings) => {
                let messages: Vec<String> = findings.into_iter().map(|finding| finding.message).collect();
                return Some((name, messages));
            }
        };
        keeps_its_form(&flattened).unwrap_or_else(|errors| panic!("{name}: {errors}"));
        // The forms after further passes must have the same meaning.
        let single_assignment = passed(flattened.clone(), &PASSES[..3]);
        for test in files(file.parent().expect("a folder"), "stf") {
            let text = std::fs::read_to_string(&test).expect("a file of the project");
            for (flattened, alike) in [(&flattened, 10), (&single_assignment, 3)] {
                let mut held = Held::of(&program, &info, flattened.clone());
                let outcome = held.test(&test.to_string_lossy(), &text, alike, &mut Random::new(7));
                outcome.unwrap_or_else(|difference| panic!("{}: {difference}", test.display()));
                assert!(held.transmitted > 5, "{}: packets leave", test.display());
            }
        }
        None
    });
    let refused: Vec<(String, Vec<String>)> = refused.into_iter().flatten().collect();
    let names: Vec<&str> = refused.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, REFUSED.map(|(name, _)| name));
    for ((name, messages), (_, uses)) in refused.iter().zip(REFUSED) {
        assert_eq!(messages.len(), uses.len(), "{name}: {messages:#?}");
        assert!(messages.iter().zip(uses).all(|(message, uses)| message.contains(uses)), "{name}: {messages:#?}");
    }
}
