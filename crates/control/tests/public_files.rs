//! Reads the files of a p4c checkout, which is not part of this project: `P4C=checkout cargo test -p polyplane-control --test
//! public_files -- --ignored`.

mod common;
#[path = "common/p4info_reader.rs"]
mod p4info_reader;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use common::{Bench, table};
use control::*;
use diagnostics::{Diagnostics, Sources};

fn files(folders: &[&str], ending: &str) -> Vec<PathBuf> {
    let root = PathBuf::from(env::var_os("P4C").expect("P4C names a checkout of p4c"));
    let mut files = Vec::new();
    for folder in folders {
        let entries = fs::read_dir(root.join("testdata").join(folder)).unwrap();
        files.extend(entries.map(|entry| entry.unwrap().path()));
    }
    files.retain(|path| path.to_string_lossy().ends_with(ending));
    files.sort();
    files
}

#[test]
#[ignore = "needs a checkout of p4c"]
fn reads_every_packet_test_of_p4c() {
    let files = files(&["p4_16_samples", "p4_14_samples"], ".stf");
    assert!(files.len() > 250, "{} files", files.len());
    let mut wrong = Vec::new();
    for path in files {
        let mut sources = Sources::new();
        let source = sources.add(path.to_string_lossy(), fs::read_to_string(&path).unwrap());
        if let Err(errors) = stf::read(&sources, source) {
            wrong.push(errors.render(&sources, false));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[ignore = "needs a checkout of p4c"]
fn packet_tests_of_p4c_fit_their_programs() {
    let (mut right, mut wrong) = (0, Vec::new());
    for path in files(&["p4_16_samples"], ".stf") {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let beside = path.with_file_name(format!("../p4_16_samples_outputs/{name}.p4.p4info.txtpb"));
        // The tests of other architectures name tables as in C programs.
        let Some(text) = fs::read_to_string(beside).ok().filter(|text| text.contains("arch: \"v1model\"")) else {
            continue;
        };
        let info = p4info_reader::read(&text);
        let mut sources = Sources::new();
        let source = sources.add(path.to_string_lossy(), fs::read_to_string(&path).unwrap());
        match stf::prepare(&info, &sources, source) {
            Ok(prepared) => {
                right += 1;
                print!("{}", prepared.warnings.render(&sources, false));
                wrong.extend(refusals(info, &sources, prepared));
            }
            Err(errors) => wrong.push(errors.render(&sources, false)),
        }
    }
    println!("{right} right, {} wrong", wrong.len());
    assert!(right > 100 && wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns the requests of a packet test that the control plane refuses.
fn refusals(info: Info, sources: &Sources, prepared: Prepared<stf::Step>) -> Vec<String> {
    let mut bench = Bench::of(info);
    let mut refused = Vec::new();
    for Placed { span, item } in prepared.steps {
        if let stf::Step::Request(request) | stf::Step::Check { request, .. } = item {
            let said = bench.execute(request).map_err(|error| Diagnostics::from(error.diagnostic(span)));
            refused.extend(said.err().map(|errors| errors.render(sources, false)));
        }
    }
    refused
}

/// Returns the names, ids and aliases in a P4Info text file.
fn preambles(path: &Path) -> Vec<(u32, String, String)> {
    let text = fs::read_to_string(path).unwrap();
    let mut found = Vec::new();
    let mut lines = text.lines().map(str::trim);
    while let Some(line) = lines.next() {
        if line == "preamble {" {
            let fields: BTreeMap<&str, &str> =
                lines.by_ref().take_while(|line| *line != "}").filter_map(|line| line.split_once(": ")).collect();
            let text = |name: &str| fields.get(name).map(|text| text.trim_matches('"').to_owned()).unwrap_or_default();
            found.push((fields["id"].parse().unwrap(), text("name"), text("alias")));
        }
    }
    found
}

#[test]
#[ignore = "needs a checkout of p4c"]
fn ids_and_aliases_match_those_of_p4c() {
    let files = files(&["p4_16_samples_outputs"], ".p4info.txtpb");
    assert!(files.len() > 500, "{} files", files.len());
    let (mut equal, mut wrong) = (0, Vec::new());
    for path in files {
        let all = preambles(&path);
        let named = |prefix: Prefix| all.iter().filter(move |row| row.0 >> 24 == prefix as u32);
        let mut info = Info {
            tables: named(Prefix::Table)
                .map(|row| table(&row.1, vec![], vec![ActionReference::new(ActionNumber(0))]))
                .collect(),
            actions: named(Prefix::Action)
                .map(|row| Action { identity: Identity::new(&*row.1), parameters: vec![] })
                .collect(),
            ..Info::default()
        };
        // Aliases are unique across all kinds of entities; entities without a place above are put where any name is
        // allowed.
        let others = all.iter().filter(|row| ![1, 2].contains(&(row.0 >> 24)));
        info.digests
            .extend(others.map(|row| Digest { identity: Identity::new(&*row.1), data_type: DataType::Boolean }));
        let Ok(()) = info.identify() else { continue };
        let tables = info.tables.iter().map(|it| &it.identity).zip(named(Prefix::Table));
        let actions = info.actions.iter().map(|it| &it.identity).zip(named(Prefix::Action));
        for (ours, theirs) in tables.chain(actions) {
            if (ours.id, &ours.alias) == (theirs.0, &theirs.2) {
                equal += 1;
            } else {
                wrong.push(format!("{}: {theirs:?} is {ours:?}", path.display()));
            }
        }
    }
    println!("{equal} equal, {} not", wrong.len());
    // Programs with `@id` annotations have different ids, which the files do not distinguish from derived ones.
    assert!(equal > 1500 && wrong.len() < 40, "{}", wrong.join("\n"));
}
