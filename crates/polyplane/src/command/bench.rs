//! `polyplane bench`: measures the speed of machines and networks on this computer.

use std::env;
use std::path::Path;

use polyplane::Failure;
use polyplane::rooms::benchmarks::{
    CompileTime, Htsim, LongStream, Mark, Measured, MeasuredNetwork, MeasuredRouter, MeasuredStream, MeasuredTrace,
    PUBLISHED_RATE, Tables, Verdict, compile_times, long_stream, networks, programs, router, traces,
};
use polyplane::rooms::report::Table;
use polyplane::rooms::traffic::Traffic;
use polyplane::rooms::workbench::shipped_program;
use serde::Serialize;

use crate::bench_arguments::{BenchArguments, BenchPart};
use crate::{output, packets};

/// The Domino programs that are measured: one with two dependent registers, one with three independent ones, and one
/// with a single counter.
const PROGRAMS: [&str; 3] = ["flowlet", "heavy_hitters", "sequencer"];

/// The results in JSON. Parts that were not asked for are empty lists.
#[derive(Default, Serialize)]
struct Results {
    routers: Vec<MeasuredRouter>,
    compile_times: Vec<CompileTime>,
    programs: Vec<Measured>,
    traces: Vec<MeasuredTrace>,
    streams: Vec<MeasuredStream>,
    networks: Vec<MeasuredNetwork>,
}

pub fn run(arguments: &BenchArguments) -> Result<u8, Failure> {
    let results = match arguments.stream_packets {
        // Measured alone, so that the memory reported is theirs.
        Some(packets) => Results { streams: measure_streams(packets)?, ..Results::default() },
        None => measure_parts(arguments)?,
    };
    if arguments.json {
        output::print_json(&results)?;
    } else {
        output::print(&as_text(&results))?;
    }
    Ok(u8::from(results.is_wrong()))
}

/// Measures the parts that were asked for; all of them if none was named.
fn measure_parts(arguments: &BenchArguments) -> Result<Results, Failure> {
    let is_wanted = |part| arguments.only.is_empty() || arguments.only.contains(&part);
    let mut results = Results::default();
    if is_wanted(BenchPart::Routers) {
        results.routers = measure_routers(arguments.quick)?;
    }
    if is_wanted(BenchPart::Compiling) {
        results.compile_times = measure_compile_times()?;
    }
    if is_wanted(BenchPart::Programs) {
        results.programs = measure_programs(arguments.packets)?;
    }
    if is_wanted(BenchPart::Traces) {
        results.traces = measure_traces(arguments.packets)?;
    }
    if is_wanted(BenchPart::Networks) {
        results.networks = measure_networks(arguments.quick)?;
    }
    Ok(results)
}

fn measure_routers(quick: bool) -> Result<Vec<MeasuredRouter>, Failure> {
    let mut all = Vec::new();
    for tables in if quick { &Tables::ALL[..1] } else { &Tables::ALL[..] } {
        output::tell(&format!("measuring a router of {} routes and {} rules …\n", tables.routes, tables.rules));
        all.extend(router(*tables, 1)?);
    }
    Ok(all)
}

/// Measures how long the project's P4 programs take to compile. They are not part of the command, so outside the
/// project's folder there are none.
fn measure_compile_times() -> Result<Vec<CompileTime>, Failure> {
    let folder = Path::new("programs/p4");
    if !folder.is_dir() {
        output::tell("skipping compile times: they need the folder programs/p4 of Polyplane's sources\n");
        return Ok(Vec::new());
    }
    compile_times(folder)
}

/// Measures networks, and compares with htsim if `HTSIM` names the folder of its binaries: `make bench HTSIM=FOLDER`.
fn measure_networks(quick: bool) -> Result<Vec<MeasuredNetwork>, Failure> {
    output::tell("measuring networks …\n");
    let polyplane =
        env::current_exe().map_err(|error| Failure::plain(format!("cannot locate this executable: {error}")))?;
    let htsim = env::var_os("HTSIM").filter(|folder| !folder.is_empty());
    networks(&polyplane, htsim.as_deref().map(Path::new), quick)
}

