//! The options of machines, which each kind declares, and the values that a user gave for them.

use std::ops::RangeInclusive;
use std::path::Path;

use diagnostics::{Diagnostic, Diagnostics, Sources};
use serde::Serialize;

use super::{ALL, MachineKind};
use diagnostics::Failure;
use files::PlanText;

/// An option of a machine.
#[derive(Debug, Serialize)]
pub struct MachineOption {
    /// The name: `fifo-depth` is `--fifo-depth` on the command line and `fifo-depth = 8` in a plan.
    pub name: &'static str,
    /// The placeholder for the value in help texts, such as `CYCLES`; empty if the option takes no value.
    pub value: &'static str,
    /// The default value; empty if there is none, or if `help` explains it.
    pub default: &'static str,
    /// The help text, which gives the unit.
    pub help: &'static str,
    /// The values that the option accepts.
    #[serde(skip)]
    pub accepts: Accepts,
    /// The heading under which help lists the option.
    #[serde(skip)]
    pub heading: &'static str,
    /// Whether help omits the option.
    #[serde(skip)]
    pub is_hidden: bool,
}

/// The values that an option accepts.
#[derive(Clone, Debug)]
pub enum Accepts {
    /// No value: the option is either given or not.
    Nothing,
    /// A whole number within a range.
    Number(RangeInclusive<u64>),
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// Any of these words, separated by commas.
    SomeOf(&'static [&'static str]),
    /// Any text that the function accepts; for other texts it returns an error message.
    Text(fn(&str) -> Result<(), String>),
    /// The name of a file, which must exist, or one of these words. In a plan a file is relative to the folder of the plan.
    File(&'static [&'static str]),
}

impl MachineOption {
    /// Checks that the option accepts a value.
    ///
    /// # Errors
    /// If it does not. The message can follow the value and a colon.
    pub fn check(&self, text: &str) -> Result<(), String> {
        match &self.accepts {
            Accepts::Nothing if matches!(text, "" | "true" | "false") => Ok(()),
            Accepts::Nothing => Err("it must be `true` or `false`".to_owned()),
            Accepts::Number(range) => {
                let number: u64 = text.parse().map_err(|error: std::num::ParseIntError| error.to_string())?;
                let is_inside = range.contains(&number);
                is_inside.then_some(()).ok_or_else(|| match *range.end() {
                    u64::MAX => format!("{number} is less than {}", range.start()),
                    end => format!("{number} is not in {}..={end}", range.start()),
                })
            }
            Accepts::OneOf(words) => one_of(text, words),
            Accepts::SomeOf(words) => text.split(',').try_for_each(|word| one_of(word, words)),
            Accepts::Text(check) => check(text),
            Accepts::File(words) if words.contains(&text) => Ok(()),
            Accepts::File(words) => match (Path::new(text).is_file(), words) {
                (true, _) => Ok(()),
                (false, []) => Err("there is no such file".to_owned()),
                (false, words) => Err(format!("there is no such file, and it is not one of: {}", words.join(", "))),
            },
        }
    }

    /// Returns a value as the option takes it that a plan in `folder` contains: a file is relative to that folder.
    pub fn from_plan(&self, text: &str, folder: &Path) -> String {
        match self.accepts {
            Accepts::File(words) if !words.contains(&text) => folder.join(text).display().to_string(),
            _ => text.to_owned(),
        }
    }

    /// Returns the names of the machines that have the option.
    pub fn machines(&self) -> Vec<&'static str> {
        let has = |kind: &&&dyn MachineKind| kind.options().iter().any(|own| own.name == self.name);
        ALL.iter().filter(has).map(|kind| kind.name()).collect()
    }
}

fn one_of(word: &str, words: &[&str]) -> Result<(), String> {
    let is_known = words.contains(&word);
    is_known.then_some(()).ok_or_else(|| format!("`{word}` is not one of: {}", words.join(", ")))
}

/// The values that a user gave for options of machines, in the order in which they were given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given(Vec<(&'static str, String)>);

impl FromIterator<(&'static MachineOption, String)> for Given {
    /// Collects values that have been checked.
    fn from_iter<T: IntoIterator<Item = (&'static MachineOption, String)>>(values: T) -> Self {
        Self(values.into_iter().map(|(option, text)| (option.name, text)).collect())
    }
}

impl Given {
    /// Adds a value for an option.
    ///
    /// # Errors
    /// If the option does not accept the value.
    pub fn push(&mut self, option: &'static MachineOption, text: impl Into<String>) -> Result<(), Failure> {
        let (name, text) = (option.name, text.into());
        option.check(&text).map_err(|wrong| Diagnostic::without_place(format!("`--{name} {text}`: {wrong}")))?;
        self.0.push((name, text));
        Ok(())
    }

    /// Returns the value that was given last for an option.
    pub fn last(&self, name: &str) -> Option<&str> {
        self.iter().filter(|(own, _)| *own == name).last().map(|(_, text)| text)
    }

    /// Iterates over the names and values of all options that were given.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.0.iter().map(|(name, text)| (*name, text.as_str()))
    }

    /// Reads the files that options name. Returns the name and the text of each.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn inputs(&self) -> Result<Vec<(String, String)>, Failure> {
        let is_file = |name: &str, text: &str| {
            let option = named(name);
            option.is_some_and(|option| matches!(option.accepts, Accepts::File(words) if !words.contains(&text)))
        };
        let of_files = self.iter().filter(|(name, text)| is_file(name, text));
        of_files.map(|(_, path)| Ok((path.to_owned(), PlanText::read(Path::new(path))?.text))).collect()
    }

    /// Checks that each option belongs to at least one of some machines; the others ignore it.
    ///
    /// # Errors
    /// If an option belongs to none of the machines; reports every such option with the machines that have it.
    pub fn refuse_foreign(&self, machines: &[&'static dyn MachineKind]) -> Result<(), Failure> {
        let mut refused = Diagnostics::new();
        for (name, _) in self.iter() {
            let has = |kind: &&dyn MachineKind| kind.options().iter().any(|option| option.name == name);
            if machines.iter().any(has) {
                continue;
            }
            let chosen: Vec<&str> = machines.iter().map(|kind| kind.name()).collect();
            let (message, hint) = foreign(name, &format!("--{name}"), &chosen);
            refused.push(Diagnostic::without_place(message).hint(hint));
        }
        refused.into_result(()).map_err(|diagnostics| Failure::BadInput { sources: Sources::new(), diagnostics })
    }
}

/// Returns the error message and the hint for an option that none of some machines has. `written` is the option as the
/// user wrote it.
pub fn foreign(name: &str, written: &str, machines: &[&str]) -> (String, String) {
    let owners = named(name).map(MachineOption::machines).unwrap_or_default();
    let message = format!("`{written}` is an option of {}, and not of {}", list(&owners, "and"), list(machines, "or"));
    (message, format!("leave it out, or take the machine {}", list(&owners, "or")))
}

/// Joins names with commas, and the last two with a word.
fn list(names: &[&str], word: &str) -> String {
    match names {
        [] => "no machine".to_owned(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} {word} {last}", first.join(", ")),
    }
}

/// Returns every option of every machine once, in the order of the registry.
pub fn options() -> Vec<&'static MachineOption> {
    let mut all: Vec<&MachineOption> = Vec::new();
    for option in ALL.iter().flat_map(|kind| kind.options()) {
        if all.iter().all(|known| known.name != option.name) {
            all.push(option);
        }
    }
    all
}

/// Returns the option with a name, whichever machine has it.
pub fn named(name: &str) -> Option<&'static MachineOption> {
    options().into_iter().find(|option| option.name == name)
}
