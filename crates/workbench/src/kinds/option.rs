//! What can be set of machines: options, which each kind declares, and what a user gave for them.

use std::ops::RangeInclusive;

use diagnostics::{Diagnostic, Diagnostics, Sources};
use serde::Serialize;

use super::{ALL, Kind};
use diagnostics::Failure;

/// Something that can be set of a machine.
#[derive(Debug, Serialize)]
pub struct MachineOption {
    /// Its name: `fifo-depth` is `--fifo-depth` on the command line and `fifo-depth = 8` in a plan.
    pub name: &'static str,
    /// What a user gives, in a word, such as `CYCLES`; empty if the name alone says it.
    pub value: &'static str,
    /// What is taken if nobody says otherwise; empty if that is nothing, or if `help` says it.
    pub default: &'static str,
    /// What it means, with its unit.
    pub help: &'static str,
    /// Which texts it takes.
    #[serde(skip)]
    pub accepts: Accepts,
    /// Under which heading help lists it.
    #[serde(skip)]
    pub heading: &'static str,
    /// True if help does not list it.
    #[serde(skip)]
    pub is_hidden: bool,
}

/// Which texts an option takes.
#[derive(Clone, Debug)]
pub enum Accepts {
    /// None: the option is given or it is not.
    Nothing,
    /// A whole number in a range.
    Number(RangeInclusive<u64>),
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// Any of these words, with commas between them.
    SomeOf(&'static [&'static str]),
    /// Whatever the function takes; it says what is wrong with anything else.
    Text(fn(&str) -> Result<(), String>),
}

impl MachineOption {
    /// Whether a text is one that the option takes.
    ///
    /// # Errors
    /// What is wrong with it, as the end of a sentence.
    pub fn check(&self, text: &str) -> Result<(), String> {
        match &self.accepts {
            Accepts::Nothing if matches!(text, "" | "true" | "false") => Ok(()),
            Accepts::Nothing => Err("it is `true` or `false`".to_owned()),
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
        }
    }

    /// The names of the machines that have it.
    pub fn machines(&self) -> Vec<&'static str> {
        let has = |kind: &&&dyn Kind| kind.options().iter().any(|own| own.name == self.name);
        ALL.iter().filter(has).map(|kind| kind.name()).collect()
    }
}

fn one_of(word: &str, words: &[&str]) -> Result<(), String> {
    let is_known = words.contains(&word);
    is_known.then_some(()).ok_or_else(|| format!("`{word}` is none of: {}", words.join(", ")))
}

/// What a user gave for options of machines, by name, in the order of giving.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given(Vec<(&'static str, String)>);

impl Given {
    /// Takes what was given for an option.
    ///
    /// # Errors
    /// A text that the option does not take.
    pub fn push(&mut self, option: &'static MachineOption, text: impl Into<String>) -> Result<(), Failure> {
        let (name, text) = (option.name, text.into());
        option.check(&text).map_err(|wrong| Diagnostic::without_place(format!("`--{name} {text}`: {wrong}")))?;
        self.0.push((name, text));
        Ok(())
    }

    /// What was given last for an option.
    pub fn last(&self, name: &str) -> Option<&str> {
        self.iter().filter(|(own, _)| *own == name).last().map(|(_, text)| text)
    }

    /// Everything that was given.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.0.iter().map(|(name, text)| (*name, text.as_str()))
    }

    /// Refuses what none of some machines has. What only some of them have, the others pass over.
    ///
    /// # Errors
    /// A diagnostic for each such option, with the machines that have it.
    pub fn refuse_foreign(&self, machines: &[&'static dyn Kind]) -> Result<(), Failure> {
        let mut refused = Diagnostics::new();
        for (name, _) in self.iter() {
            let has = |kind: &&dyn Kind| kind.options().iter().any(|option| option.name == name);
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

/// What to say of an option, as it is written, that none of some machines has, and what to do instead.
pub fn foreign(name: &str, written: &str, machines: &[&str]) -> (String, String) {
    let owners = named(name).map(MachineOption::machines).unwrap_or_default();
    let message = format!("`{written}` is an option of {}, and not of {}", list(&owners, "and"), list(machines, "or"));
    (message, format!("leave it out, or take the machine {}", list(&owners, "or")))
}

/// Names with commas and a last word between them.
fn list(names: &[&str], word: &str) -> String {
    match names {
        [] => "no machine".to_owned(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} {word} {last}", first.join(", ")),
    }
}

/// Every option of every machine, once, in the order of the registry.
pub fn options() -> Vec<&'static MachineOption> {
    let mut all: Vec<&MachineOption> = Vec::new();
    for option in ALL.iter().flat_map(|kind| kind.options()) {
        if all.iter().all(|known| known.name != option.name) {
            all.push(option);
        }
    }
    all
}

/// The option of a name, of whatever machine.
pub fn named(name: &str) -> Option<&'static MachineOption> {
    options().into_iter().find(|option| option.name == name)
}
