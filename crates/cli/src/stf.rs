//! `polyplane stf`: packet tests.

use experiments::Failure;
use experiments::packet_programs::packet_test::{PacketTest, TestOutcome};

use crate::packet_arguments::StfArguments;
use crate::{output, packet_program};

pub fn run(arguments: &StfArguments) -> Result<u8, Failure> {
    let program = packet_program::load(&arguments.program, &arguments.preprocessor)?;
    // A test that cannot be read is told before any is run.
    let tests: Vec<PacketTest> =
        arguments.tests.iter().map(|path| PacketTest::read(path, &program)).collect::<Result<_, _>>()?;
    let entries = packet_program::entries(&arguments.tables, &program)?;
    let options = arguments.switch.options(arguments.seed);
    let mut outcomes: Vec<TestOutcome> = Vec::new();
    for test in tests {
        output::tell(&test.warnings());
        outcomes.push(test.run_after(entries.clone(), &program, &options)?);
    }
    let passed = outcomes.iter().all(|outcome| outcome.passed);
    if arguments.json {
        output::print_json(&outcomes)?;
    } else {
        output::print(&outcomes.iter().map(ToString::to_string).collect::<String>())?;
    }
    Ok(u8::from(!passed))
}
