//! A benchmark of the simulation speed of the machines, in packets/s and stage-cycles/s, on the default switch of the
//! MP5 paper (section 4.3.1: 16 stages, of which 4 have state; 4 pipelines; 512 register entries; 64-byte packets on 64
//! ports). Run it with `cargo bench -p polyplane-machines`; an argument sets the number of packets.

use std::fmt::Write;
use std::time::Instant as WallClock;

use basis::{Instant, Random};
use ir::pipeline::Pipeline;
use machines::banzai::{self, Banzai};
use machines::mp5::{self, Mp5, Sharding};
use machines::recirculating;
use machines::{Device, Statistics};
use measure::{Event, Interest};
use node::{Discarded, Offered, Port, Sink, Transmission, drive};
use runtime::binding::Binding;
use wire::Packet;

const STATEFUL: usize = 4;
const INDICES: u32 = 512;

/// Returns a pipeline of 16 stages: the first one resolves addresses, and after it every third one counts packets by a
/// field of its own.
fn synthetic() -> Pipeline {
    let mut text = String::from("pipeline synthetic\n");
    for number in 0..STATEFUL {
        writeln!(text, "field index{number}: int<32>\nfield count{number}: int<32>").unwrap();
        writeln!(text, "local old{number}: int<32>\nlocal new{number}: int<32>").unwrap();
        writeln!(text, "local double{number}: int<32>\nlocal sum{number}: int<32>").unwrap();
    }
    // Fields must be declared before locals.
    let (fields, locals): (Vec<&str>, Vec<&str>) = text.lines().skip(1).partition(|line| line.starts_with("field"));
    let mut text = format!("pipeline synthetic\n{}\n{}\n", fields.join("\n"), locals.join("\n"));
    for number in 0..STATEFUL {
        writeln!(text, "register counts{number}: int<32>[{INDICES}] = fill 0").unwrap();
    }
    text.push_str("resolution 1\nstage {\n}\n");
    let mut accesses = String::new();
    for number in 0..STATEFUL {
        writeln!(accesses, "access @counts{number} stage {} index index{number} always sharded", 1 + 3 * number)
            .unwrap();
        let place = format!("@counts{number}[index{number}]");
        writeln!(text, "stage {{\n  atom raw {{\n    old{number} = {place}").unwrap();
        writeln!(text, "    new{number} = old{number} + 1i32\n    {place} = new{number}\n  }}\n}}").unwrap();
        writeln!(text, "stage {{\n  atom {{ double{number} = new{number} << 1i32 }}\n}}").unwrap();
        writeln!(text, "stage {{\n  atom {{ sum{number} = double{number} + index{number} }}\n}}").unwrap();
    }
    text.push_str(&"stage {\n}\n".repeat(16 - 1 - 3 * STATEFUL));
    text.push_str(&accesses);
    for number in 0..STATEFUL {
        writeln!(text, "export count{number} = sum{number}").unwrap();
    }
    ir::parse::pipeline("synthetic", &text).expect("the text is a pipeline")
}

/// Returns three packets per nanosecond on alternating ports. This is three quarters of line rate, so that the machines
/// are measured and not the memory of ever longer queues. It is a stream, so that buffers are reused.
fn packets(count: u64) -> impl Iterator<Item = Offered> {
    let mut random = Random::new(1);
    let packet = move |number: u64| {
        let mut bytes = [0; 64];
        for index in bytes.chunks_exact_mut(8).take(STATEFUL) {
            index[..4].copy_from_slice(&(random.below(u64::from(INDICES)) as u32).to_be_bytes());
        }
        let at = Instant::from_picoseconds(number * 1000 / 3);
        Offered { at, port: Port((number % 64) as u16), packet: Packet::of_bytes(&bytes) }
    };
    (0..count).map(packet)
}

struct Nobody;

impl Sink for Nobody {
    fn transmitted(&mut self, _: Transmission) {}
    fn discarded(&mut self, _: Instant, _: Discarded) {}
    fn event(&mut self, _: Instant, _: Event) {}
}

fn measure(name: &str, mut machine: impl Device, packets: impl Iterator<Item = Offered>) {
    let start = WallClock::now();
    drive(&mut machine, packets, Interest::default(), &mut Nobody).expect("the machine becomes idle");
    let seconds = start.elapsed().as_secs_f64();
    let Statistics { received, stage_cycles, cycles, largest_queue, recirculations, .. } = machine.statistics();
    println!(
        "{name:<28} {:>10.0} packets/s {:>12.0} stage-cycles/s   ({received} packets in {cycles} cycles, largest \
         queue {largest_queue}, {recirculations} recirculations)",
        received as f64 / seconds,
        stage_cycles as f64 / seconds,
    );
}

fn main() {
    let count = std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(400_000);
    let pipeline = synthetic();
    let binding = || Binding::record(vec![32; 2 * STATEFUL]);
    let suits = "the pipeline suits the machine";
    let banzai = Banzai::new(&pipeline, binding(), banzai::BanzaiParameters::default()).expect(suits);
    measure("banzai", banzai, packets(count));
    let mp5 = |sharding| {
        let parameters = mp5::Mp5Parameters { sharding, ..mp5::Mp5Parameters::default() };
        Mp5::new(&pipeline, binding(), parameters).expect(suits)
    };
    measure("mp5, dynamic sharding", mp5(Sharding::Dynamic), packets(count));
    measure("mp5, static random sharding", mp5(Sharding::StaticRandom), packets(count));
    let recirculating =
        recirculating::build(&pipeline, binding(), recirculating::RecirculatingParameters::default()).expect(suits);
    measure("recirculating", recirculating, packets(count));
}
