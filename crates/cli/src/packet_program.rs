//! What the commands have in common that are about P4 programs.

use std::path::{Path, PathBuf};

use clap::Parser;
use diagnostics::{Diagnostic, Diagnostics, Sources};
use experiments::{Architecture, Failure};
use experiments::packet_programs::replay::CaptureInput;
use experiments::packet_programs::{Entries, PacketProgram};

use crate::arguments::{MachineArguments, TargetArguments};
use crate::output;
use crate::packet_arguments::{CaptureArguments, PreprocessorArguments};

/// The machine of P4 programs, if nobody names one.
const MACHINE: &str = "v1model";

/// The machine that is named for a P4 program; `None` is v1model, others have pipelines.
pub fn other_machine(name: Option<&str>) -> Result<Option<&str>, Failure> {
    match name {
        None | Some(MACHINE) => Ok(None),
        Some(name) if Architecture::from_name(name).is_some() => Ok(Some(name)),
        Some(name) => {
            let known: Vec<&str> =
                [MACHINE].into_iter().chain(Architecture::ALL.map(|architecture| architecture.name())).collect();
            Err(Diagnostic::without_place(format!("there is no machine called `{name}`"))
                .hint(format!("one of: {}", known.join(", ")))
                .into())
        }
    }
}

/// Reads the program; prints its warnings.
pub fn load(path: &Path, arguments: &PreprocessorArguments) -> Result<PacketProgram, Failure> {
    let loaded = PacketProgram::read(path, &arguments.options())?;
    output::tell(&loaded.warnings);
    Ok(loaded)
}

/// Reads the files that fill the tables; prints their warnings.
pub fn entries(arguments: &CaptureArguments, program: &PacketProgram) -> Result<Entries, Failure> {
    let mut entries = Entries::none();
    for path in &arguments.tables {
        entries.add(Entries::read(path, program)?);
    }
    output::tell(&entries.warnings());
    Ok(entries)
}

/// A capture with its port: `FILE`, or `PORT=FILE`.
pub fn capture(text: &str, port: Option<u16>) -> Result<CaptureInput, Failure> {
    if let Some((number, path)) = text.split_once('=')
        && number.bytes().all(|byte| byte.is_ascii_digit())
        && !Path::new(text).is_file()
    {
        let port = number.parse().map_err(|_| Failure::plain(format!("no switch has a port {number}")))?;
        return Ok(CaptureInput { port, path: PathBuf::from(path) });
    }
    match port {
        Some(port) => Ok(CaptureInput { port, path: PathBuf::from(text) }),
        None => Err(Diagnostic::without_place(format!("on which port does `{text}` come in?"))
            .hint(format!("`--port 1`, or `--traffic 1={text}`"))
            .into()),
    }
}

/// Refuses options that are for P4 programs, where the program is another one.
pub fn refuse_for_others(given: &[(&str, bool)]) -> Result<(), Failure> {
    refuse(given, "is for P4 programs", "leave it out, or name a program whose name ends in .p4")
}

/// Refuses options that say how pipelines are built, where v1model runs the program.
pub fn refuse_pipelines(build: &MachineArguments, target: &TargetArguments) -> Result<(), Failure> {
    let usual = Usual::parse_from(["polyplane"]);
    refuse(
        &[
            ("an option about machines, such as --pipelines,", *build != usual.build),
            ("an option about stages, such as --depth,", *target != usual.target),
        ],
        "is for machines with pipelines",
        "v1model has none; leave it out",
    )
}

/// The options about pipelines as they are if nobody gives any.
#[derive(Parser)]
struct Usual {
    #[command(flatten)]
    build: MachineArguments,
    #[command(flatten)]
    target: TargetArguments,
}

pub fn refuse(given: &[(&str, bool)], why: &str, hint: &str) -> Result<(), Failure> {
    let mut diagnostics = Diagnostics::new();
    for (option, _) in given.iter().filter(|(_, given)| *given) {
        let option = if option.starts_with('-') { format!("`{option}`") } else { (*option).to_owned() };
        diagnostics.push(Diagnostic::without_place(format!("{option} {why}")).hint(hint));
    }
    diagnostics.into_result(()).map_err(|diagnostics| Failure::BadInput { sources: Sources::new(), diagnostics })
}
