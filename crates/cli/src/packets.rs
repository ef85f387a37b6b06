//! The packets that a command offers: captures, each on its port, or a plan of traffic.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use diagnostics::{Diagnostic, Diagnostics, Sources};
use experiments::packet_programs::replay::{CaptureInput, Offer, Pace};
use experiments::{Failure, LoadedProgram, MachinePlan};
use traffic::{Kind, Pace as PlannedPace, Prepared, Traffic};

use crate::arguments::TrafficArguments;
use crate::output;
use crate::packet_arguments::CaptureArguments;

/// Where packets come in, if nobody says where.
pub const PORT: u16 = 0;

/// Packets that are read or made.
pub enum Packets {
    /// Captures for a program that parses packets, as they were captured.
    Captures(Vec<CaptureInput>, Pace),
    /// A plan of traffic.
    Planned(Box<(Traffic, Prepared)>),
}

impl Packets {
    /// The same for a machine.
    pub fn offer(&self) -> Offer<'_> {
        match self {
            Self::Captures(captures, pace) => Offer::Captures { captures: captures.clone(), pace: *pace },
            Self::Planned(planned) => Offer::Traffic(&planned.0, &planned.1),
        }
    }

    /// The packets that the arguments name for a machine, which has pipelines if there is a plan of it.
    pub fn named(
        program: &LoadedProgram,
        traffic: &TrafficArguments,
        capture: &CaptureArguments,
        machine: Option<&MachinePlan>,
    ) -> Result<Self, Failure> {
        let made = match traffic.traffic.as_slice() {
            [kind] if !program.has_parser() || is_made(kind) => Some(kind),
            _ => None,
        };
        match made {
            Some(kind) => {
                capture.refuse_pace(kind)?;
                Ok(Self::Planned(Box::new(planned(program, kind, traffic, machine)?)))
            }
            None => captured(traffic, capture),
        }
    }
}

impl TrafficArguments {
    /// Refuses what only captures have, where no packets are named.
    pub fn refuse_pace(&self, why: &str) -> Result<(), Failure> {
        let given = [("--timestamps", self.timestamps), ("--repeat", self.repeat.is_some())];
        let mut refused = Diagnostics::new();
        for (option, _) in given.into_iter().filter(|(_, given)| *given) {
            refused.push(Diagnostic::without_place(format!("`{option}` is for captures: {why}")).hint("leave it out"));
        }
        refused.into_result(()).map_err(|diagnostics| Failure::BadInput { sources: Sources::new(), diagnostics })
    }

    /// The one plan of traffic that programs take whose fields are bound to packets.
    pub fn one(&self) -> Result<Option<&str>, Failure> {
        match self.traffic.as_slice() {
            [] => Ok(None),
            [kind] => Ok(Some(kind)),
            _ => Err(Diagnostic::without_place("several `--traffic` are for P4 programs")
                .hint("all ports of other programs take their packets from one plan")
                .into()),
        }
    }
}

impl CaptureArguments {
    /// Refuses what only captures have beside a plan of traffic.
    fn refuse_pace(&self, kind: &str) -> Result<(), Failure> {
        let given = [("--port", self.port.is_some()), ("--rate", self.rate.is_some())];
        let Some((option, _)) = given.into_iter().find(|(_, given)| *given) else { return Ok(()) };
        let error = Diagnostic::without_place(format!("`{option}` is for captures, and `{kind}` is none"));
        Err(error.hint("leave it out: a plan of traffic has ports and rates of its own").into())
    }
}

/// A plan of traffic with what was read for it; prints its warnings.
pub fn planned(
    program: &LoadedProgram,
    kind: &str,
    arguments: &TrafficArguments,
    machine: Option<&MachinePlan>,
) -> Result<(Traffic, Prepared), Failure> {
    if let (Some(port), path) = port_of(kind) {
        let message = format!("`{kind}` names port {port}, and packets come on all ports here");
        return Err(Diagnostic::without_place(message).hint(format!("`--traffic {path}`")).into());
    }
    let parameters = machine.map(|plan| plan.parameters.clone()).unwrap_or_default();
    let traffic = traffic(kind, arguments, parameters.ports())?;
    let pipelines = u16::try_from(parameters.pipelines()).unwrap_or(u16::MAX);
    let prepared = traffic.prepare(&program.binding, pipelines, parameters.period());
    let prepared = prepared.map_err(|(sources, diagnostics)| Failure::BadInput { sources, diagnostics })?;
    output::tell(&warnings(&prepared));
    Ok((traffic, prepared))
}