fn measure_programs(packets: u64) -> Result<Vec<Measured>, Failure> {
    let mut all = Vec::new();
    for name in PROGRAMS {
        output::tell(&format!("measuring {name} …\n"));
        let loaded = shipped_program(name)?;
        let mut traffic: Traffic = packets::parse_traffic("uniform")?;
        traffic.packets = Some(packets);
        all.extend(programs(&loaded, &traffic, 4)?);
    }
    Ok(all)
}

fn measure_traces(packets: u64) -> Result<Vec<MeasuredTrace>, Failure> {
    output::tell("measuring the published traces …\n");
    traces(packets)
}

fn measure_streams(packets: u64) -> Result<Vec<MeasuredStream>, Failure> {
    let measure = |plan: LongStream| {
        output::tell(&format!("{} packets of {} bytes …\n", plan.packets, plan.packet_size));
        let tell = |who: &str, mark: &Mark| {
            let Mark { percent, packets, seconds, resident_bytes } = *mark;
            let memory = mebibytes(resident_bytes);
            output::tell(&format!("  {who}: {percent:>3}%, {packets} packets in {seconds:.1} s, memory {memory}\n"));
        };
        long_stream(&plan, &mut { tell })
    };
    LongStream::both(packets).into_iter().map(measure).collect()
}

impl Results {
    /// Returns whether a machine ended in a state other than the required one.
    fn is_wrong(&self) -> bool {
        let traces = self.traces.iter().filter(|trace| trace.must_be_equal).map(|trace| trace.verdict);
        let streams = self.streams.iter().filter_map(|stream| stream.verdict);
        // Results come in pairs: machine code and the interpreter on the same packets.
        let routers = self.routers.chunks(2).any(|pair| pair.iter().any(|one| one.forwarded != pair[0].forwarded));
        routers || traces.chain(streams).any(|verdict| verdict == Verdict::Differs)
    }
}

fn as_text(results: &Results) -> String {
    let mut parts = Vec::new();
    if !results.routers.is_empty() {
        parts.push(output::aligned(&router_table(&results.routers)));
    }
    if !results.compile_times.is_empty() {
        parts.push(output::aligned(&compile_table(&results.compile_times)));
    }
    if !results.programs.is_empty() {
        parts.push(output::aligned(&program_table(&results.programs)));
    }
    if !results.traces.is_empty() {
        let note = format!(
            "x published: relative to MP5's published simulator at {PUBLISHED_RATE} packets/s; x its best: relative to \
             the best of eight runs of it that we measured\n"
        );
        parts.push(output::aligned(&trace_table(&results.traces)) + &note);
    }
    if !results.networks.is_empty() {
        parts.push(output::aligned(&network_table(&results.networks)) + &hop_lines(&results.networks));
    }
    if !results.streams.is_empty() {
        parts.push(output::aligned(&stream_table(&results.streams)));
    }
    parts.join("\n")
}

fn router_table(measured: &[MeasuredRouter]) -> Table {
    let row = |measured: &MeasuredRouter| {
        vec![
            measured.routes.to_string(),
            measured.rules.to_string(),
            measured.executor.to_owned(),
            millions(measured.bare_packets_per_second),
            millions(measured.switch_packets_per_second),
            format!("{:.0} ns", measured.latency_nanoseconds),
            measured.forwarded.to_string(),
        ]
    };
    let header = ["routes", "rules", "router by", "bare packets/s", "switch packets/s", "one packet", "forwarded"];
    table(&header, measured.iter().map(row))
}

fn compile_table(measured: &[CompileTime]) -> Table {
    let milliseconds = |seconds: f64| format!("{:.1} ms", seconds * 1e3);
    let row = |time: &CompileTime| {
        vec![time.program.clone(), milliseconds(time.front_end_seconds), milliseconds(time.native_seconds)]
    };
    table(&["P4 program", "to the IR", "to machine code"], measured.iter().map(row))
}

fn program_table(measured: &[Measured]) -> Table {
    let row = |measured: &Measured| {
        vec![
            measured.program.clone(),
            measured.machine.clone(),
            millions(measured.packets_per_second),
            or_none(measured.stage_cycles_per_second.map(millions)),
            ratio(measured.against_interpreter),
        ]
    };
    table(&["program", "machine", "packets/s", "stage-cycles/s", "x interpreter"], measured.iter().map(row))
}

