//! `polyplane run` of a P4 program: captures, or packets of a plan of traffic, through any machine.

use diagnostics::Diagnostic;
use experiments::packet_programs::ExecutorKind;
use experiments::packet_programs::replay::{Offer, Pace, Replay, replay_into};
use experiments::{Architecture, Failure, kinds};
use runtime::binding::Binding;
use traffic::{Prepared, Traffic};

use crate::arguments::RunArguments;
use crate::{output, packet_program, plan};

pub fn run(arguments: &RunArguments) -> Result<u8, Failure> {
    let traffic = &arguments.traffic;
    let program = packet_program::load(&arguments.program.program, &arguments.preprocessor)?;
    let machine = machine(arguments)?;
    let mut settings = kinds::Settings { undefined: arguments.switch.open.undefined.seed(), pipelines: None };
    if Architecture::from_name(machine.name()).is_some() {
        let pipelines =
            plan::machine(machine.name(), &arguments.build, &arguments.target, &program.program, traffic.seed)?;
        plan::refuse_known_load(&pipelines, &arguments.build)?;
        settings.pipelines = Some(pipelines);
    }
    if traffic.traffic.is_empty() {
        let error = Diagnostic::without_place("no packets come in");
        let hint = "`--traffic capture.pcap`, `--traffic 1=capture.pcap` for those of port 1, or `--traffic uniform`";
        return Err(error.hint(hint).into());
    }
    let made = made(arguments)?;
    let offer = match &made {
        Some((traffic, prepared)) => Offer::Traffic(traffic, prepared),
        None => captured(arguments)?,
    };
    let plan = Replay {
        entries: packet_program::entries(&arguments.capture.tables, &program)?,
        program: &program,
        offer,
        packets: traffic.packets,
        machine,
        settings,
        seed: traffic.seed,
        timeline: arguments.timeline.unwrap_or(0),
    };
    let (outcome, written) = replay_into(plan, arguments.out_dir.as_deref())?;
    output::tell_files(&written);
    if arguments.json {
        output::print_json(&outcome)?;
    } else {
        output::print(&outcome.to_string())?;
    }
    Ok(u8::from(!outcome.is_conserved()))
}

/// The machine that is named, or the one that P4 programs are written for.
fn machine(arguments: &RunArguments) -> Result<&'static dyn kinds::Kind, Failure> {
    match (arguments.machine.as_deref(), arguments.switch.executor) {
        (Some(name), _) if name != packet_program::MACHINE => kinds::named(name),
        (_, ExecutorKind::Interpreter) => kinds::named(packet_program::MACHINE),
        (_, ExecutorKind::Native) => kinds::named(packet_program::NATIVE),
    }
}

/// The packets of a plan of traffic, if that is what was named; captures come in as they were captured.
fn made(arguments: &RunArguments) -> Result<Option<(Traffic, Prepared)>, Failure> {
    let [kind] = arguments.traffic.traffic.as_slice() else { return Ok(None) };
    if !packet_program::is_made(kind) {
        return Ok(None);
    }
    let traffic = plan::traffic(kind, &arguments.traffic, &arguments.build)?;
    if let Some((option, _)) =
        [("--port", arguments.capture.port.is_some()), ("--rate", arguments.capture.rate.is_some())]
            .into_iter()
            .find(|(_, given)| *given)
    {
        let error = Diagnostic::without_place(format!("`{option}` is for captures, and `{kind}` is none"));
        return Err(error.hint("leave it out: a plan of traffic has ports and rates of its own").into());
    }
    let period = basis::Duration::from_picoseconds(arguments.build.clock_period);
    let pipelines = u16::try_from(arguments.build.pipelines).unwrap_or(u16::MAX);
    // A program with a parser binds no fields: it gets whole packets.
    let nothing = Binding::record(Vec::new());
    let nothing = Binding::resolve(&[], None).unwrap_or(nothing);
    let prepared = traffic.prepare(&nothing, pipelines, period);
    let prepared = prepared.map_err(|(sources, diagnostics)| Failure::BadInput { sources, diagnostics })?;
    output::tell(&plan::warnings(&prepared));
    Ok(Some((traffic, prepared)))
}

/// The packets of captures.
fn captured(arguments: &RunArguments) -> Result<Offer<'static>, Failure> {
    let traffic = &arguments.traffic;
    if traffic.timestamps && arguments.capture.rate.is_some() {
        let error = Diagnostic::without_place("`--timestamps` and `--rate` exclude each other");
        return Err(error.hint("leave one of them out").into());
    }
    let captures: Vec<&str> = traffic.traffic.iter().map(String::as_str).collect();
    Ok(Offer::Captures {
        captures: packet_program::captures(&captures, arguments.capture.port)?,
        pace: arguments.capture.rate.map_or(Pace::Timestamps, Pace::Rate),
    })
}
