//! Microcode: whatever comes in is refused with a reason, or becomes a valid program of threads that prints, parses back and
//! runs; and each of its instructions fits in a word, or is refused with a reason.

#![no_main]

use diagnostics::{Diagnostics, Sources};
use libfuzzer_sys::fuzz_target;
use trio::{Image, Listing, Parameters};

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
    let (text, bytes) = fuzz::parts(data);
    let mut sources = Sources::new();
    match microcode::compile(&mut sources, "fuzz.mc", &String::from_utf8_lossy(text), &include) {
        Err(errors) => {
            assert!(errors.has_errors(), "refused without a reason");
            errors.render(&sources, true);
        }
        Ok(microcode::Compiled { program, warnings, places }) => {
            warnings.render(&sources, false);
            ir::verify::program(&program).unwrap_or_else(|errors| panic!("{errors:?}\n{program}"));
            let printed = program.to_string();
            assert_eq!(ir::parse::program("printed", &printed).unwrap(), program, "{printed}");
            fuzz::run_threads(&program, bytes);
            match Image::new(&program, &Parameters::default(), Vec::new()) {
                Ok(image) => {
                    assert_eq!(Listing::new(&image).lines.len(), places.len());
                    fuzz::run_image(&image, bytes);
                }
                Err(misfits) => {
                    let mut found = Diagnostics::new();
                    found.extend(misfits.iter().map(|misfit| misfit.diagnostic(&places)));
                    assert!(found.has_errors(), "refused without a reason");
                    found.render(&sources, false);
                }
            }
        }
    }
});
