//! The results as tables for a terminal.

use report::{Table, to_text};

use crate::live::{MeasuredLive, MeasuredPath};
use crate::long_stream::MeasuredStream;
use crate::networks::{Htsim, MeasuredNetwork};
use crate::programs::Measured;
use crate::published_simulator::PUBLISHED_RATE;
use crate::results::Results;
use crate::router::{CompileTime, MeasuredRouter};
use crate::traces::MeasuredTrace;

/// Returns the results as a table of each kind, with an empty line between two.
pub fn as_text(results: &Results) -> String {
    let mut parts = Vec::new();
    if !results.routers.is_empty() {
        parts.push(to_text(&router_table(&results.routers)));
    }
    if !results.compile_times.is_empty() {
        parts.push(to_text(&compile_table(&results.compile_times)));
    }
    if !results.programs.is_empty() {
        parts.push(to_text(&program_table(&results.programs)));
    }
    if !results.traces.is_empty() {
        let note = format!(
            "x published: relative to MP5's published simulator at {PUBLISHED_RATE} packets/s; x its best: relative to \
             the best of eight runs of it that we measured\n"
        );
        parts.push(to_text(&trace_table(&results.traces)) + &note);
    }
    if !results.networks.is_empty() {
        parts.push(to_text(&network_table(&results.networks)) + &hop_lines(&results.networks));
    }
    if let Some(live) = &results.live {
        parts.push(to_text(&live_table(&live.paths)) + &live_notes(live));
    }
    if !results.streams.is_empty() {
        parts.push(to_text(&stream_table(&results.streams)));
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

fn live_table(measured: &[MeasuredPath]) -> Table {
    let row = |path: &MeasuredPath| {
        let [tcp, datagrams, exchanges, connections] = path.median.all();
        let thousands = |rate: f64| format!("{:.1} k", rate * 1e-3);
        let values = [format!("{tcp:.2} Gb/s"), thousands(datagrams), thousands(exchanges), thousands(connections)];
        let ratios = path.against_peer.all().map(ratio);
        let columns = values.into_iter().zip(ratios).flat_map(|(value, ratio)| [value, ratio]);
        [path.path.clone()].into_iter().chain(columns).chain([path.peer.clone()]).collect()
    };
    let header = [
        "between two hosts",
        "TCP",
        "x",
        "18-byte UDP/s",
        "x",
        "exchanges/s",
        "x",
        "connections/s",
        "x",
        "x: relative to",
    ];
    table(&header, measured.iter().map(row))
}

fn live_notes(live: &MeasuredLive) -> String {
    let rounds = live.paths.first().map_or(0, |path| path.rounds.len());
    let idle = live
        .idle_percent
        .map_or(String::new(), |idle| format!("; polyplane live without packets uses {idle:.2}% of a core"));
    format!("medians of {rounds} rounds; each ratio is within a round{idle}\n")
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

/// Returns an amount of memory as text.
pub fn mebibytes(bytes: Option<u64>) -> String {
    bytes.map_or("unknown".to_owned(), |bytes| format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20)))
}

fn or_none(text: Option<String>) -> String {
    text.unwrap_or("-".to_owned())
}