/// What the author of a plan of traffic, or of a file that it names, may not have meant, as a person reads it.
fn warnings(prepared: &Prepared) -> String {
    let (sources, warnings) = prepared.warnings();
    warnings.render(sources, std::io::stderr().is_terminal())
}

/// The packets of captures.
fn captured(traffic: &TrafficArguments, capture: &CaptureArguments) -> Result<Packets, Failure> {
    if traffic.traffic.is_empty() {
        let error = Diagnostic::without_place("no packets come in");
        let hint = "`--traffic capture.pcap`, `--traffic 1=capture.pcap` for those of port 1, or `--traffic uniform`";
        return Err(error.hint(hint).into());
    }
    if traffic.repeat.is_some() {
        let error = Diagnostic::without_place("`--repeat` is not for P4 programs");
        return Err(error.hint("leave it out").into());
    }
    if traffic.timestamps && capture.rate.is_some() {
        let error = Diagnostic::without_place("`--timestamps` and `--rate` exclude each other");
        return Err(error.hint("leave one of them out").into());
    }
    let texts: Vec<&str> = traffic.traffic.iter().map(String::as_str).collect();
    Ok(Packets::Captures(captures(&texts, capture.port)?, capture.rate.map_or(Pace::Timestamps, Pace::Rate)))
}

/// Captures, each with its port: `FILE`, which comes in on `port`, or `PORT=FILE`.
fn captures(texts: &[&str], port: Option<u16>) -> Result<Vec<CaptureInput>, Failure> {
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
fn is_made(text: &str) -> bool {
    let made = |traffic: &Traffic| !matches!(traffic.kind, Kind::Capture(_));
    !Path::new(text).exists() && Traffic::parse(text).is_ok_and(|traffic| made(&traffic))
}

/// A plan of traffic as a person writes it.
pub fn parse_traffic(kind: &str) -> Result<Traffic, Failure> {
    Traffic::parse(kind).map_err(|(sources, diagnostics)| Failure::BadInput { sources, diagnostics })
}

/// Whether a plan of traffic gives an option (`field.seed=…` is another one than `seed=…`).
fn says(kind: &str, option: &str) -> bool {
    kind.split([',', ':']).any(|part| part.trim().strip_prefix(option).is_some_and(|rest| rest.trim().starts_with('=')))
}

/// The packets that the arguments describe: `kind`, with what the other arguments say of it.
fn traffic(kind: &str, arguments: &TrafficArguments, ports: u16) -> Result<Traffic, Failure> {
    let mut traffic = parse_traffic(kind)?;
    if !says(kind, "ports") {
        traffic.ports = ports;
    }
    if !says(kind, "seed") {
        traffic.seed = arguments.seed;
    }
    traffic.packets = arguments.packets.or(traffic.packets);
    let Kind::Capture(replay) = &mut traffic.kind else {
        let given = [("--timestamps", arguments.timestamps), ("--repeat", arguments.repeat.is_some())];
        return match given.iter().find(|(_, given)| *given) {
            Some((option, _)) => Err(Diagnostic::without_place(format!("`{option}` is for captures"))
                .hint(format!("`{kind}` is none: leave the option out"))
                .into()),
            None => Ok(traffic),
        };
    };
    if arguments.timestamps && !matches!(replay.pace, PlannedPace::Timestamps { .. }) {
        if says(kind, "pace") {
            let error = format!("`--timestamps` and the pace in `{kind}` exclude each other");
            return Err(Diagnostic::without_place(error).hint("leave one of them out").into());
        }
        replay.pace = PlannedPace::Timestamps { numerator: 1, denominator: 1 };
    }
    replay.repeat = arguments.repeat.unwrap_or(replay.repeat);
    Ok(traffic)
}
