//! `polyplane stf`: runs packet tests.

use std::rc::Rc;

use polyplane::Failure;
use polyplane::rooms::workbench::kinds::Fitted;
use polyplane::rooms::workbench::packet_test::{PacketTest, TestOutcome};

use crate::packet_arguments::StfArguments;
use crate::{loading, output};

pub fn run(arguments: &StfArguments) -> Result<u8, Failure> {
    let program = loading::load(&arguments.program)?;
    let (machine, settings) = arguments.on.chosen(&program)?;
    // Read all tests first, so that an error in one is reported before any is run.
    let tests: Vec<PacketTest> =
        arguments.tests.iter().map(|path| PacketTest::read(path, &program)).collect::<Result<_, _>>()?;
    let entries = loading::entries(&arguments.tables, &program)?;
    // Tests without options of their own share a machine.
    let mut usual: Option<Rc<dyn Fitted>> = None;
    let mut fitted: Vec<Rc<dyn Fitted>> = Vec::new();
    for test in &tests {
        let has_options = test.options().iter().next().is_some();
        fitted.push(match usual.clone().filter(|_| !has_options) {
            Some(usual) => usual,
            None => test.fit(machine, &program, &settings)?.into(),
        });
        usual = usual.or_else(|| fitted.last().filter(|_| !has_options).cloned());
    }
    let mut outcomes: Vec<TestOutcome> = Vec::new();
    for (test, fitted) in tests.into_iter().zip(fitted) {
        output::tell(&test.warnings());
        outcomes.push(test.run(entries.clone(), &*fitted, arguments.seed)?);
    }
    let passed = outcomes.iter().all(|outcome| outcome.passed);
    if arguments.json {
        output::print_json(&outcomes)?;
    } else {
        output::print(&outcomes.iter().map(ToString::to_string).collect::<String>())?;
    }
    Ok(u8::from(!passed))
}
