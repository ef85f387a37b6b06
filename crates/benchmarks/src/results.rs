//! What is measured: the parts that were asked for, one after the other.

use std::env;
use std::path::Path;

use diagnostics::Failure;
use files::console;
use serde::Serialize;
use traffic::Traffic;
use workbench::shipped_program;

use crate::aggregation::{AggregationSpeed, aggregation};
use crate::arguments::{Arguments, Part};
use crate::chip::{self, MeasuredChip, MeasuredTrimming, chips, trimming};
use crate::controllers::{MeasuredControllers, controllers};
use crate::live::{MeasuredLive, MeasuredRefresh, change_of_routes, live};
use crate::long_stream::{LongStream, Mark, MeasuredStream, long_stream};
use crate::networks::{MeasuredNetwork, PLANS, networks};
use crate::programs::{Measured, programs};
use crate::router::{CompileTime, MeasuredRouter, Tables, compile_time, compile_times, router};
use crate::tables::mebibytes;
use crate::timing::Verdict;
use crate::traces::{MeasuredTrace, traces};
use crate::trio::{ChipRate, ChipSpeed, rates, speeds};
use crate::virtual_switch::{MeasuredAttack, MeasuredVirtualSwitch, attacks, virtual_switch};

/// The Domino programs that are measured: one with two dependent registers, one with three independent ones, and one
/// with a single counter.
const PROGRAMS: [&str; 3] = ["flowlet", "heavy_hitters", "sequencer"];

/// The results in JSON. Parts that were not asked for are empty lists.
#[derive(Default, Serialize)]
pub struct Results {
    /// The router in P4, in pairs: machine code and the interpreter on the same packets.
    pub routers: Vec<MeasuredRouter>,
    /// The router on the chip for the Tofino Native Architecture, and on the v1model switch.
    pub chips: Vec<MeasuredChip>,
    /// A network around the chip, whose program trims packets.
    pub trimming: Option<MeasuredTrimming>,
    /// The speed at which the run-to-completion chip is simulated.
    pub trio_speeds: Vec<ChipSpeed>,
    /// The packets a second that chips of all generations take.
    pub trio_rates: Vec<ChipRate>,
    /// How fast the plain aggregator adds up the values of packets.
    pub aggregation: Vec<AggregationSpeed>,
    /// What the virtual switch's options bring, and what connections cost it.
    pub virtual_switch: Option<MeasuredVirtualSwitch>,
    /// What attacks of a guest cost the virtual switch.
    pub attacks: Vec<MeasuredAttack>,
    /// The project's P4 programs.
    pub compile_times: Vec<CompileTime>,
    /// Domino programs on every machine with pipelines.
    pub programs: Vec<Measured>,
    /// MP5 on its artifact's traces.
    pub traces: Vec<MeasuredTrace>,
    /// Streams during which memory must not grow.
    pub streams: Vec<MeasuredStream>,
    /// Simulated networks.
    pub networks: Vec<MeasuredNetwork>,
    /// A switch under the load of controllers.
    pub controllers: Option<MeasuredControllers>,
    /// Live switches, if asked for by name.
    pub live: Option<MeasuredLive>,
    /// A change of routes in the live virtual switch, if asked for by name.
    pub refresh: Option<MeasuredRefresh>,
}

impl Results {
    /// Measures what the arguments ask for.
    pub fn measure(arguments: &Arguments) -> Result<Self, Failure> {
        match arguments.stream_packets {
            // Measured alone, so that the memory reported is theirs.
            Some(packets) => Ok(Self { streams: measure_streams(packets)?, ..Self::default() }),
            None => measure_parts(arguments),
        }
    }

    /// Returns whether a machine ended in a state other than the required one.
    pub fn is_wrong(&self) -> bool {
        let traces = self.traces.iter().filter(|trace| trace.must_be_equal).map(|trace| trace.verdict);
        let streams = self.streams.iter().filter_map(|stream| stream.verdict);
        // Results come in pairs: machine code and the interpreter on the same packets.
        let routers = self.routers.chunks(2).any(|pair| pair.iter().any(|one| one.forwarded != pair[0].forwarded));
        let chips = self.chips.iter().any(|chip| chip.forwarded != self.chips[0].forwarded);
        let sums = self.aggregation.iter().map(|speed| speed.verdict);
        routers || chips || traces.chain(streams).chain(sums).any(|verdict| verdict == Verdict::Differs)
    }
}

