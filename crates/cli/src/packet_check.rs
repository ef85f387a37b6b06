//! `polyplane check` of a P4 program: packets that go everywhere, through every machine that can hold it.

use basis::Duration;
use equivalence::coverage::{KindCount, Options};
use experiments::packet_programs::{CheckPlan, CheckedPackets};
use experiments::report::Table;
use experiments::{Architecture, Failure, kinds};
use serde::Serialize;

use crate::arguments::CheckArguments;
use crate::run::STANDS_STILL;
use crate::{output, packet_program, plan};

/// What scripts read.
#[derive(Serialize)]
struct Results {
    packets: usize,
    coverage: Vec<KindCount>,
    not_reached: Vec<String>,
    machines: Vec<CheckedPackets>,
}

/// How many packets come if nobody says how many.
const PACKETS: u64 = 10_000;

/// The machines of P4 programs, if nobody names any.
pub fn machines() -> Vec<&'static str> {
    Architecture::ALL.map(Architecture::name).into_iter().chain([packet_program::NATIVE]).collect()
}

pub fn run(arguments: &CheckArguments) -> Result<u8, Failure> {
    let traffic = &arguments.traffic;
    let program = packet_program::load(&arguments.program.program, &arguments.preprocessor)?;
    let entries = packet_program::entries(&arguments.tables, &program)?;
    // As close together as the machines take them: what could come too late or too early does.
    let pipelines = u64::from(arguments.build.pipelines);
    let options = Options {
        packets: traffic.packets.unwrap_or(PACKETS) as usize,
        seed: traffic.seed,
        spacing: Duration::from_picoseconds(arguments.build.clock_period / pipelines.max(1)),
        ..Options::default()
    };
    let named: Vec<&str> = match arguments.machines.as_slice() {
        [] => machines(),
        named => named.iter().map(String::as_str).collect(),
    };
    let mut chosen = Vec::new();
    for name in named {
        let kind = kinds::named(name)?;
        let mut settings = kinds::Settings::default();
        if Architecture::from_name(name).is_some() {
            let plan = plan::machine(name, &arguments.build, &arguments.target, &program.program, traffic.seed)?;
            plan::refuse_known_load(&plan, &arguments.build)?;
            settings.pipelines = Some(plan);
        }
        chosen.push((kind, settings));
    }
    let check = CheckPlan::new(&program, &entries, &options)?;
    // What is wrong with the last machine is told before the first one runs.
    let ready =
        chosen.iter().map(|(kind, settings)| check.ready(*kind, settings)).collect::<Result<Vec<_>, Failure>>()?;
    let mut all = Vec::new();
    for machine in &ready {
        output::tell(&format!("{} packets on {} …\n", check.packets(), machine.name()));
        all.push(check.check(machine)?);
    }
    let different = all.iter().any(CheckedPackets::shows_difference);
    let unfinished = |checked: &CheckedPackets| checked.comparison.as_ref().is_some_and(|it| it.standstill.is_some());
    let stands_still = all.iter().any(unfinished);
    // A machine that somebody named must hold the program. Of those that nobody named one is enough; machine code of
    // this computer, which is no switch, does not count.
    let refused = all.iter().filter(|checked| checked.does_not_fit.is_some()).count();
    let pipelined = chosen.iter().filter(|(_, settings)| settings.pipelines.is_some()).count();
    let refused = if arguments.machines.is_empty() { refused == pipelined } else { refused > 0 };
    if arguments.json {
        let coverage = check.coverage();
        output::print_json(&Results {
            packets: check.packets(),
            coverage: coverage.by_kind(),
            not_reached: coverage.missing().map(str::to_owned).collect(),
            machines: all,
        })?;
    } else {
        output::print(&as_text(&check, &all))?;
    }
    Ok(match (stands_still, different) {
        (true, _) => STANDS_STILL,
        (false, true) => 1,
        (false, false) => 3 * u8::from(refused),
    })
}

fn as_text(check: &CheckPlan<'_>, all: &[CheckedPackets]) -> String {
    let coverage = check.coverage();
    let mut text = format!("{} packets, made to go everywhere; they reached\n", check.packets());
    coverage.to_string().lines().for_each(|line| text.push_str(&format!("  {line}\n")));
    let missing: Vec<&str> = coverage.missing().collect();
    if !missing.is_empty() {
        text.push_str("not reached\n");
        missing.iter().take(MOST_MISSING).for_each(|goal| text.push_str(&format!("  {goal}\n")));
        if missing.len() > MOST_MISSING {
            text.push_str(&format!("  and {} more (--json has them all)\n", missing.len() - MOST_MISSING));
        }
    }
    text.push('\n');
    let header = ["machine", "verdict", "overtaking", "throughput"].map(str::to_owned).to_vec();
    let table = Table { header, rows: all.iter().map(row).collect() };
    text.push_str(&output::aligned(&table));
    for checked in all {
        if let Some(report) = &checked.does_not_fit {
            text.push_str(&format!("\n{}: {report}", checked.machine));
        }
        if let Some(witness) = &checked.witness {
            let fewest =
                if checked.one_minimal { "none of these packets can be left out" } else { "the search was cut short" };
            text.push_str(&format!("\n{} ({fewest}):\n{witness}", checked.machine));
        }
    }
    text
}

/// How many goals are told that no packet reached.
const MOST_MISSING: usize = 20;

fn row(checked: &CheckedPackets) -> Vec<String> {
    let mut row = vec![checked.machine.clone()];
    match &checked.comparison {
        // What takes no time is as fast as its packets come, and in their order.
        Some(comparison) if !checked.has_stages => {
            row.extend([comparison.verdict.to_string(), String::new(), String::new()]);
        }
        Some(comparison) => row.extend([
            comparison.verdict.to_string(),
            comparison.access_violations.to_string(),
            format!("{:.1} %", 100.0 * comparison.throughput),
        ]),
        None => row.extend(["does not fit".to_owned(), String::new(), String::new()]),
    }
    row
}
