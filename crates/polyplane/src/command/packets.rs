//! The packets that a command offers: captures, each on its port, or a traffic plan.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use polyplane::Failure;
use polyplane::rooms::diagnostics::{Diagnostic, Diagnostics, Sources};
use polyplane::rooms::traffic::{Pace as PlannedPace, Prepared, Traffic, TrafficSource};
use polyplane::rooms::workbench::run::{CaptureInput, Offer, Pace};
use polyplane::rooms::workbench::{LoadedProgram, MachinePlan};

use crate::arguments::TrafficArguments;
use crate::output;
use crate::packet_arguments::CaptureArguments;

/// The default ingress port of captures.
pub const PORT: u16 = 0;

/// Returns the packets that the arguments describe, and prints warnings. `machine` is given if the machine has
/// pipelines.
///
/// The packets of captures arrive at their timestamps, each capture on its port, if a port or a rate is given, if there
/// are several captures, and for programs that read packets themselves, which can read the ingress port. Everything else is a traffic
/// plan, which spreads the packets of a capture over all ports at line rate.
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
        [kind] if program.binds_fields() && !says_where && !names_port(kind) => {
            planned(program, kind, traffic, machine)
        }
        _ => captured(traffic, capture),
    }
}

impl TrafficArguments {
    /// Refuses options that apply only to captures, for a command that got no `--traffic`.
    pub fn refuse_pace(&self, why: &str) -> Result<(), Failure> {
        let given = [("--timestamps", self.timestamps), ("--repeat", self.repeat.is_some())];
        let mut refused = Diagnostics::new();
        for (option, _) in given.into_iter().filter(|(_, given)| *given) {
            refused.push(Diagnostic::without_place(format!("`{option}` needs a capture: {why}")).hint("leave it out"));
        }
        refused.into_result(()).map_err(|diagnostics| Failure::BadInput { sources: Sources::new(), diagnostics })
    }
}

impl CaptureArguments {
    /// Refuses options that apply only to captures beside a traffic plan.
    fn refuse_pace(&self, kind: &str) -> Result<(), Failure> {
        let given = [("--port", self.port.is_some()), ("--rate", self.rate.is_some())];
        let Some((option, _)) = given.into_iter().find(|(_, given)| *given) else { return Ok(()) };
        let error = Diagnostic::without_place(format!("`{option}` needs a capture, and `{kind}` is not one"));
        Err(error.hint("leave it out: a traffic plan has its own ports and rates").into())
    }
}

/// Returns the packets of a traffic plan, and prints its warnings.
pub fn planned(
    program: &LoadedProgram,
    kind: &str,
    arguments: &TrafficArguments,
    machine: Option<&MachinePlan>,
) -> Result<Offer, Failure> {
    let rate = MachinePlan::line_rate_of(machine);
    let offer = Offer::planned(traffic(kind, arguments, rate.ports)?, program, rate)?;
    output::tell(&offer.prepared().map(warnings).unwrap_or_default());
    Ok(offer)
}

/// Renders the warnings about a traffic plan and the files that it names.
fn warnings(prepared: &Prepared) -> String {
    let (sources, warnings) = prepared.warnings();
    warnings.render(sources, std::io::stderr().is_terminal())
}

/// Returns the packets of captures.
pub fn captured(traffic: &TrafficArguments, capture: &CaptureArguments) -> Result<Offer, Failure> {
    if traffic.traffic.is_empty() {
        let error = Diagnostic::without_place("no packets are given");
        let hint = "use `--traffic capture.pcap`, `--traffic 1=capture.pcap` for port 1, or `--traffic uniform`";
        return Err(error.hint(hint).into());
    }
    if traffic.repeat.is_some() {
        let error = Diagnostic::without_place(
            "`--repeat` applies only to one capture at line rate, and these packets arrive by timestamps or `--rate`",
        );
        return Err(error.hint("`--traffic a.pcap,repeat=2` plays one capture twice, on all ports").into());
    }
    if traffic.timestamps && capture.rate.is_some() {
        let error = Diagnostic::without_place("`--timestamps` and `--rate` exclude each other");
        return Err(error.hint("leave one of them out").into());
    }
    let texts: Vec<&str> = traffic.traffic.iter().map(String::as_str).collect();
    let pace = capture.rate.map_or(Pace::Timestamps, Pace::Rate);
    Ok(Offer::Captures { captures: captures(&texts, capture.port)?, pace })
}

/// Parses captures, each with its ingress port: `PORT=FILE`, or `FILE`, whose port is `port`.
fn captures(texts: &[&str], port: Option<u16>) -> Result<Vec<CaptureInput>, Failure> {
    let parts: Vec<(Option<&str>, &str)> = texts.iter().map(|text| port_of(text)).collect();
    if let (Some(port), Some((Some(number), path))) = (port, parts.first())
        && parts.iter().all(|(own, _)| own.is_some())
    {
        let message = format!("`--port {port}` conflicts with `--traffic {number}={path}`, which names its port");
        return Err(Diagnostic::without_place(message).hint("leave one of them out").into());
    }
    let input = |(own, path): (Option<&str>, &str)| {
        let port = match own {
            Some(number) => number.parse().map_err(|_| Failure::plain(format!("there is no port {number}")))?,
            None => port.unwrap_or(PORT),
        };
        if is_planned(path) {
            let error =
                Diagnostic::without_place(format!("`{path}` is not a capture, and is given with captures or a port"));
            return Err(error.hint("give a traffic plan alone: `--traffic uniform:flows=1024`").into());
        }
        Ok(CaptureInput { port, path: PathBuf::from(path) })
    };
    parts.into_iter().map(input).collect()
}

/// Returns whether a text is a capture with its ingress port.
pub fn names_port(text: &str) -> bool {
    port_of(text).0.is_some()
}

/// Splits a text into the port in front of a capture, if there is one, and the capture.
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

/// Returns whether a text is more than the name of a capture: a generator, a table, or a capture with options.
fn is_planned(text: &str) -> bool {
    let is_name = |traffic: &Traffic| matches!(&traffic.source, TrafficSource::Capture(replay) if replay.input.to_string() == text);
    !Path::new(text).exists() && Traffic::parse(text).is_ok_and(|traffic| !is_name(&traffic))
}

/// Parses a traffic plan as it is written on the command line.
fn parse_traffic(kind: &str) -> Result<Traffic, Failure> {
    Traffic::parse(kind).map_err(|(sources, diagnostics)| Failure::BadInput { sources, diagnostics })
}

/// Returns whether a traffic plan sets an option (`field.seed=…` does not set `seed`).
fn says(kind: &str, option: &str) -> bool {
    kind.split([',', ':']).any(|part| part.trim().strip_prefix(option).is_some_and(|rest| rest.trim().starts_with('=')))
}

/// Parses `kind` and completes it with the other arguments.
fn traffic(kind: &str, arguments: &TrafficArguments, ports: u16) -> Result<Traffic, Failure> {
    let mut traffic = parse_traffic(kind)?;
    if !says(kind, "ports") {
        traffic.ports = ports;
    }
    if !says(kind, "seed") {
        traffic.seed = arguments.seed;
    }
    traffic.packets = arguments.packets.or(traffic.packets);
    let TrafficSource::Capture(replay) = &mut traffic.source else {
        let given = [("--timestamps", arguments.timestamps), ("--repeat", arguments.repeat.is_some())];
        return match given.iter().find(|(_, given)| *given) {
            Some((option, _)) => Err(Diagnostic::without_place(format!("`{option}` needs a capture"))
                .hint(format!("`{kind}` is not a capture: leave the option out"))
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
