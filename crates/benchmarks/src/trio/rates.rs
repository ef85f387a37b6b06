//! How many packets a second chips take, by the number of instructions of a packet.

use std::fmt::Write;

use diagnostics::Failure;
use machines::trio::{PRESETS, TrioParameters};
use report::{Axis, Curve, CurveChart, Quantity, curves};
use serde::Serialize;

use super::work::{program, run};

/// The bytes of the shortest Ethernet frame on the wire, with preamble and gap.
const SHORTEST_FRAME: f64 = 84.0;
/// The numbers of instructions.
const INSTRUCTIONS: [u32; 12] = [1, 5, 10, 20, 40, 60, 80, 100, 150, 200, 300, 400];
/// The least number of instructions that the figure shows: with fewer, chips take many times what their ports carry.
const LEAST_SHOWN: u32 = 40;
/// The cycles that a thread waits for the reply to its last transaction, which gives the packet back.
const WAITS: f64 = 70.0;

/// The packets a second that a chip takes.
#[derive(Debug, Serialize)]
pub struct ChipRate {
    /// The generation of the chip.
    pub preset: &'static str,
    /// The instructions of a packet.
    pub instructions: u32,
    /// The packets a second in the simulation.
    pub packets_per_second: f64,
    /// The packets a second of the closed form.
    pub closed_form: f64,
    /// The packets a second of the shortest frames at the rates of all ports.
    pub line_rate: f64,
}

/// Measures chips of all generations; with `quick`, one number of instructions of one of them.
pub fn rates(quick: bool) -> Result<Vec<ChipRate>, Failure> {
    let mut all = Vec::new();
    for preset in if quick { &PRESETS[..1] } else { &PRESETS[..] } {
        for instructions in if quick { &INSTRUCTIONS[2..3] } else { &INSTRUCTIONS[..] } {
            all.push(rate(preset.name, preset.parameters(), *instructions)?);
        }
    }
    Ok(all)
}

fn rate(preset: &'static str, parameters: TrioParameters, instructions: u32) -> Result<ChipRate, Failure> {
    let (ppes, threads) = (f64::from(parameters.ppes), f64::from(parameters.threads));
    let latency = f64::from(instructions * parameters.instruction_cycles) + WAITS;
    let per_cycle = ppes * (1.0 / f64::from(instructions)).min(threads / latency);
    let bits = parameters.ports.iter().map(|rate| rate.bits_per_second() as f64).sum::<f64>();
    // All packets are there from the beginning, so the chip is never idle; what its beginning and its end take cancels out.
    let program = program("work.ir", &work(instructions));
    let seconds = |rounds: u64| -> Result<(u64, f64), Failure> {
        let packets = u64::from(parameters.ppes * parameters.threads) * rounds;
        let parameters = TrioParameters { waiting: 1 << 20, ..parameters.clone() };
        let (ends, _) = run(&program, parameters, packets, 0)?;
        Ok((packets, ends.times.last().copied().unwrap_or(0) as f64 / 1e12))
    };
    let [(few, short), (many, long)] = [seconds(2)?, seconds(8)?];
    // Each packet is one request to the packet buffer.
    let buffer = &parameters.memory.packet_buffer;
    let of_buffer = f64::from(buffer.engines) / f64::from(buffer.cycles);
    Ok(ChipRate {
        preset,
        instructions,
        packets_per_second: (many - few) as f64 / (long - short),
        closed_form: per_cycle.min(of_buffer) * parameters.clock as f64,
        line_rate: bits / 8.0 / SHORTEST_FRAME,
    })
}

/// Returns a program whose threads execute so many instructions a packet, the last of which drops it.
fn work(instructions: u32) -> String {
    let mut text = String::from(
        "program work\nlocal a: bit<32>\nlocal_memory 256\nhead 64 size 64\nreason done\n\
         flow (memory(90u8, 0, 64))\n",
    );
    for number in 0..instructions {
        let next = number + 1;
        let body = match next == instructions {
            true => "async drop 0u8 reason done\nend".to_owned(),
            false => format!("a = a + 1u32\ngoto i{next}"),
        };
        let _ = writeln!(text, "instruction i{number} {{\n{body}\n}}");
    }
    text + "entrance packet = instruction i0\n"
}

/// Draws the rates of all chips, each with its line rate as a line of dashes.
pub fn figure(rates: &[ChipRate]) -> String {
    let mut chart = CurveChart {
        x: Axis::new("instructions of a packet", Quantity::Count),
        y: Axis::new("million packets a second", Quantity::Number),
        is_from_zero: true,
        ..CurveChart::default()
    };
    for (colour, of_chip) in rates.chunk_by(|one, next| one.preset == next.preset).enumerate() {
        let name = of_chip[0].preset;
        let point = |rate: &ChipRate| (f64::from(rate.instructions), rate.packets_per_second / 1e6);
        let shown = of_chip.iter().filter(|rate| rate.instructions >= LEAST_SHOWN);
        let points: Vec<(f64, f64)> = shown.map(point).collect();
        let ends = [points.first(), points.last()];
        let line = of_chip[0].line_rate / 1e6;
        let at_line_rate = ends.into_iter().flatten().map(|point| (point.0, line)).collect();
        chart.curves.push(Curve { name: name.to_owned(), colour, points });
        chart.published.push(Curve { name: format!("{name}: line rate"), colour, points: at_line_rate });
    }
    curves(&chart)
}
