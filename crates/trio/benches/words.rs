//! Benchmark of words beside the IR: instructions per second on one core, of the paper's filter and of a loop over memory, by the
//! stepping interpreter and by the encoded words. Run it with `cargo bench -p polyplane-trio --bench words`.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant as Clock;

use basis::Instant;
use diagnostics::Sources;
use ir::interpret::threads::{Instructions, Output, Start, Thread, ThreadCode, ThreadEnding, run};
use trio::{Image, Parameters};

const FILTER: &str = include_str!("../../../programs/microcode/filter/filter.mc");
const TAIL: &str = include_str!("../../../programs/microcode/tail_inspection/tail_inspection.mc");
const HEADERS: &str = include_str!("../../../programs/microcode/include/headers.mc");

/// Returns how many instructions are executed in a second.
fn rate<I: Instructions>(code: &I, packet: &[u8], packets: u64) -> f64 {
    let mut state = code.declarations().program().initial_state();
    let start = Start::packet(1, packet, Instant::ZERO);
    let mut thread = Thread::new(code, &start).expect("an entrance");
    let mut outputs: Vec<Output> = Vec::new();
    let (since, mut instructions) = (Clock::now(), 0);
    for _ in 0..packets {
        thread.begin(code, &start);
        assert_eq!(run(code, &mut state, &mut thread, Instant::ZERO, &mut outputs), ThreadEnding::Done);
        instructions += thread.executed();
        black_box(&outputs);
        outputs.clear();
    }
    instructions as f64 / since.elapsed().as_secs_f64()
}

fn main() {
    let mut packet = [7; 1500];
    packet[12..15].copy_from_slice(&[8, 0, 0x45]);
    for (name, text, bytes, packets) in [("filter", FILTER, 64, 2_000_000), ("tail_inspection", TAIL, 1500, 30_000)] {
        let include: BTreeMap<String, String> = [("../include/headers.mc".to_owned(), HEADERS.to_owned())].into();
        let mut sources = Sources::new();
        let program = microcode::compile(&mut sources, "bench.mc", text, &include).expect("it compiles").program;
        let image = Image::new(&program, &Parameters::default(), Vec::new()).expect("it fits");
        let code = ThreadCode::new(Arc::new(program));
        for round in 0..3 {
            let of_ir = rate(&code, &packet[..bytes], packets) / 1e6;
            let of_words = rate(&image.code(), &packet[..bytes], packets) / 1e6;
            println!("{name:<16} round {round}: IR {of_ir:>5.1}, words {of_words:>5.1} million instructions/s");
        }
    }
}
