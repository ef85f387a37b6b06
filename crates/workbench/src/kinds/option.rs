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

    /// Returns whether two options are the same, of machines that have it in common.
    fn is_same(&self, other: &Self) -> bool {
        (self.name, self.value, self.default, self.help) == (other.name, other.value, other.default, other.help)
    }

    /// Returns the names of the machines that have the option.
    pub fn machines(&self) -> Vec<&'static str> {
        let has = |kind: &&&dyn MachineKind| kind.options().iter().any(|own| own.is_same(self));
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

    /// Adds a value for an option of any machine that has one of this name and accepts the value.
    ///
    /// # Errors
    /// If none does.
    pub fn push_for_any(&mut self, name: &str, text: impl Into<String>) -> Result<(), Failure> {
        let text = text.into();
        let accepting = accepting(name, |option| option.check(&text).map(|()| option));
        let option = accepting.map_err(|wrong| Diagnostic::without_place(format!("`--{name} {text}`: {wrong}")))?;
        self.0.push((option.name, text));
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
            let is_word =
                |option: &MachineOption| matches!(option.accepts, Accepts::File(words) if words.contains(&text));
            let mut options = declarations(name).peekable();
            let is_file = options.peek().is_some_and(|option| matches!(option.accepts, Accepts::File(_)));
            is_file && !options.any(is_word)
        };
        let of_files = self.iter().filter(|(name, text)| is_file(name, text));
        of_files.map(|(_, path)| Ok((path.to_owned(), PlanText::read(Path::new(path))?.text))).collect()
    }

    /// Checks that each option belongs to at least one of some machines, and that each of these which has it accepts its value;
    /// the others ignore it.
    ///
    /// # Errors
    /// If an option belongs to none of the machines, or has a value for other machines; reports every such option with the
    /// machines that have it.
    pub fn refuse_foreign(&self, machines: &[&'static dyn MachineKind]) -> Result<(), Failure> {
        let mut refused = Diagnostics::new();
        for (name, text) in self.iter() {
            let own = |kind: &&'static dyn MachineKind| {
                kind.options().iter().find(|option| option.name == name).map(|option| (kind.name(), *option))
            };
            let own: Vec<(&str, &MachineOption)> = machines.iter().filter_map(own).collect();
            if !own.is_empty() {
                for (machine, option) in own {
                    if let Err(wrong) = option.check(text) {
                        let message = format!("`--{name} {text}`: {wrong}");
                        refused.push(Diagnostic::without_place(message).hint(format!("the machine is {machine}")));
                    }
                }
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
    let owners: Vec<&str> = declarations(name).flat_map(MachineOption::machines).collect();
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

/// Returns the options of a name, in the order of the registry. Several machines may have one option, or each their own of the
/// same name with other values.
pub fn declarations(name: &str) -> impl Iterator<Item = &'static MachineOption> {
    let mut all: Vec<&MachineOption> = Vec::new();
    for option in ALL.iter().flat_map(|kind| kind.options()).filter(|option| option.name == name) {
        if !all.iter().any(|known| known.is_same(option)) {
            all.push(option);
        }
    }
    all.into_iter()
}

/// Returns what `accept` makes of the first option of a name that it accepts.
///
/// # Errors
/// If it accepts none; says why, for each machine if there are several.
pub fn accepting<T>(name: &str, accept: impl Fn(&'static MachineOption) -> Result<T, String>) -> Result<T, String> {
    let mut wrong: Vec<(&MachineOption, String)> = Vec::new();
    for option in declarations(name) {
        match accept(option) {
            Ok(accepted) => return Ok(accepted),
            Err(why) => wrong.push((option, why)),
        }
    }
    Err(match wrong.as_slice() {
        [] => "no machine has this option".to_owned(),
        [(_, why)] => why.clone(),
        several => {
            let each = several.iter().map(|(option, why)| format!("for {}, {why}", list(&option.machines(), "and")));
            each.collect::<Vec<_>>().join("; ")
        }
    })
}

/// Returns an option of a name, and a value as it takes it that a text in `folder` contains, whichever machine accepts it.
///
/// # Errors
/// If no machine accepts it.
pub fn from_text(name: &str, text: &str, folder: &Path) -> Result<(&'static MachineOption, String), String> {
    accepting(name, |option| {
        let text = option.from_plan(text, folder);
        option.check(&text).map(|()| (option, text))
    })
}

/// Returns an option of each name that any machine has, in the order of the registry: the first ([`declarations`]).
pub fn options() -> Vec<&'static MachineOption> {
    let mut all: Vec<&MachineOption> = Vec::new();
    for option in ALL.iter().flat_map(|kind| kind.options()) {
        if all.iter().all(|known| known.name != option.name) {
            all.push(option);
        }
    }
    all
}

/// Returns the first option with a name, whichever machine has it.
pub fn named(name: &str) -> Option<&'static MachineOption> {
    options().into_iter().find(|option| option.name == name)
}
