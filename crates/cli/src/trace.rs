//! `polyplane trace`: everything that happens to one packet.

use basis::Instant;
use diagnostics::Diagnostic;
use experiments::Failure;
use experiments::packet_programs::replay::{Pace, nth_packet};
use experiments::packet_programs::{Observed, build_switch, trace};
use wire::Packet;

use crate::packet_arguments::{SwitchArguments, TraceArguments};
use crate::{output, packet_program};

pub fn run(arguments: &TraceArguments) -> Result<u8, Failure> {
    let program = packet_program::load(&arguments.program, &arguments.preprocessor)?;
    let options =
        SwitchArguments { open: arguments.open.clone(), ..SwitchArguments::default() }.options(arguments.seed);
    let mut switch = build_switch(&program, &options)?;
    packet_program::entries(&arguments.capture.tables, &program)?.apply(&mut *switch)?;
    let observed = match (&arguments.packet, &arguments.traffic) {
        (Some(digits), _) => Observed {
            number: 1,
            port: arguments.capture.port.unwrap_or(packet_program::PORT),
            at: Instant::ZERO,
            packet: Packet::of_bytes(&bytes(digits)?),
        },
        (None, Some(traffic)) => {
            let capture = packet_program::captures(&[traffic], arguments.capture.port)?.remove(0);
            let pace = arguments.capture.rate.map_or(Pace::Timestamps, Pace::Rate);
            nth_packet(&mut *switch, capture, pace, arguments.nth)?
        }
        (None, None) => {
            let error = Diagnostic::without_place("what happens to which packet?");
            return Err(error.hint("`--packet 080045000014`, or `--traffic capture.pcap --nth 17`").into());
        }
    };
    let traces = trace(&mut *switch, observed)?;
    if arguments.json {
        output::print_json(&traces)?;
    } else {
        output::print(&traces.iter().map(ToString::to_string).collect::<String>())?;
    }
    Ok(0)
}

/// The bytes of hexadecimal digits, between which blanks and colons may stand.
fn bytes(text: &str) -> Result<Vec<u8>, Failure> {
    let digits: Vec<char> = text.trim_start_matches("0x").chars().filter(|c| !c.is_whitespace() && *c != ':').collect();
    if let Some(wrong) = digits.iter().find(|digit| !digit.is_ascii_hexdigit()) {
        let error = Diagnostic::without_place(format!("`{wrong}` in --packet is no hexadecimal digit"));
        return Err(error.hint("such as `--packet 080045000014`").into());
    }
    if !digits.len().is_multiple_of(2) {
        let error = Diagnostic::without_place(format!("--packet has {} digits", digits.len()));
        return Err(error.hint("each byte has two").into());
    }
    let value = |digit: &char| digit.to_digit(16).unwrap_or(0) as u8;
    Ok(digits.chunks(2).map(|pair| value(&pair[0]) << 4 | value(&pair[1])).collect())
}
