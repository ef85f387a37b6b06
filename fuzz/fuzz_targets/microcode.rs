//! Microcode: whatever comes in is refused with a reason, or becomes a valid program of threads that prints, parses back,
//! and runs.

#![no_main]

use std::sync::Arc;

use basis::Instant;
use diagnostics::Sources;
use ir::interpret::threads::{Start, Thread, ThreadCode, run};
use libfuzzer_sys::fuzz_target;

/// Files that include each other, end in the middle of something, or are not there.
fn include(path: &str) -> Result<String, String> {
    match path {
        "a.h" => Ok("#include \"b.h\"\n#define A(x) x x\n".to_owned()),
        "b.h" => Ok("#include \"a.h\"\nregister : 8 b;\n".to_owned()),
        "c.h" => Ok("begin".to_owned()),
        _ => Err("no such file".to_owned()),
    }
}

fuzz_target!(|data: &[u8]| {
    let (text, packet) = fuzz::parts(data);
    let mut sources = Sources::new();
    match microcode::compile(&mut sources, "fuzz.mc", &String::from_utf8_lossy(text), &include) {
        Err(errors) => {
            assert!(errors.has_errors(), "refused without a reason");
            errors.render(&sources, true);
        }
        Ok(microcode::Compiled { program, warnings, .. }) => {
            warnings.render(&sources, false);
            ir::verify::program(&program).unwrap_or_else(|errors| panic!("{errors:?}\n{program}"));
            let printed = program.to_string();
            assert_eq!(ir::parse::program("printed", &printed).unwrap(), program, "{printed}");
            let mut state = program.initial_state();
            let mut code = ThreadCode::new(Arc::new(program));
            code.limit = 10_000;
            if let Some(mut thread) = Thread::new(&code, &Start::packet(3, packet, Instant::ZERO)) {
                run(&code, &mut state, &mut thread, Instant::ZERO, &mut Vec::new());
            }
        }
    }
});
