//! Domino: whatever comes in is refused with a reason, or becomes a valid program that prints, parses back, and runs.

#![no_main]

use diagnostics::Sources;
use libfuzzer_sys::fuzz_target;

/// Headers that include each other, end in the middle of something, or are not there.
fn include(path: &str) -> Result<String, String> {
    match path {
        "a.h" => Ok("#include \"b.h\"\n#define A(x) x x\n".to_owned()),
        "b.h" => Ok("#include \"a.h\"\nint b;\n".to_owned()),
        "c.h" => Ok("'".to_owned()),
        _ => Err("no such file".to_owned()),
    }
}

fuzz_target!(|data: &[u8]| {
    let (text, packets) = fuzz::parts(data);
    let mut sources = Sources::new();
    match domino::compile(&mut sources, "fuzz.c", &String::from_utf8_lossy(text), &include) {
        Err(errors) => {
            assert!(errors.has_errors(), "refused without a reason");
            errors.render(&sources, true);
        }
        Ok(domino::Compiled { program, warnings }) => {
            warnings.render(&sources, false);
            ir::verify::program(&program).unwrap_or_else(|errors| panic!("{errors:?}\n{program}"));
            let printed = program.to_string();
            assert_eq!(ir::parse::program("printed", &printed).unwrap(), program, "{printed}");
            if fuzz::is_small(&program) {
                let mut packets = fuzz::packets(&program, &packets[..packets.len().min(256)]);
                packets.push(program.fields().map(|_| 0).collect());
                packets.push(program.fields().map(|(_, field)| field.ty.value_of(-1)).collect());
                fuzz::run(&program, &packets);
            }
        }
    }
});
