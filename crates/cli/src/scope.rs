//! What each option is for. Help and refusals both come from here, so that help offers nothing that is then refused: an
//! option that is for some programs, machines or stages only says so in the help, and is refused with all others.

use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};
use diagnostics::{Diagnostic, Diagnostics, Sources};
use experiments::packet_programs::is_packet_program;
use experiments::{Architecture, Failure, holds_pipeline};

use crate::packet_program::NATIVE;
use crate::{check, packet_check, packet_program, plan};

/// What an option is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum For {
    /// Programs whose fields are bound to packets: Domino, and the IR's text.
    Fields,
    /// P4 programs.
    P4,
    /// P4 programs on machines that run their blocks as they were written: v1model and machine code.
    Blocks,
    /// Machines with pipelines: all but v1model and machine code.
    Pipelines,
    /// Machines with several pipelines.
    SeveralPipelines,
    /// MP5.
    Mp5,
    /// MP5 with programs whose fields are bound to packets.
    Mp5Fields,
    /// Stages that match and act.
    MatchAction,
}

/// What an option of a command is for; `None` if it is for everything that the command takes.
pub fn of(command: &str, option: &str) -> Option<For> {
    if !matches!(command, "compile" | "run" | "check") {
        return None;
    }
    Some(match (command, option) {
        (_, "binding") | ("run", "repeat") | ("check", "traffic" | "timestamps" | "repeat") => For::Fields,
        (_, "include" | "define" | "p4info" | "tables" | "port" | "rate") => For::P4,
        (_, "undefined" | "executor") => For::Blocks,
        (_, "timeline") => For::Pipelines,
        (_, "pipelines" | "ports" | "clock_period" | "depth" | "stages" | "stateful" | "stateless") => For::Pipelines,
        (_, "atom" | "operations" | "assume_no_overflow") => For::Pipelines,
        (_, "tables_per_stage" | "sram_blocks" | "tcam_blocks" | "hash_units") => For::MatchAction,
        (_, "sharding" | "placement" | "remap_period" | "recirculation_latency") => For::SeveralPipelines,
        (_, "fifo_depth" | "rules" | "blocking" | "ordering" | "steering" | "ecn_threshold") => For::Mp5,
        (_, "starvation_limit" | "mutate") => For::Mp5,
        (_, "flow_order") => For::Mp5Fields,
        _ => return None,
    })
}

impl For {
    /// True if it is about how a machine is built, and this machine is one that has it.
    pub fn suits(self, machine: &str) -> bool {
        let architecture = Architecture::from_name(machine);
        match self {
            Self::Fields | Self::P4 => false,
            Self::Blocks => OF_P4.contains(&machine),
            Self::Pipelines | Self::MatchAction => architecture.is_some(),
            Self::SeveralPipelines => architecture.is_some_and(|architecture| architecture != Architecture::Banzai),
            Self::Mp5 | Self::Mp5Fields => architecture == Some(Architecture::Mp5),
        }
    }

    /// What stands before an option's help. The headings of options about pipelines say enough.
    fn label(self) -> Option<&'static str> {
        match self {
            Self::Fields => Some("Domino"),
            Self::P4 => Some("P4"),
            Self::Blocks => Some("v1model"),
            Self::Pipelines => None,
            Self::SeveralPipelines => Some("MP5, recirculating"),
            Self::Mp5 => Some("MP5"),
            Self::Mp5Fields => Some("MP5, Domino"),
            Self::MatchAction => Some("match-action stages"),
        }
    }
}

/// The command line with what each option is for in its help.
pub fn labelled(command: Command) -> Command {
    command.mut_subcommands(|subcommand| {
        let name = subcommand.get_name().to_owned();
        subcommand.mut_args(|argument| match of(&name, argument.get_id().as_str()).and_then(For::label) {
            Some(label) => with_label(argument, label),
            None => argument,
        })
    })
}

fn with_label(argument: Arg, label: &str) -> Arg {
    let labelled = |text: String| {
        let mut letters = text.chars();
        let first = letters.next().map(|first| first.to_lowercase().to_string()).unwrap_or_default();
        // A name such as `MP5` stays what it is.
        let rest = letters.as_str();
        if rest.starts_with(char::is_uppercase) {
            format!("{label}: {text}")
        } else {
            format!("{label}: {first}{rest}")
        }
    };
    let (short, long) = (argument.get_help().cloned(), argument.get_long_help().cloned());
    let argument = match short {
        Some(help) => argument.help(labelled(help.to_string())),
        None => argument,
    };
    match long {
        Some(help) => argument.long_help(labelled(help.to_string())),
        None => argument,
    }
}

/// Refuses every option on the command line that is not for its program, machines or stages.
///
/// # Errors
/// A diagnostic for each such option.
pub fn refuse(line: &Command, given: &ArgMatches) -> Result<(), Failure> {
    let Some((name, given)) = given.subcommand() else { return Ok(()) };
    let Some(subcommand) = line.find_subcommand(name) else { return Ok(()) };
    let Some(chosen) = Chosen::of(name, given) else { return Ok(()) };
    let mut found = Diagnostics::new();
    for argument in subcommand.get_arguments() {
        let id = argument.get_id().as_str();
        let is_given = given.value_source(id) == Some(ValueSource::CommandLine);
        let Some(is_for) = of(name, id).filter(|_| is_given) else { continue };
        if let Some((why, hint)) = chosen.refusal(name, id, is_for) {
            let message = format!("`{}` {why}", written(argument));
            found.push(Diagnostic::without_place(message).hint(hint));
        }
    }
    if chosen.is_laid_out && !chosen.named.is_empty() {
        let (why, hint) = laid_out();
        found.push(Diagnostic::without_place(format!("`--machine` {why}")).hint(hint));
    }
    if !chosen.is_p4 {
        let option = if name == "check" { "--machines" } else { "--machine" };
        for machine in chosen.named.iter().filter(|name| OF_P4.contains(&name.as_str())) {
            let error = Diagnostic::without_place(format!("`{option} {machine}` is for P4 programs"));
            found.push(error.hint("leave it out, or name a program whose name ends in .p4"));
        }
    }
    found.into_result(()).map_err(|diagnostics| Failure::BadInput { sources: Sources::new(), diagnostics })
}

