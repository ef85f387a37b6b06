//! `polyplane bench`: speed on this computer.

use std::path::Path;

use experiments::report::Table;
use experiments::{Failure, Measured, bench};
use traffic::Traffic;

use crate::arguments::BenchArguments;
use crate::{output, plan};

/// A program of two registers one behind the other, one of three side by side, one whose state is a single counter.
const PROGRAMS: [&str; 3] = ["flowlet", "heavy_hitters", "sequencer"];

pub fn run(arguments: &BenchArguments) -> Result<u8, Failure> {
    let mut all: Vec<Measured> = Vec::new();
    for name in PROGRAMS {
        output::tell(&format!("measuring {name} …\n"));
        let loaded = plan::shipped(Path::new(&format!("programs/domino/{name}/{name}.c")))?;
        let mut traffic: Traffic = plan::parse_traffic("uniform")?;
        traffic.packets = Some(arguments.packets);
        all.extend(bench(&loaded, &traffic, 4)?);
    }
    if arguments.json {
        output::print_json(&all)?;
        return Ok(0);
    }
    let millions = |rate: f64| format!("{:.3} M", rate * 1e-6);
    let row = |measured: &Measured| {
        vec![
            measured.program.clone(),
            measured.machine.clone(),
            millions(measured.packets_per_second),
            measured.stage_cycles_per_second.map_or("-".to_owned(), millions),
            format!("{:.2}", measured.against_interpreter),
        ]
    };
    let header = ["program", "machine", "packets/s", "stage-cycles/s", "x interpreter"];
    let table = Table { header: header.map(str::to_owned).to_vec(), rows: all.iter().map(row).collect() };
    output::print(&output::aligned(&table))?;
    Ok(0)
}
