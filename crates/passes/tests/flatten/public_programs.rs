//! Tests with the public programs of the P4 compiler's repository and their packet tests: `P4C=<a checkout>`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use basis::Random;
use passes::flatten::{Options, flatten};

use crate::held::{Held, keeps_its_form};
use crate::load::load_file;

/// Every program that flattens behaves like the original. The test also prints how many programs flatten, and why the
/// others do not.
#[test]
#[ignore = "needs a checkout of the compiler's repository"]
fn flattened_public_programs_behave_the_same() {
    let checkout = PathBuf::from(std::env::var("P4C").expect("P4C names a checkout of the compiler's repository"));
    let folders = ["", "bmv2"].map(|folder| checkout.join("p4include").join(folder).to_string_lossy().into_owned());
    let mut files: Vec<PathBuf> = std::fs::read_dir(checkout.join("testdata/p4_16_samples"))
        .expect("the folder of samples")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "p4") && path.exists())
        .collect();
    files.sort();
    let (mut wrong, mut reasons, mut flat, mut held) = (Vec::new(), BTreeMap::new(), 0, 0);
    for file in files {
        let Ok((program, info)) = load_file(&file, folders.to_vec()) else { continue };
        if !program.entrances.iter().any(|entrance| entrance.name == "ingress") {
            continue;
        }
        let flattened = match flatten(&program, &Options::default()) {
            Ok(flattened) => flattened,
            Err(findings) => {
                for finding in findings {
                    reasons.entry(finding.message).or_insert_with(Vec::new).push((program.name.clone(), finding.notes));
                }
                continue;
            }
        };
        flat += 1;
        if let Err(errors) = keeps_its_form(&flattened) {
            wrong.push(format!("{}: {errors}", file.display()));
            continue;
        }
        let Ok(test) = std::fs::read_to_string(file.with_extension("stf")) else { continue };
        let outcome = Held::of(&program, &info, flattened).test("stf", &test, 20, &mut Random::new(7));
        held += 1;
        if let Err(difference) = outcome {
            wrong.push(format!("{}: {difference}", file.display()));
        }
    }
    println!("{flat} flatten, of which {held} have packets; {reasons:#?}");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