/// An option as people write it.
fn written(argument: &Arg) -> String {
    match (argument.get_short(), argument.get_long()) {
        (Some(short), _) => format!("-{short}"),
        (None, long) => format!("--{}", long.unwrap_or_default()),
    }
}

/// Why an option is refused for a pipeline, and what to do instead.
fn laid_out() -> (String, String) {
    let why = "is for programs, and this is a pipeline, which has been compiled already";
    (why.to_owned(), "leave it out".to_owned())
}

/// What runs P4 programs and no others.
const OF_P4: [&str; 2] = [packet_program::MACHINE, NATIVE];

/// What a command line is about.
struct Chosen {
    is_p4: bool,
    /// Whether the program has been laid out in stages already.
    is_laid_out: bool,
    /// The machines that somebody named.
    named: Vec<String>,
    /// Those that run. `None` if one of the names is that of no machine, which is told elsewhere.
    machines: Option<Vec<String>>,
    has_banzai_stages: bool,
}

impl Chosen {
    /// `None` if the command takes no program of several kinds.
    fn of(command: &str, given: &ArgMatches) -> Option<Self> {
        if !matches!(command, "compile" | "run" | "check") {
            return None;
        }
        let program = given.get_one::<PathBuf>("program")?;
        let is_p4 = is_packet_program(program);
        let named: Vec<String> = match command {
            "check" => given.get_many::<String>("machines").into_iter().flatten().cloned().collect(),
            _ => given.get_one::<String>("machine").into_iter().cloned().collect(),
        };
        let usual = || match (command, is_p4) {
            ("check", true) => packet_check::machines(),
            ("check", false) => check::MACHINES.to_vec(),
            (_, true) => vec![packet_program::MACHINE],
            (_, false) => vec![plan::MACHINE],
        };
        let machines = if named.is_empty() { usual().into_iter().map(str::to_owned).collect() } else { named.clone() };
        let is_known =
            |name: &String| Architecture::from_name(name).is_some() || (is_p4 && OF_P4.contains(&name.as_str()));
        let stages = given.get_one::<String>("stages");
        Some(Self {
            is_p4,
            is_laid_out: command == "compile" && holds_pipeline(program),
            named,
            machines: machines.iter().all(is_known).then_some(machines),
            has_banzai_stages: stages.map_or(!is_p4, |kind| kind == "banzai"),
        })
    }

    fn has(&self, machine: Architecture) -> bool {
        self.machines.iter().flatten().any(|name| name == machine.name())
    }

    /// Why an option is refused, and what to do instead; `None` if it is not.
    fn refusal(&self, command: &str, option: &str, is_for: For) -> Option<(String, String)> {
        let no_p4 = |is_for: For| {
            let hint = match option {
                "binding" => "the parser of a P4 program says where its fields are; leave it out",
                "traffic" => "leave it out; `--tables test.stf` begins with the packets of a packet test",
                _ => "leave it out",
            };
            let why = match command {
                "check" if is_for == For::Fields && option != "binding" => {
                    ": `check` makes packets that go everywhere in the program"
                }
                _ => "",
            };
            (format!("is not for P4 programs{why}"), hint.to_owned())
        };
        let only_p4 = || {
            let hint = "leave it out, or name a program whose name ends in .p4";
            ("is for P4 programs".to_owned(), hint.to_owned())
        };
        match is_for {
            For::Fields | For::Mp5Fields if self.is_p4 => return Some(no_p4(is_for)),
            For::P4 | For::Blocks if !self.is_p4 => return Some(only_p4()),
            For::P4 => return None,
            _ => {}
        }
        if self.is_laid_out {
            return Some(laid_out());
        }
        let machines = self.machines.as_ref().filter(|_| is_for != For::Fields)?;
        if is_for == For::Blocks {
            let runs_blocks = machines.iter().any(|name| is_for.suits(name));
            let why = format!("is for v1model and {NATIVE}, and neither is among the machines");
            return (!runs_blocks).then(|| (why, "leave it out".to_owned()));
        }
        let several = self.has(Architecture::Mp5) || self.has(Architecture::Recirculating);
        let leave_out = |machines: &str| format!("leave the option out, or run it on {machines}");
        if !several && !self.has(Architecture::Banzai) {
            let why = format!("is for machines with pipelines, and {} has none", machines.join(" or "));
            return Some((why, "leave it out".to_owned()));
        }
        match is_for {
            For::Mp5 | For::Mp5Fields if !self.has(Architecture::Mp5) => {
                Some(("is for mp5, which is not among the machines".to_owned(), leave_out("mp5")))
            }
            For::SeveralPipelines if !several => {
                let why = "is for mp5 and recirculating, and neither is among the machines";
                Some((why.to_owned(), leave_out("one of them")))
            }
            For::MatchAction if self.has_banzai_stages => {
                let hint = "leave it out, or take `--stages match-action`";
                Some(("is for match-action stages, and these are banzai's".to_owned(), hint.to_owned()))
            }
            _ => None,
        }
    }
}
