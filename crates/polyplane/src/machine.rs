//! Machines by name, with their options.

use std::fmt;

use diagnostics::{Diagnostic, Failure};
use workbench::kinds::{self, Given, MachineKind, MachineOption, Settings};

/// A kind of machine, and what is set of its options.
#[derive(Clone)]
pub struct Machine {
    kind: &'static dyn MachineKind,
    given: Given,
}

impl Machine {
    /// Returns the machine of a name, such as `v1model` or `mp5`, with default options.
    ///
    /// # Errors
    /// There is no machine of this name; the diagnostic says which there are.
    pub fn named(name: &str) -> Result<Self, Failure> {
        kinds::named(name).map(Self::of)
    }

    /// Returns a machine from outside Polyplane: a type of one's own that implements [`MachineKind`].
    pub fn of(kind: &'static dyn MachineKind) -> Self {
        Self { kind, given: Given::default() }
    }

    /// Returns every machine that Polyplane has, with default options.
    pub fn all() -> impl Iterator<Item = Self> {
        kinds::ALL.into_iter().map(Self::of)
    }

    /// Sets an option, such as `pipelines` to 8.
    ///
    /// # Errors
    /// The machine has no such option, or the option does not take this value.
    pub fn with(mut self, option: &str, value: impl fmt::Display) -> Result<Self, Failure> {
        let Some(known) = self.options().iter().find(|own| own.name == option).copied() else {
            let names: Vec<&str> = self.options().iter().map(|own| own.name).collect();
            let hint = diagnostics::there_are(option, names);
            return Err(Diagnostic::without_place(format!("{self} has no option `{option}`")).hint(hint).into());
        };
        self.given.push(known, value.to_string())?;
        Ok(self)
    }

    /// Returns the name of the machine.
    pub fn name(&self) -> &'static str {
        self.kind.name()
    }

    /// Returns what the machine is, in a sentence.
    pub fn about(&self) -> &'static str {
        self.kind.about()
    }

    /// Returns the options of the machine, with their units and defaults.
    pub fn options(&self) -> &[&'static MachineOption] {
        self.kind.options()
    }

    /// Returns the kind behind the name.
    pub fn kind(&self) -> &'static dyn MachineKind {
        self.kind
    }

    /// Returns how the machine is built.
    pub fn settings(&self) -> Settings {
        Settings { given: self.given.clone(), packets: None }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with {:?}", self.name(), self.given)
    }
}
