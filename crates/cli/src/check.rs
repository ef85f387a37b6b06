//! `polyplane check`: the same meaning on every machine, or the fewest packets that show it is not.

use experiments::packet_programs::is_packet_program;
use experiments::report::Table;
use experiments::{Checked, Failure, MachinePlan, Run, check};
use traffic::{Prepared, Traffic};

use crate::arguments::CheckArguments;
use crate::run::STANDS_STILL;
use crate::{output, packet_check, plan};

/// What a program is checked on if nobody names packets: many states that are equally busy, and few busy ones among
/// many, at the line rate of 64-byte packets, where everything that can queue does.
const TRAFFIC: [&str; 2] = ["uniform:flows=4096", "skewed:flows=64"];

/// The machines of programs without parsers, if nobody names any.
pub const MACHINES: [&str; 2] = ["banzai", "mp5"];

pub fn run(arguments: &CheckArguments) -> Result<u8, Failure> {
    if is_packet_program(&arguments.program.program) {
        return packet_check::run(arguments);
    }
    let loaded = plan::load(&arguments.program)?;
    let kinds = arguments.traffic.one()?.map_or(TRAFFIC.to_vec(), |named| vec![named]);
    let traffics: Vec<Traffic> =
        kinds.iter().map(|kind| plan::traffic(kind, &arguments.traffic, &arguments.build)).collect::<Result<_, _>>()?;
    let named = match arguments.machines.as_slice() {
        [] => MACHINES.map(str::to_owned).to_vec(),
        named => named.to_vec(),
    };
    let machines =
        plan::machines(&named, &arguments.build, &arguments.target, &loaded.program, arguments.traffic.seed)?;
    // All machines have one clock and one number of pipelines, so that one reading of the packets serves them all.
    let run = |machine: &MachinePlan, traffic| Run { loaded: &loaded, plan: machine.clone(), traffic };
    let prepared: Vec<Prepared> =
        traffics.iter().map(|traffic| run(&machines[0], traffic).prepare()).collect::<Result<_, _>>()?;
    let mut warnings: Vec<String> = prepared.iter().map(plan::warnings).collect();
    // Plans that differ in their flows only often have the same trouble.
    warnings.dedup();
    output::tell(&warnings.concat());
    // What the last machine cannot hold is told before the first one runs.
    let mut ready = Vec::new();
    for machine in &machines {
        for (traffic, prepared) in traffics.iter().zip(&prepared) {
            ready.push((run(machine, traffic).ready_on(prepared.clone())?, traffic));
        }
    }
    let all: Vec<Checked> = ready.iter().map(|(ready, traffic)| check(ready, traffic)).collect();
    let different = all.iter().any(Checked::shows_difference);
    if arguments.json {
        output::print_json(&all)?;
    } else {
        output::print(&as_text(&all))?;
    }
    let stands_still = all.iter().any(|checked| checked.comparison.standstill.is_some());
    Ok(if stands_still { STANDS_STILL } else { u8::from(different) })
}

fn as_text(all: &[Checked]) -> String {
    let header = ["machine", "packets", "verdict", "overtaking", "reordered", "throughput", "traffic"];
    let row = |checked: &Checked| {
        let comparison = &checked.comparison;
        vec![
            checked.machine.clone(),
            comparison.packets.to_string(),
            comparison.verdict.to_string(),
            comparison.access_violations.to_string(),
            comparison.reordered_packets.to_string(),
            format!("{:.1} %", 100.0 * comparison.throughput),
            checked.traffic.clone(),
        ]
    };
    let table = Table { header: header.map(str::to_owned).to_vec(), rows: all.iter().map(row).collect() };
    let mut text = output::aligned(&table);
    if all.iter().any(|checked| checked.comparison.reordered_packets > 0) {
        text.push_str(
            "reordered: left after a later packet of the same 5-tuple, or of the same port where there is none; \
             `--flow-order FIELD,…` makes MP5 keep the order, and `check` hold it to that\n",
        );
    }
    for checked in all {
        let Some(witness) = &checked.witness else { continue };
        let fewest =
            if checked.one_minimal { "none of these packets can be left out" } else { "the search was cut short" };
        text.push_str(&format!("\n{} on {} ({fewest}):\n{witness}", checked.machine, checked.traffic));
    }
    text
}
