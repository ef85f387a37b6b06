//! Rates and latencies against closed forms.
//!
//! With `I` instructions a packet, `L` cycles an instruction, `W` cycles of waiting for replies a packet, `P` engines of `T`
//! threads and a clock `f`, an engine begins at most one instruction a cycle, and a thread holds a packet for `I L + W`
//! cycles. So a chip that always has packets takes `f P min(1 / I, T / (I L + W))` packets a second, and a packet that finds
//! it idle leaves after `I L + W` cycles.

use basis::Rate;
use machines::Device;
use machines::trio::TrioParameters;

use crate::bench::{Bench, text};

/// Returns a program whose threads execute so many instructions a packet, the last of which drops it, and so many reads on chip,
/// for each of which they wait.
fn work(instructions: u32, reads: u32) -> String {
    let mut all = String::new();
    for number in 0..instructions {
        let name = if number == 0 { "start".to_owned() } else { format!("i{number}") };
        let next = number + 1;
        let body = match () {
            () if next == instructions => "async drop 0u8 reason done\nend".to_owned(),
            () if number < reads => format!("read 0u8, 8 -> a\ngoto i{next}"),
            () => format!("b = b + 1u64\ngoto i{next}"),
        };
        all += &format!("instruction {name} {{\n{body}\n}}\n");
    }
    text("segment words: on_chip at 0 size 64\nreason done", &all)
}

fn chip(ppes: u32, threads: u32) -> TrioParameters {
    let mut parameters = TrioParameters { ppes, threads, waiting: 1 << 20, ..TrioParameters::default() };
    parameters.ports = vec![Rate::from_gigabits_per_second(1000); 4];
    // All reads are of one word, and so of one bank, whose queue must not limit.
    parameters.memory.queue = 4096;
    parameters
}

/// Returns the cycles that a chip takes for so many packets that are all there from the beginning.
fn cycles(text: &str, parameters: TrioParameters, packets: u64) -> u64 {
    let mut bench = Bench::new(text, parameters);
    for _ in 0..packets {
        bench.offer(0, 0, &[0; 60]);
    }
    bench.finish();
    assert_eq!(bench.seen.discarded.len() as u64, packets);
    bench.seen.discarded.iter().map(|(at, _)| *at).max().unwrap_or(0)
}

fn within_a_percent(measured: f64, expected: f64, what: &str) {
    assert!((measured / expected - 1.0).abs() < 0.01, "{what}: {measured} instead of {expected}");
}

#[test]
fn the_rate_is_that_of_the_closed_form() {
    for (instructions, reads, ppes, threads) in
        [(1, 0, 1, 20), (5, 0, 2, 20), (40, 0, 3, 20), (40, 0, 2, 7), (10, 4, 2, 20), (10, 4, 2, 60), (20, 1, 16, 20)]
    {
        let text = work(instructions, reads);
        let of = |packets| cycles(&text, chip(ppes, threads), packets) as f64;
        // What the beginning and the end take cancels out.
        let (few, many) = (u64::from(ppes * threads) * 20, u64::from(ppes * threads) * 60);
        let measured = (many - few) as f64 / (of(many) - of(few));
        let [i, w, p, t] = [instructions, reads * 70, ppes, threads].map(f64::from);
        // The thread is free when its last transaction has been answered.
        let w = w + 70.0;
        let expected = p * (1.0 / i).min(t / (i * 20.0 + w));
        within_a_percent(
            measured,
            expected,
            &format!("{instructions} instructions, {reads} reads, {ppes} x {threads}"),
        );
    }
}

#[test]
fn the_latency_of_an_idle_chip_is_that_of_the_closed_form() {
    for (instructions, reads) in [(1, 0), (2, 0), (10, 0), (10, 3), (40, 20)] {
        let mut bench = Bench::new(&work(instructions, reads), chip(4, 20));
        bench.offer(1000, 0, &[0; 60]);
        bench.finish();
        let expected = u64::from(instructions * 20 + reads * 70) + 25;
        assert_eq!(bench.seen.discarded[0].0 - 1000, expected, "{instructions} instructions, {reads} reads");
    }
}

/// Rich and simple programs share the cycles of the engines: packets of a mix take the mean of their instructions.
#[test]
fn a_mix_takes_the_mean_of_its_programs() {
    let rich = 32;
    let mut all = "instruction start {\ngoto simple if port == 0u16\ngoto i2\n}\n".to_owned();
    for number in 2..rich {
        all += &format!("instruction i{number} {{\nb = b + 1u64\ngoto i{}\n}}\n", number + 1);
    }
    let last = "async drop 0u8 reason done\nend";
    all += &format!("instruction i{rich} {{\n{last}\n}}\ninstruction simple {{\n{last}\n}}\n");
    let text = text("reason done", &all);
    for share in [4, 2, 1] {
        let of = |packets: u64| {
            let mut bench = Bench::new(&text, chip(4, 20));
            for number in 0..packets {
                bench.offer(0, u16::from(number % share == 0), &[0; 60]);
            }
            bench.finish();
            bench.seen.discarded.iter().map(|(at, _)| *at).max().unwrap_or(0) as f64
        };
        let measured = 8000.0 / (of(12_000) - of(4_000));
        let mean = (f64::from(rich) + 2.0 * (share - 1) as f64) / share as f64;
        let expected = 4.0 * (1.0 / mean).min(20.0 / (mean * 20.0 + 70.0));
        within_a_percent(measured, expected, &format!("one of {share} is rich"));
    }
}

/// Below what the chip can take, what is offered comes out; above it, the rest is dropped with a reason.
#[test]
fn more_than_the_chip_can_take_is_dropped_with_a_reason() {
    // 2 engines and 10 instructions: 0.2 packets a cycle, less what the last transaction takes.
    let text = work(10, 0);
    for spacing in [4, 8, 16] {
        let parameters = TrioParameters { waiting: 100, ..chip(2, 40) };
        let mut bench = Bench::new(&text, parameters);
        let packets = 20_000;
        for number in 0..packets {
            bench.offer(number * spacing, 0, &[0; 60]);
        }
        bench.finish();
        let done = bench.seen.discarded.iter().filter(|(_, reason)| *reason == "done").count() as f64;
        let lost = bench.seen.discarded.len() as f64 - done;
        let expected = (0.2 * spacing as f64).min(1.0);
        within_a_percent(done / packets as f64, expected, &format!("a packet every {spacing} cycles"));
        assert_eq!(lost > 0.0, spacing == 4);
        assert_eq!(Device::statistics(&bench.chip).received, packets);
    }
}
