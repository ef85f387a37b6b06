//! The command-line options of machines, generated from what the machines declare.

use clap::builder::PossibleValuesParser;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use polyplane::Failure;
use polyplane::rooms::workbench::LoadedProgram;
use polyplane::rooms::workbench::kinds::{self, Accepts, Given, MachineKind, MachineOption, Settings, option};

/// The machine and its options.
#[derive(Clone, Debug, Default, Args)]
pub struct MachineArguments {
    /// The machine [default: v1model; tofino for programs of its architecture, trio for programs of threads, banzai for others
    /// without a parser]. `polyplane machines` describes them.
    #[arg(long = "machine", value_name = "NAME", help_heading = MACHINE)]
    pub name: Option<String>,
    /// The options of the machine.
    #[command(flatten)]
    pub options: MachineOptions,
}

/// The heading of options that choose the machine.
pub const MACHINE: &str = "Machine";

/// The options of machines that were given on the command line.
#[derive(Clone, Debug, Default)]
pub struct MachineOptions {
    /// The given options and their values.
    pub given: Given,
}

impl MachineArguments {
    /// Returns the kind of machine that is named, or the usual one for the program if none is, and its settings.
    ///
    /// # Errors
    /// Fails if there is no machine of that name or it lacks one of the given options.
    pub fn chosen(&self, program: &LoadedProgram) -> Result<(&'static dyn MachineKind, Settings), Failure> {
        let kind = self.name.as_deref().map_or_else(|| Ok(kinds::usual(program)), kinds::named)?;
        self.options.given.refuse_foreign(&[kind])?;
        Ok((kind, self.options.settings()))
    }
}

impl MachineOptions {
    /// Returns the settings with which any machine is built.
    pub fn settings(&self) -> Settings {
        Settings { given: self.given.clone(), packets: None }
    }
}

impl FromArgMatches for MachineOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut options = Self::default();
        options.update_from_arg_matches(matches)?;
        Ok(options)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for option in option::options() {
            if matches.value_source(option.name) != Some(ValueSource::CommandLine) {
                continue;
            }
            let text = match option.accepts {
                Accepts::Nothing => "true".to_owned(),
                _ => {
                    matches.get_many::<String>(option.name).into_iter().flatten().cloned().collect::<Vec<_>>().join(",")
                }
            };
            self.given.push_for_any(option.name, text).unwrap_or_else(|_| unreachable!("clap has checked the value"));
        }
        Ok(())
    }
}

impl Args for MachineOptions {
    fn augment_args(command: Command) -> Command {
        command.args(option::options().into_iter().map(argument))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// Returns the argument for the options of a name, of which `option` is the first.
fn argument(option: &'static MachineOption) -> Arg {
    let all: Vec<&MachineOption> = option::declarations(option.name).collect();
    if let [_, _, ..] = all[..] {
        return argument_of_several(&all);
    }
    let arg = Arg::new(option.name).long(option.name).help_heading(option.heading).hide(option.is_hidden);
    let arg = arg.help(in_words(option));
    let arg = if option.default.is_empty() { arg } else { arg.default_value(option.default) };
    match &option.accepts {
        Accepts::Nothing => arg.action(ArgAction::SetTrue),
        Accepts::OneOf(words) => arg.value_name(option.value).value_parser(PossibleValuesParser::new(*words)),
        Accepts::SomeOf(words) => {
            arg.value_name(option.value).value_delimiter(',').value_parser(PossibleValuesParser::new(*words))
        }
        Accepts::Number(_) | Accepts::Text(_) | Accepts::File(_) => {
            let check = move |text: &str| option.check(text).map(|()| text.to_owned());
            arg.value_name(option.value).value_parser(check)
        }
    }
}

/// Returns the argument for options of one name, each of which takes values of its own.
fn argument_of_several(all: &[&'static MachineOption]) -> Arg {
    let name = all[0].name;
    // One machine takes more than the other.
    let value = all.iter().map(|option| option.value).max_by_key(|value| value.len()).unwrap_or_default();
    let of_each = all.iter().map(|option| format!("Of {}: {}", option.machines().join(" and "), option.help));
    let check = move |text: &str| option::accepting(name, |option| option.check(text)).map(|()| text.to_owned());
    Arg::new(name)
        .long(name)
        .help_heading(MACHINE)
        .help(of_each.collect::<Vec<_>>().join(" "))
        .value_name(value)
        .value_parser(check)
}

/// Returns the help of an option; if not all machines under its heading have it, those that do are named.
fn in_words(option: &MachineOption) -> String {
    let of_heading = |kind: &&&dyn MachineKind| kind.options().iter().any(|own| own.heading == option.heading);
    let owners = option.machines();
    if kinds::ALL.iter().filter(of_heading).count() == owners.len() {
        option.help.to_owned()
    } else {
        format!("{} Of {} only.", option.help, owners.join(" and "))
    }
}
