//! What the commands have in common that are about P4 programs.

use std::path::{Path, PathBuf};

use diagnostics::Diagnostic;
use experiments::packet_programs::replay::CaptureInput;
use experiments::packet_programs::{Entries, PacketProgram};
use experiments::{Architecture, Failure, Language};
use traffic::{Kind, Traffic};

use crate::output;
use crate::packet_arguments::{PreprocessorArguments, TablesArguments};

/// The machine of P4 programs, if nobody names one.
pub const MACHINE: &str = "v1model";
/// The same switch by machine code.
pub const NATIVE: &str = "native";
/// Where packets come in, if nobody says where.
pub const PORT: u16 = 0;

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
    match (Language::of(path), path.extension()) {
        (Ok(Language::P4), _) => {}
        (Err(failure), None) => return Err(failure),
        (Ok(_), None) => {
            let error = Diagnostic::without_place(format!("`{}` is no P4 program by its text", path.display()));
            return Err(error.hint("this command is for P4 programs").into());
        }
        _ => {
            let error = Diagnostic::without_place(format!("`{}` is no P4 program by its name", path.display()));
            return Err(error.hint("the name of a P4 program ends in .p4; this command is for these").into());
        }
    }
    let loaded = PacketProgram::read(path, &arguments.options())?;
    output::tell(&loaded.warnings);
    Ok(loaded)
}

/// Reads the files that fill the tables; prints their warnings.
pub fn entries(arguments: &TablesArguments, program: &PacketProgram) -> Result<Entries, Failure> {
    let mut entries = Entries::none();
    for path in &arguments.tables {
        entries.add(Entries::read(path, program)?);
    }
    output::tell(&entries.warnings());
    Ok(entries)
}

/// Captures, each with its port: `FILE`, which comes in on `port`, or `PORT=FILE`.
pub fn captures(texts: &[&str], port: Option<u16>) -> Result<Vec<CaptureInput>, Failure> {
    let parts: Vec<(Option<&str>, &str)> = texts.iter().map(|text| port_of(text)).collect();
    if let (Some(port), Some((Some(number), path))) = (port, parts.first())
        && parts.iter().all(|(own, _)| own.is_some())
    {
        let message = format!("`--port {port}` beside `--traffic {number}={path}`, which says the port itself");
        return Err(Diagnostic::without_place(message).hint("leave one of them out").into());
    }
    let input = |(own, path): (Option<&str>, &str)| {
        let port = match own {
            Some(number) => number.parse().map_err(|_| Failure::plain(format!("no switch has a port {number}")))?,
            None => port.unwrap_or(PORT),
        };
        if is_made(path) {
            let error =
                Diagnostic::without_place(format!("`{path}` is no capture, and stands beside captures or a port"));
            return Err(error.hint("a plan of traffic comes alone: `--traffic uniform:flows=1024`").into());
        }
        Ok(CaptureInput { port, path: PathBuf::from(path) })
    };
    parts.into_iter().map(input).collect()
}

/// The port in front of a capture, if there is one, and the capture.
fn port_of(text: &str) -> (Option<&str>, &str) {
    match text.split_once('=') {
        Some((number, path))
            if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) && !Path::new(text).is_file() =>
        {
            (Some(number), path)
        }
        _ => (None, text),
    }
}

/// True if packets are not captured but made, as a plan of traffic says.
pub fn is_made(text: &str) -> bool {
    let made = |traffic: &Traffic| !matches!(traffic.kind, Kind::Capture(_));
    !Path::new(text).exists() && Traffic::parse(text).is_ok_and(|traffic| made(&traffic))
}

/// What a command that is about other programs says of a P4 program.
pub fn not_for_packets(path: &Path, what: &str) -> Failure {
    let error = Diagnostic::without_place(format!("`{}` is a P4 program, and {what}", path.display()));
    let hint = "`polyplane check` runs P4 programs through every machine; `run`, `stf` and `trace` through v1model";
    error.hint(hint).into()
}
