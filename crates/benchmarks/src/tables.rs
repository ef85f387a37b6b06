//! The results as tables for a terminal.

use report::{Table, to_text};

use crate::aggregation::AggregationSpeed;
use crate::chip::{MeasuredChip, MeasuredTrimming};
use crate::controllers::{Done, MeasuredControllers, Spread};
use crate::live::{MeasuredLive, MeasuredPath, MeasuredRefresh};
use crate::long_stream::MeasuredStream;
use crate::networks::{Htsim, MeasuredNetwork};
use crate::programs::Measured;
use crate::published_simulator::PUBLISHED_RATE;
use crate::results::Results;
use crate::router::{CompileTime, MeasuredRouter};
use crate::traces::MeasuredTrace;
use crate::trio::{ChipRate, ChipSpeed};
use crate::virtual_switch::{attack_table, connection_table, option_table};

/// Returns the results as a table of each kind, with an empty line between two.
pub fn as_text(results: &Results) -> String {
    let mut parts = Vec::new();
    if !results.routers.is_empty() {
        parts.push(to_text(&router_table(&results.routers)));
    }
    if !results.chips.is_empty() {
        parts.push(to_text(&chip_table(&results.chips)));
    }
    if let Some(trimming) = &results.trimming {
        parts.push(to_text(&trimming_table(trimming)));
    }
    if !results.trio_speeds.is_empty() {
        parts.push(to_text(&trio_speed_table(&results.trio_speeds)));
        parts.push(to_text(&trio_rate_table(&results.trio_rates)));
    }
    if !results.aggregation.is_empty() {
        parts.push(to_text(&aggregation_table(&results.aggregation)));
    }
    if let Some(measured) = &results.virtual_switch {
        parts.push(to_text(&option_table(&measured.options)));
        parts.push(to_text(&connection_table(&measured.connections)));
    }
    if !results.attacks.is_empty() {
        parts.push(to_text(&attack_table(&results.attacks)));
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
    if let Some(controllers) = &results.controllers {
        parts.push(to_text(&batch_table(controllers)));
        parts.push(to_text(&load_table(controllers)) + &load_notes(controllers));
    }
    if let Some(live) = &results.live {
        parts.push(to_text(&live_table(&live.paths)) + &live_notes(live));
    }
    parts.extend(results.refresh.as_ref().map(refresh_lines));
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

fn chip_table(measured: &[MeasuredChip]) -> Table {
    let row = |measured: &MeasuredChip| {
        vec![
            measured.machine.to_owned(),
            measured.executor.to_owned(),
            format!("{:.0} ms", measured.ready_seconds * 1e3),
            millions(measured.packets_per_second),
            millions(measured.queued_packets_per_second),
            millions(measured.passes_per_second),
            ratio(measured.against_v1model),
            measured.forwarded.to_string(),
        ]
    };
    let header = [
        "switch",
        "router by",
        "ready in",
        "packets/s",
        "through queues",
        "passes of a gress/s",
        "x v1model",
        "forwarded",
    ];
    table(&header, measured.iter().map(row))
}

fn trimming_table(measured: &MeasuredTrimming) -> Table {
    let header = ["network", "simulated", "seconds", "packet hops", "passes of a gress", "passes of a gress/s"];
    let row = vec![
        "64 hosts to 16 by a chip that trims".to_owned(),
        format!("{:.0} us", measured.simulated_us),
        format!("{:.2}", measured.seconds),
        measured.packet_hops.to_string(),
        measured.passes.to_string(),
        millions(measured.passes_per_second),
    ];
    table(&header, std::iter::once(row))
}

fn trio_speed_table(measured: &[ChipSpeed]) -> Table {
    let row = |measured: &ChipSpeed| {
        vec![
            measured.program.to_owned(),
            millions(measured.packets_per_second),
            millions(measured.instructions_per_second),
            millions(measured.interpreter_per_second),
            ratio(measured.against_interpreter),
        ]
    };
    let header = ["chip of threads", "packets/s", "instructions/s", "bare interpreter", "x interpreter"];
    table(&header, measured.iter().map(row))
}

fn trio_rate_table(measured: &[ChipRate]) -> Table {
    let row = |measured: &ChipRate| {
        vec![
            measured.preset.to_owned(),
            measured.instructions.to_string(),
            millions(measured.packets_per_second),
            millions(measured.closed_form),
            millions(measured.line_rate),
        ]
    };
    let header = ["generation", "instructions", "packets/s simulated", "closed form", "line rate"];
    table(&header, measured.iter().map(row))
}

fn aggregation_table(measured: &[AggregationSpeed]) -> Table {
    let row = |measured: &AggregationSpeed| {
        vec![
            measured.protocol.to_owned(),
            millions(measured.hops_per_second),
            millions(measured.values_per_second),
            measured.verdict.name().to_owned(),
        ]
    };
    table(&["aggregator", "packets/s", "values added/s", "sums"], measured.iter().map(row))
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

fn batch_table(measured: &MeasuredControllers) -> Table {
    let batches = &measured.batches;
    let row = |what: &str, seconds: Spread| {
        let cell = |seconds: f64| format!("{seconds:.3} s");
        vec![
            format!("{} entries {what}", batches.entries),
            cell(seconds.median),
            cell(seconds.least),
            cell(seconds.most),
        ]
    };
    let rows = [
        row("written in one batch", batches.write_seconds),
        row("read", batches.read_seconds),
        row("deleted in one batch", batches.delete_seconds),
    ];
    table(&["by P4Runtime", "median", "least", "most"], rows.into_iter())
}

fn load_table(measured: &MeasuredControllers) -> Table {
    let row = |what: String, [alone, packets, quotient, processor]: [Spread; 4]| {
        let range = |spread: Spread| format!("{:.3} to {:.3}", spread.least, spread.most);
        vec![
            what,
            millions(alone.median),
            millions(packets.median),
            format!("{:.3}", quotient.median),
            range(quotient),
            format!("{:.3}", processor.median),
            range(processor),
        ]
    };
    let (writes, flood) = (&measured.writes, &measured.flood);
    let rows = [
        row(
            format!("{} writes/s", writes.asked_per_second),
            [writes.packets_alone, writes.packets, writes.ratio, writes.processor_ratio],
        ),
        row(
            "ten controllers that flap and flood".to_owned(),
            [flood.packets_alone, flood.packets, flood.ratio, flood.processor_ratio],
        ),
    ];
    let header =
        ["controllers", "packets/s without", "packets/s with", "x", "in rounds", "x by processor time", "in rounds"];
    table(&header, rows.into_iter())
}

fn load_notes(measured: &MeasuredControllers) -> String {
    let writes = &measured.writes;
    let Done { claims, reads, writes: flooded, packet_outs, heard } = measured.flood.done;
    format!(
        "writes: {:.0} answered/s ({} refused), median {:.0} us, 99% within {:.0} us\n\
         flood: {claims:.0} claims/s, {reads:.1} reads of all routes/s, {flooded:.0} writes/s, {packet_outs:.0} packet-outs/s, \
         {heard:.0} messages heard/s\n",
        writes.per_second.median, writes.refused, writes.median_us.median, writes.percentile_99_us.median
    )
}

fn live_table(measured: &[MeasuredPath]) -> Table {
    let row = |path: &MeasuredPath| {
        let [tcp, datagrams, exchanges, connections] = path.median.all();
        let thousands = |rate: f64| format!("{:.1} k", rate * 1e-3);
        let values = [format!("{tcp:.2} Gb/s"), thousands(datagrams), thousands(exchanges), thousands(connections)];
        let ratios = path.against_peer.all().map(ratio);
        let columns = values.into_iter().zip(ratios).flat_map(|(value, ratio)| [value, ratio]);
        let cores = path.cores.map_or_else(|| "-".to_owned(), |cores| format!("{cores:.2}"));
        [path.path.clone()].into_iter().chain(columns).chain([path.peer.clone(), cores]).collect()
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
        "cores",
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

fn refresh_lines(refresh: &MeasuredRefresh) -> String {
    format!(
        "a change of routes with {} sessions and {:.1} k packets/s: in place after {:.1} s, all sessions decided anew after {:.1} s\n\
         the lowest tenth of a second has {} of the median rate before it, without a change {}; below 0.9 for {:.1} s\n",
        refresh.sessions,
        refresh.packets_per_second * 1e-3,
        refresh.seconds_to_apply,
        refresh.seconds_to_decide,
        ratio(refresh.lowest_after),
        ratio(refresh.lowest_before),
        refresh.seconds_below,
    )
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

/// Returns a table of rows.
pub fn table(header: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Table {
    Table { header: header.iter().map(|&name| name.to_owned()).collect(), rows: rows.collect() }
}

fn millions(rate: f64) -> String {
    format!("{:.3} M", rate * 1e-6)
}

/// Formats a ratio.
pub fn ratio(times: f64) -> String {
    format!("{times:.2}")
}

/// Returns an amount of memory as text.
pub fn mebibytes(bytes: Option<u64>) -> String {
    bytes.map_or("unknown".to_owned(), |bytes| format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20)))
}

fn or_none(text: Option<String>) -> String {
    text.unwrap_or("-".to_owned())
}
