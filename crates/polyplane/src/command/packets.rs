//! The packets that a command offers: captures, each on its port, or a plan of traffic.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use polyplane::Failure;
use polyplane::rooms::diagnostics::{Diagnostic, Diagnostics, Sources};
use polyplane::rooms::traffic::{Kind, LineRate, Pace as PlannedPace, Prepared, Traffic};
use polyplane::rooms::workbench::kinds::BANZAI;
use polyplane::rooms::workbench::run::{CaptureInput, Offer, Pace};
use polyplane::rooms::workbench::{LoadedProgram, MachinePlan};

use crate::arguments::TrafficArguments;
use crate::output;
use crate::packet_arguments::CaptureArguments;

/// Where packets come in, if nobody says where.
pub const PORT: u16 = 0;

/// The packets that the arguments name for a machine, which has pipelines if there is a plan of it; prints warnings.
///
/// Captures come by their timestamps, each on its port, where somebody says a port or a pace for them, where there are
/// several, and for programs with a parser, which see on which port a packet comes. All else is a plan of traffic, which
/// spreads the packets of a capture over all ports at line rate.
pub fn offered(
    program: &LoadedProgram,
    traffic: &TrafficArguments,
    capture: &CaptureArguments,
    machine: Option<&MachinePlan>,
) -> Result<Offer, Failure> {
    let says_where = capture.port.is_some() || capture.rate.is_some();
    match traffic.traffic.as_slice() {
        [kind] if is_planned(kind) => {
            capture.refuse_pace(kind)?;
            planned(program, kind, traffic, machine)
        }
        [kind] if !program.has_parser() && !says_where && !names_port(kind) => planned(program, kind, traffic, machine),
        _ => captured(traffic, capture),
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
) -> Result<Offer, Failure> {
    let rate = line_rate(machine);
    let offer = Offer::planned(traffic(kind, arguments, rate.ports)?, program, rate)?;
    output::tell(&offer.prepared().map(warnings).unwrap_or_default());
    Ok(offer)
}

/// How fast packets come to a machine that are made, or come at line rate: to one without pipelines as to a Banzai.
pub fn line_rate(machine: Option<&MachinePlan>) -> LineRate {
    machine.map_or_else(|| MachinePlan::new(&BANZAI).line_rate(), MachinePlan::line_rate)
}

/// What the author of a plan of traffic, or of a file that it names, may not have meant, as a person reads it.
fn warnings(prepared: &Prepared) -> String {
    let (sources, warnings) = prepared.warnings();
    warnings.render(sources, std::io::stderr().is_terminal())
}

/// The packets of captures.
pub fn captured(traffic: &TrafficArguments, capture: &CaptureArguments) -> Result<Offer, Failure> {
    if traffic.traffic.is_empty() {
        let error = Diagnostic::without_place("no packets come in");
        let hint = "`--traffic capture.pcap`, `--traffic 1=capture.pcap` for those of port 1, or `--traffic uniform`";
        return Err(error.hint(hint).into());
    }
    if traffic.repeat.is_some() {
        let error = Diagnostic::without_place(
            "`--repeat` is for one capture at line rate, and these come by timestamps or a rate",
        );
        return Err(error.hint("`--traffic a.pcap,repeat=2` plays one twice, on all ports").into());
    }
    if traffic.timestamps && capture.rate.is_some() {
        let error = Diagnostic::without_place("`--timestamps` and `--rate` exclude each other");
        return Err(error.hint("leave one of them out").into());
    }
    let texts: Vec<&str> = traffic.traffic.iter().map(String::as_str).collect();
    let pace = capture.rate.map_or(Pace::Timestamps, Pace::Rate);
    Ok(Offer::Captures { captures: captures(&texts, capture.port)?, pace })
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
        if is_planned(path) {
            let error =
                Diagnostic::without_place(format!("`{path}` is no capture, and stands beside captures or a port"));
            return Err(error.hint("a plan of traffic comes alone: `--traffic uniform:flows=1024`").into());
        }
        Ok(CaptureInput { port, path: PathBuf::from(path) })
    };
    parts.into_iter().map(input).collect()
}

/// True if a text is a capture that says the port which it comes in on.
pub fn names_port(text: &str) -> bool {
    port_of(text).0.is_some()
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

/// True if a text is not just the name of a capture but a plan of traffic: a generator, a table, or a capture with options.
fn is_planned(text: &str) -> bool {
    let is_name =
        |traffic: &Traffic| matches!(&traffic.kind, Kind::Capture(replay) if replay.input.to_string() == text);
    !Path::new(text).exists() && Traffic::parse(text).is_ok_and(|traffic| !is_name(&traffic))
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
