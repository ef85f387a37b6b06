//! `polyplane check` of a P4 program: packets that go everywhere, through every machine that can hold it.

use basis::Duration;
use diagnostics::Diagnostic;
use equivalence::coverage::{KindCount, Options};
use experiments::packet_programs::{CheckPlan, CheckedPackets, NATIVE};
use experiments::report::Table;
use experiments::{Architecture, Failure};
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
    Architecture::ALL.map(Architecture::name).into_iter().chain([NATIVE]).collect()
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
    let named: Vec<String> = match arguments.machines.as_slice() {
        [] => machines().into_iter().map(str::to_owned).collect(),
        named => named.to_vec(),
    };
    let with_pipelines: Vec<String> = named.iter().filter(|name| *name != NATIVE).cloned().collect();
    if let Some(name) = with_pipelines.iter().find(|name| Architecture::from_name(name).is_none()) {
        let error = match &**name {
            packet_program::MACHINE => format!("`{name}` is what machines are held against"),
            name => format!("there is no machine called `{name}`"),
        };
        return Err(Diagnostic::without_place(error).hint(format!("one of: {}", machines().join(", "))).into());
    }
    let machines =
        plan::machines(&with_pipelines, &arguments.build, &arguments.target, &program.program, traffic.seed)?;
    machines.iter().try_for_each(|machine| plan::refuse_known_load(machine, &arguments.build))?;
    let check = CheckPlan::new(&program, &entries, &options)?;
    // What is wrong with the last machine is told before the first one runs.
    let ready = machines.iter().map(|machine| check.ready(machine)).collect::<Result<Vec<_>, _>>()?;
    let native = named.iter().any(|name| name == NATIVE).then(|| check.ready_native()).transpose()?;
    let mut all = Vec::new();
    for machine in &ready {
        output::tell(&format!("{} packets on {} …\n", check.packets(), machine.name()));
        all.push(check.check(machine)?);
    }
    if let Some(native) = native {
        output::tell(&format!("{} packets on {NATIVE} …\n", check.packets()));
        all.push(check.check_native(native)?);
    }
    let different = all.iter().any(CheckedPackets::shows_difference);
    let unfinished = |checked: &CheckedPackets| checked.comparison.as_ref().is_some_and(|it| it.standstill.is_some());
    let stands_still = all.iter().any(unfinished);
    // A machine that somebody named must hold the program. Of those that nobody named one is enough; machine code of
    // this computer, which is no switch, does not count.
    let refused = all.iter().filter(|checked| checked.does_not_fit.is_some()).count();
    let refused = if arguments.machines.is_empty() { refused == machines.len() } else { refused > 0 };
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
        if let Some(difference) = &checked.difference {
            text.push_str(&format!("\n{}: {difference}\n", checked.machine));
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
        Some(comparison) => row.extend([
            comparison.verdict.to_string(),
            comparison.access_violations.to_string(),
            format!("{:.1} %", 100.0 * comparison.throughput),
        ]),
        None if checked.does_not_fit.is_some() => row.extend(["does not fit".to_owned(), String::new(), String::new()]),
        None => {
            let verdict = if checked.difference.is_some() { "different" } else { "equal" };
            row.extend([verdict.to_owned(), String::new(), String::new()]);
        }
    }
    row
}