fn trace_table(measured: &[MeasuredTrace]) -> Table {
    let row = |measured: &MeasuredTrace| {
        vec![
            measured.pattern.to_owned(),
            measured.pipelines.to_string(),
            measured.rules.clone(),
            millions(measured.packets_per_second),
            millions(measured.stage_cycles_per_second),
            ratio(measured.against_interpreter),
            or_none(measured.against_published.map(|times| format!("{times:.0}"))),
            or_none(measured.against_published_best.map(|times| format!("{times:.0}"))),
            measured.state.clone(),
            measured.interpreter_state.clone(),
            measured.verdict.name().to_owned(),
        ]
    };
    let header = [
        "trace",
        "pipelines",
        "rules",
        "packets/s",
        "stage-cycles/s",
        "x interpreter",
        "x published",
        "x its best",
        "state",
        "interpreter's",
        "verdict",
    ];
    table(&header, measured.iter().map(row))
}

fn network_table(measured: &[MeasuredNetwork]) -> Table {
    let row = |network: &MeasuredNetwork| {
        let htsim = network.htsim.as_ref();
        let rate = |count: u64| millions(count as f64 / network.run_seconds);
        vec![
            network.plan.clone(),
            network.finished.to_string(),
            format!("{:.1} us", network.last_completion_us),
            rate(network.events),
            rate(network.packet_hops),
            format!("{:.3} s", network.run_seconds),
            format!("{:.3} s", network.seconds),
            mebibytes(network.peak_bytes),
            or_none(htsim.map(|htsim| format!("{:.3} s", htsim.seconds))),
            or_none(htsim.map(|htsim| mebibytes(htsim.peak_bytes))),
            or_none(htsim.map(|htsim| ratio(htsim.seconds / network.seconds))),
        ]
    };
    let header = [
        "network",
        "finished",
        "the last at",
        "events/s",
        "packet-hops/s",
        "run",
        "in all",
        "memory",
        "htsim",
        "its memory",
        "x htsim",
    ];
    table(&header, measured.iter().map(row))
}

/// Returns one line per network: the packets sent on links by kind, and htsim's own counts.
fn hop_lines(measured: &[MeasuredNetwork]) -> String {
    let line = |network: &MeasuredNetwork| {
        let htsim = network.htsim.as_ref().map_or(String::new(), |htsim| {
            let Htsim { finished, new_packets, retransmissions } = htsim.did;
            format!("; htsim: {finished} flows finished, {new_packets} data packets sent, {retransmissions} again")
        });
        format!("{}: hops {}{htsim}\n", network.plan, network.hops)
    };
    measured.iter().map(line).collect()
}

fn stream_table(measured: &[MeasuredStream]) -> Table {
    let row = |measured: &MeasuredStream| {
        let memory = |percent| {
            let mark = measured.marks.iter().find(|mark| mark.percent == percent);
            mebibytes(mark.and_then(|mark| mark.resident_bytes))
        };
        vec![
            measured.packets.to_string(),
            measured.packet_size.to_string(),
            millions(measured.packets_per_second),
            millions(measured.stage_cycles_per_second),
            measured.discarded.total().to_string(),
            measured.largest_queue.to_string(),
            memory(1),
            memory(10),
            memory(100),
            measured.state.clone(),
            or_none(measured.interpreter_state.clone()),
            or_none(measured.verdict.map(|verdict| verdict.name().to_owned())),
        ]
    };
    let header = [
        "packets",
        "bytes",
        "packets/s",
        "stage-cycles/s",
        "dropped",
        "largest queue",
        "memory at 1%",
        "at 10%",
        "at 100%",
        "state",
        "interpreter's",
        "verdict",
    ];
    table(&header, measured.iter().map(row))
}

fn table(header: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Table {
    Table { header: header.iter().map(|&name| name.to_owned()).collect(), rows: rows.collect() }
}

fn millions(rate: f64) -> String {
    format!("{:.3} M", rate * 1e-6)
}

fn ratio(times: f64) -> String {
    format!("{times:.2}")
}

fn mebibytes(bytes: Option<u64>) -> String {
    bytes.map_or("unknown".to_owned(), |bytes| format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20)))
}

fn or_none(text: Option<String>) -> String {
    text.unwrap_or("-".to_owned())
}
