//! The options of the machine that a packet test asks for.

use std::path::Path;

use control::stf::Step;
use control::{Placed, Word};
use diagnostics::{Diagnostic, Diagnostics, Failure, Span, did_you_mean};

use super::PacketTest;
use crate::kinds::{Fitted, Given, MachineKind, MachineOption, Settings, option};
use crate::program::LoadedProgram;

/// A value that a test gives for an option, checked.
#[derive(Debug)]
pub(super) struct TestOption {
    option: &'static MachineOption,
    text: String,
    span: Span,
}

impl PacketTest {
    /// Fits the program to a machine with the options of the test. Options that `settings` has, too, are those of
    /// `settings`.
    ///
    /// # Errors
    /// If the machine lacks an option of the test, reported at its line, or cannot hold the program.
    pub fn fit(
        &self,
        kind: &'static dyn MachineKind,
        program: &LoadedProgram,
        settings: &Settings,
    ) -> Result<Box<dyn Fitted>, Failure> {
        let mut refused = Diagnostics::new();
        for TestOption { option, text, span } in &self.options {
            match kind.options().iter().find(|own| own.name == option.name) {
                None => {
                    let (message, hint) = option::foreign(option.name, option.name, &[kind.name()]);
                    refused.push(Diagnostic::error(*span, message).hint(hint));
                }
                Some(own) => {
                    if let Err(wrong) = own.check(text) {
                        let message = format!("`{text}`: {wrong}");
                        refused.push(Diagnostic::error(*span, message).hint(format!("the machine is {}", kind.name())));
                    }
                }
            }
        }
        if refused.has_errors() {
            return Err(Failure::BadInput { sources: self.sources.clone(), diagnostics: refused });
        }
        let mut given = self.options();
        for (name, text) in settings.given.iter() {
            given.push_for_any(name, text)?;
        }
        kind.fit(program, &Settings { given, ..settings.clone() })
    }

    /// Returns the options of the machine that the test asks for.
    pub fn options(&self) -> Given {
        self.options.iter().map(|given| (given.option, given.text.clone())).collect()
    }
}

/// Checks the options of a test, which lies in `folder`.
pub(super) fn options(steps: &[Placed<Step>], folder: &Path) -> Result<Vec<TestOption>, Diagnostics> {
    let mut findings = Diagnostics::new();
    let mut options: Vec<TestOption> = Vec::new();
    let mut is_first = true;
    for Placed { span, item } in steps {
        let Step::Option { name, value } = item else {
            is_first = false;
            continue;
        };
        if !is_first {
            let error = Diagnostic::error(*span, "the machine is built before the first line that is carried out");
            findings.push(error.hint("write the options before all other lines"));
        }
        match checked(name, value, folder) {
            Ok((option, _)) if options.iter().any(|other| other.option.name == option.name) => {
                findings.push(Diagnostic::error(*span, format!("the option `{}` is given twice", option.name)));
            }
            Ok((option, text)) => options.push(TestOption { option, text, span: *span }),
            Err(error) => findings.push(error),
        }
    }
    findings.into_result(options)
}

fn checked(name: &Word, value: &Word, folder: &Path) -> Result<(&'static MachineOption, String), Diagnostic> {
    if option::named(&name.text).is_none() {
        let error = Diagnostic::error(name.span, format!("no machine has the option `{}`", name.text));
        let hint = did_you_mean(&name.text, option::options().into_iter().map(|option| option.name));
        return Err(error.hint(hint.unwrap_or_else(|| "`polyplane machines` lists them".to_owned())));
    }
    let read = option::from_text(&name.text, &value.text, folder);
    read.map_err(|wrong| Diagnostic::error(value.span, format!("`{}`: {wrong}", value.text)))
}
