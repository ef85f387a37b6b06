//! The IR's text: what is read is valid, prints and parses back to itself, draws, and runs; threads run in any order.

#![no_main]

use ir::form::Form;
use ir::interpret::PipelineInterpreter;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let (text, packets) = fuzz::parts(data);
    let text = String::from_utf8_lossy(text);
    let packets = &packets[..packets.len().min(256)];
    match ir::parse::program("fuzz.ir", &text) {
        Err(failure) => assert!(failure.diagnostics.has_errors() && !failure.to_string().is_empty()),
        Ok(program) => {
            ir::verify::program(&program).unwrap_or_else(|errors| panic!("{errors:?}\n{program}"));
            let printed = program.to_string();
            assert_eq!(ir::parse::program("printed", &printed).unwrap(), program, "{printed}");
            // The plain interpreter runs flat programs.
            if fuzz::is_small(&program) && Form::Flat.verify(&program).is_ok() {
                fuzz::run(&program, &fuzz::packets(&program, packets));
            }
            fuzz::run_threads(&program, packets);
        }
    }
    match ir::parse::pipeline("fuzz.ir", &text) {
        Err(failure) => assert!(failure.diagnostics.has_errors() && !failure.to_string().is_empty()),
        Ok(pipeline) => {
            let printed = pipeline.to_string();
            assert_eq!(ir::parse::pipeline("printed", &printed).unwrap(), pipeline, "{printed}");
            ir::dot::pipeline(&pipeline);
            if pipeline.verify().is_ok() && fuzz::is_small(&pipeline.program) {
                let mut interpreter = PipelineInterpreter::new(&pipeline);
                // A text may promise what its stages do not keep, which is then said.
                fuzz::run_each(&pipeline.program, &fuzz::packets(&pipeline.program, packets), |values| {
                    let _ = interpreter.packet_checked(values);
                });
            }
        }
    }
});
