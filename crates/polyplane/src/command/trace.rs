//! `polyplane trace`: shows everything that happens to one packet.

use polyplane::Diagnostic;
use polyplane::Failure;
use polyplane::rooms::basis::Instant;
use polyplane::rooms::node::{Offered, Port};
use polyplane::rooms::wire::Packet;
use polyplane::rooms::workbench::kinds::Settings;
use polyplane::rooms::workbench::run::Offer;
use polyplane::rooms::workbench::{trace_nth, trace_packet};

use crate::arguments::TrafficArguments;
use crate::packet_arguments::TraceArguments;
use crate::packets::PORT;
use crate::{loading, output, packets};

pub fn run(arguments: &TraceArguments) -> Result<u8, Failure> {
    let program = loading::load(&arguments.program)?;
    let (kind, settings) = arguments.on.chosen(&program)?;
    let machine = kind.pipelines(&program, &settings)?;
    let named: Vec<String> = arguments.traffic.iter().cloned().collect();
    let packets = match &arguments.packet {
        None if named.is_empty() => {
            let error = Diagnostic::without_place("no packet to trace is given");
            return Err(error.hint("use `--packet 080045000014`, or `--traffic capture.pcap --nth 17`").into());
        }
        None => {
            let traffic = TrafficArguments { traffic: named, seed: arguments.seed, ..TrafficArguments::default() };
            Some(packets::offered(&program, &traffic, &arguments.capture, machine.as_ref())?)
        }
        Some(_) => None,
    };
    let known = packets.as_ref().and_then(Offer::prepared).cloned();
    let fitted = kind.fit(&program, &Settings { packets: known, ..settings })?;
    let mut device = fitted.build(arguments.seed)?;
    loading::entries(&arguments.capture.tables, &program)?.apply(&mut *device)?;
    let traces = match (&arguments.packet, &packets) {
        (Some(digits), _) => {
            let port = Port(arguments.capture.port.unwrap_or(PORT));
            let packet = Packet::of_bytes(&bytes(digits)?);
            trace_packet(&mut *device, Offered { at: Instant::ZERO, port, packet })?
        }
        (None, Some(packets)) => trace_nth(&mut *device, packets, arguments.nth)?,
        (None, None) => unreachable!("refused above"),
    };
    if arguments.json {
        output::print_json(&traces)?;
    } else {
        output::print(&traces.iter().map(ToString::to_string).collect::<String>())?;
    }
    Ok(0)
}

/// Parses hexadecimal digits into bytes; white space and colons between digits are ignored.
fn bytes(text: &str) -> Result<Vec<u8>, Failure> {
    let digits: Vec<char> = text.trim_start_matches("0x").chars().filter(|c| !c.is_whitespace() && *c != ':').collect();
    if let Some(wrong) = digits.iter().find(|digit| !digit.is_ascii_hexdigit()) {
        let error = Diagnostic::without_place(format!("`{wrong}` in `--packet` is not a hexadecimal digit"));
        return Err(error.hint("write the bytes as in `--packet 080045000014`").into());
    }
    if !digits.len().is_multiple_of(2) {
        let error = Diagnostic::without_place(format!("`--packet` has an odd number of digits ({})", digits.len()));
        return Err(error.hint("write two digits for each byte").into());
    }
    let value = |digit: &char| digit.to_digit(16).unwrap_or(0) as u8;
    Ok(digits.chunks(2).map(|pair| value(&pair[0]) << 4 | value(&pair[1])).collect())
}