/// Measures the parts that were asked for.
fn measure_parts(arguments: &Arguments) -> Result<Results, Failure> {
    let mut results = Results::default();
    if arguments.wants(Part::Routers) {
        results.routers = measure_routers(arguments.quick)?;
    }
    if arguments.wants(Part::Chips) {
        console::tell("measuring a router on two switches …\n");
        results.chips = chips(arguments.quick)?;
        results.trimming = measure_trimming(arguments.quick)?;
    }
    if arguments.wants(Part::Trio) {
        console::tell("measuring a chip of threads …\n");
        results.trio_speeds = speeds(arguments.quick)?;
        results.trio_rates = rates(arguments.quick)?;
    }
    if arguments.wants(Part::Aggregation) {
        console::tell("measuring an aggregator …\n");
        results.aggregation = aggregation(arguments.quick);
    }
    if arguments.wants(Part::VirtualSwitch) {
        console::tell("measuring the virtual switch …\n");
        results.virtual_switch = Some(virtual_switch(arguments.quick)?);
    }
    if arguments.wants(Part::Attacks) {
        console::tell("measuring attacks …\n");
        results.attacks = attacks(arguments.quick)?;
    }
    if arguments.wants(Part::Compiling) {
        results.compile_times = measure_compile_times()?;
    }
    if arguments.wants(Part::Programs) {
        results.programs = measure_programs(arguments.packets)?;
    }
    if arguments.wants(Part::Traces) {
        results.traces = measure_traces(arguments.packets)?;
    }
    if arguments.wants(Part::Networks) {
        results.networks = measure_networks(arguments.quick)?;
    }
    if arguments.wants(Part::Controllers) {
        console::tell("measuring controllers …\n");
        results.controllers = Some(controllers(arguments.quick)?);
    }
    if arguments.wants(Part::Live) {
        results.live = Some(live(arguments.rounds, arguments.quick)?);
    }
    if arguments.wants(Part::Refresh) {
        console::tell("measuring a change of routes …\n");
        results.refresh = change_of_routes(arguments.quick)?;
    }
    Ok(results)
}

fn measure_routers(quick: bool) -> Result<Vec<MeasuredRouter>, Failure> {
    let mut all = Vec::new();
    for tables in if quick { &Tables::ALL[..1] } else { &Tables::ALL[..] } {
        console::tell(&format!("measuring a router of {} routes and {} rules …\n", tables.routes, tables.rules));
        all.extend(router(*tables, 1, quick)?);
    }
    Ok(all)
}

/// The variable that names a checkout of p4lang/p4app-switchML, whose program is compiled as well: `make bench
/// SWITCHML=FOLDER`.
const SWITCHML: &str = "SWITCHML";

/// Measures how long the project's P4 programs take to compile. They are not built into this program, so outside the
/// project's folder there are none.
fn measure_compile_times() -> Result<Vec<CompileTime>, Failure> {
    let folder = Path::new("programs/p4");
    if !folder.is_dir() {
        console::tell("skipping compile times: they need the folder programs/p4 of Polyplane's sources\n");
        return Ok(Vec::new());
    }
    let mut times = compile_times(folder)?;
    if let Some(checkout) = env::var_os(SWITCHML).filter(|folder| !folder.is_empty()) {
        let file = Path::new(&checkout).join("dev_root/p4/switchml.p4");
        times.insert(0, compile_time("p4app-switchML".to_owned(), &file)?);
    }
    Ok(times)
}

/// Measures networks, and compares with htsim if `HTSIM` names the folder of its binaries: `make bench HTSIM=FOLDER`.
/// Like the P4 programs, their plans are in the project's folder.
fn measure_networks(quick: bool) -> Result<Vec<MeasuredNetwork>, Failure> {
    if !Path::new(PLANS).is_dir() {
        console::tell(&format!("skipping networks: they need the folder {PLANS} of Polyplane's sources\n"));
        return Ok(Vec::new());
    }
    console::tell("measuring networks …\n");
    let this = env::current_exe().map_err(|error| Failure::plain(format!("cannot locate this executable: {error}")))?;
    let htsim = env::var_os("HTSIM").filter(|folder| !folder.is_empty());
    networks(&this, htsim.as_deref().map(Path::new), quick)
}

/// Measures a network around the chip. Its plan is in the project's folder.
fn measure_trimming(quick: bool) -> Result<Option<MeasuredTrimming>, Failure> {
    if !Path::new(chip::PLAN).is_file() {
        console::tell(&format!("skipping a network around the chip: it needs {} of Polyplane's sources\n", chip::PLAN));
        return Ok(None);
    }
    console::tell("measuring a network around the chip …\n");
    trimming(quick).map(Some)
}

fn measure_programs(packets: u64) -> Result<Vec<Measured>, Failure> {
    let mut all = Vec::new();
    for name in PROGRAMS {
        console::tell(&format!("measuring {name} …\n"));
        let loaded = shipped_program(name)?;
        let mut traffic =
            Traffic::parse("uniform").map_err(|(sources, diagnostics)| Failure::BadInput { sources, diagnostics })?;
        traffic.packets = Some(packets);
        all.extend(programs(&loaded, &traffic, 4)?);
    }
    Ok(all)
}

fn measure_traces(packets: u64) -> Result<Vec<MeasuredTrace>, Failure> {
    console::tell("measuring the published traces …\n");
    traces(packets)
}

fn measure_streams(packets: u64) -> Result<Vec<MeasuredStream>, Failure> {
    let measure = |plan: LongStream| {
        console::tell(&format!("{} packets of {} bytes …\n", plan.packets, plan.packet_size));
        let tell = |who: &str, mark: &Mark| {
            let Mark { percent, packets, seconds, resident_bytes } = *mark;
            let memory = mebibytes(resident_bytes);
            console::tell(&format!("  {who}: {percent:>3}%, {packets} packets in {seconds:.1} s, memory {memory}\n"));
        };
        long_stream(&plan, &mut { tell })
    };
    LongStream::both(packets).into_iter().map(measure).collect()
}
