//! P4_16: whatever comes in is refused with a reason, or becomes a valid program that prints and parses back, twice: as
//! P4 and as IR.

#![no_main]

use std::collections::BTreeMap;

use diagnostics::{Diagnostics, Sources};
use libfuzzer_sys::fuzz_target;

/// Headers that include each other, end in the middle of something, or are not there.
const FILES: [(&str, &str); 3] =
    [("a.p4", "#include \"b.p4\"\n#define A(x) x x\n"), ("b.p4", "#include \"a.p4\"\nheader b { }\n"), ("c.p4", "/*")];

/// Reads a text; `None` if it is refused, which must be for a reason that a person can read.
fn parse(sources: &mut Sources, name: &str, text: &str) -> Option<p4::ast::Program> {
    let main = sources.add(name, text);
    let files: BTreeMap<String, String> = FILES.map(|(path, text)| (path.to_owned(), text.to_owned())).into();
    let read = p4::preprocess(sources, main, &files, &p4::Options::default());
    let (program, mut found) = p4::parse(&read.tokens);
    found.extend(read.diagnostics);
    accepted(sources, &found).then_some(program)
}

fn accepted(sources: &Sources, found: &Diagnostics) -> bool {
    found.render(sources, true);
    !found.has_errors()
}

fuzz_target!(|data: &[u8]| {
    let (text, _) = fuzz::parts(data);
    let mut sources = Sources::new();
    let Some(program) = parse(&mut sources, "fuzz.p4", &String::from_utf8_lossy(text)) else { return };
    let printed = p4::print(&program);
    let again =
        parse(&mut sources, "printed.p4", &printed).unwrap_or_else(|| panic!("it does not read back\n{printed}"));
    assert_eq!(p4::print(&again), printed);
    let (checked, found) = p4::check(&program);
    if !accepted(&sources, &found) {
        return;
    }
    match p4::lower(&program, checked) {
        Err(found) => assert!(!accepted(&sources, &found), "refused without a reason"),
        Ok(lowered) => {
            accepted(&sources, &lowered.warnings);
            let program = lowered.program;
            ir::verify::program(&program).unwrap_or_else(|errors| panic!("{errors:?}\n{program}"));
            let printed = program.to_string();
            let again =
                ir::parse::program(&program.name, &printed).unwrap_or_else(|errors| panic!("{errors}\n{printed}"));
            assert!(again == program, "it reads back as\n{again}\nand was\n{printed}");
        }
    }
});
