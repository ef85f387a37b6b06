//! P4 programs for pipelines: a program is refused with findings, or flattened into programs of their promised forms,
//! which every pass towards stages accepts or refuses with a report.

#![no_main]

use libfuzzer_sys::fuzz_target;
use passes::flatten::{Flattened, Options, flatten};
use passes::{ANY_ATOM, Failure, Layout, Target};

fuzz_target!(|data: &[u8]| {
    let (text, _) = fuzz::parts(data);
    let Ok((program, _)) = fuzz::compile(&String::from_utf8_lossy(text)) else { return };
    if !fuzz::is_small(&program) {
        return;
    }
    let Flattened { edges, flat, .. } = match flatten(&program, &Options::default()) {
        Ok(flattened) => flattened,
        Err(findings) => {
            assert!(!findings.is_empty(), "refused without a reason\n{program}");
            return;
        }
    };
    ir::verify::program(&edges).unwrap_or_else(|errors| panic!("{errors:#?}\n{edges}"));
    let again = ir::parse::program("flat", &flat.to_string()).unwrap_or_else(|errors| panic!("{errors}\n{flat}"));
    assert!(again == *flat, "it reads back as\n{again}\nand was\n{flat}");
    // Proofs of atoms take seconds, and the property tests check them.
    let target = Target { atom: ANY_ATOM.to_owned(), ..Target::match_action() };
    for layout in [Layout::Single, Layout::Steered { flow_order: Vec::new() }] {
        match passes::compile(&flat, &target, layout, &mut ()) {
            Ok(compiled) => {
                let text = compiled.pipeline.to_string();
                assert_eq!(ir::parse::pipeline("fuzz", &text).unwrap().to_string(), text);
            }
            Err(Failure::Resources(refused)) => {
                assert!(!refused.report.findings.is_empty(), "without a reason\n{flat}")
            }
            Err(other) => panic!("{other}\n{flat}"),
        }
    }
});
