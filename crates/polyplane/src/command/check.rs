//! `polyplane check`: compares machines with the interpreter, and shows the fewest packets that make a difference.

use polyplane::Failure;
use polyplane::rooms::diagnostics::Diagnostic;
use polyplane::rooms::equivalence::coverage::{Coverage, KindCount};
use polyplane::rooms::machines::tofino::ChipSettings;
use polyplane::rooms::report::{Table, to_text};
use polyplane::rooms::workbench::kinds::{self, MachineKind};
use polyplane::rooms::workbench::run::Offer;
use polyplane::rooms::workbench::{CheckPlan, Checked, LoadedProgram, MachinePlan, MadePackets};
use serde::Serialize;

use crate::arguments::{CheckArguments, TrafficArguments};
use crate::packet_arguments::CaptureArguments;
use crate::{loading, output, packets};

/// The traffic on which a program that works on fields is checked if `--traffic` is not given: one with many equally
/// busy states and one with a few busy ones, at the line rate of 64-byte packets, so that queues fill wherever they
/// can.
const TRAFFIC: [&str; 2] = ["uniform:flows=4096", "skewed:flows=64"];
/// The exit status if packets are stuck in a machine.
const STANDS_STILL: u8 = 4;
/// The number of generated packets that cover the program if `--packets` is not given.
const PACKETS: u64 = 10_000;
/// The greatest number of unreached goals that are printed.
const MOST_MISSING: usize = 20;

/// The result of a check with generated packets that cover the program, in JSON.
#[derive(Serialize)]
struct Results<'r> {
    packets: usize,
    coverage: Vec<KindCount>,
    not_reached: Vec<String>,
    machines: &'r [Checked],
}

pub fn run(arguments: &CheckArguments) -> Result<u8, Failure> {
    let program = loading::load(&arguments.program)?;
    let named = kinds::all_named(&arguments.machines)?;
    let usual = || kinds::ALL.into_iter().filter(|kind| kind.is_usual(&program)).collect();
    let machines: Vec<&dyn MachineKind> = if named.is_empty() { usual() } else { named };
    if machines.is_empty() {
        let message = format!("no machine runs `{}`", program.program.name);
        return Err(Diagnostic::without_place(message).hint("`polyplane machines` lists the machines").into());
    }
    arguments.options.given.refuse_foreign(&machines)?;
    let settings = arguments.options.settings();
    // All machines have the same clock and number of pipelines, so the packets of one plan serve them all.
    let plans = machines.iter().map(|kind| kind.pipelines(&program, &settings)).collect::<Result<Vec<_>, Failure>>()?;
    let plan = plans.into_iter().flatten().next();
    let chips = machines.iter().map(|kind| kind.chip(&program, &settings)).collect::<Result<Vec<_>, Failure>>()?;
    let check = check_plan(arguments, &program, plan.as_ref(), chips.into_iter().flatten().next())?;
    // Prepare all machines first, so that an error in the last one is reported before the first one runs.
    let ready = machines.iter().map(|kind| check.ready(*kind, &settings)).collect::<Result<Vec<_>, Failure>>()?;
    let mut all = Vec::new();
    for machine in &ready {
        if let Some(packets) = check.packets() {
            output::tell(&format!("{packets} packets on {} …\n", machine.name()));
        }
        all.extend(check.check(machine));
    }
    match (arguments.json, check.coverage(), check.packets()) {
        (true, Some(coverage), Some(packets)) => output::print_json(&Results {
            packets,
            coverage: coverage.by_kind(),
            not_reached: coverage.missing().map(str::to_owned).collect(),
            machines: &all,
        })?,
        (true, ..) => output::print_json(&all)?,
        (false, ..) => output::print(&as_text(&check, &all, arguments.pipes))?,
    }
    Ok(status(arguments, &all))
}

/// Returns the packets to check with: those of `--traffic`, or, for a program that works on whole packets, packets generated to
/// cover it.
fn check_plan<'p>(
    arguments: &CheckArguments,
    program: &'p LoadedProgram,
    machine: Option<&MachinePlan>,
    chip: Option<ChipSettings>,
) -> Result<CheckPlan<'p>, Failure> {
    let traffic = &arguments.traffic;
    let entries = loading::entries(&arguments.tables, program)?;
    let named: Vec<&str> = traffic.traffic.iter().map(String::as_str).collect();
    if !program.binds_fields() && named.is_empty() {
        traffic.refuse_pace("`check` generates the packets unless `--traffic` is given")?;
        let packets = traffic.packets.unwrap_or(PACKETS) as usize;
        let rate = MachinePlan::line_rate_of(machine);
        let made = MadePackets { pipes: arguments.pipes, chip, ..MadePackets::new(packets, rate, traffic.seed) };
        return CheckPlan::everywhere(program, &entries, made);
    }
    if arguments.pipes.is_some() {
        let message = "`--pipes` needs the packets that `check` generates for a program with a parser";
        return Err(Diagnostic::without_place(message).hint("leave out `--traffic`").into());
    }
    let named = if named.is_empty() { TRAFFIC.to_vec() } else { named };
    // Captures with ports are offered together, each other kind of traffic alone.
    let (of_ports, alone): (Vec<&str>, Vec<&str>) = named.into_iter().partition(|text| packets::names_port(text));
    let mut offers: Vec<Offer> = Vec::new();
    for kind in alone {
        offers.push(packets::planned(program, kind, traffic, machine)?);
    }
    if !of_ports.is_empty() {
        let traffic = of_ports.into_iter().map(str::to_owned).collect();
        let traffic = TrafficArguments { traffic, ..arguments.traffic.clone() };
        offers.push(packets::captured(&traffic, &CaptureArguments::default())?);
    }
    CheckPlan::on_traffic(program, &entries, offers, traffic.packets, traffic.seed)
}

fn status(arguments: &CheckArguments, all: &[Checked]) -> u8 {
    let unfinished = |checked: &Checked| checked.comparison.as_ref().is_some_and(|it| it.standstill.is_some());
    if all.iter().any(unfinished) {
        return STANDS_STILL;
    }
    if all.iter().any(Checked::shows_difference) {
        return 1;
    }
    // The program must fit every machine that `--machines` names. Of the usual machines, it is enough if the program
    // fits one with stages, if there are any; the switch that the program is written for always holds it.
    let refused = all.iter().any(|checked| checked.does_not_fit.is_some());
    let holds = arguments.machines.is_empty() && all.iter().any(|checked| checked.has_stages);
    3 * u8::from(refused && !holds)
}

fn as_text(check: &CheckPlan<'_>, all: &[Checked], pipes: Option<u16>) -> String {
    let mut text = String::new();
    if let (Some(coverage), Some(packets)) = (check.coverage(), check.packets()) {
        text.push_str(&covered(coverage, packets));
    }
    text.push_str(&table(all));
    if all.iter().filter_map(|checked| checked.comparison.as_ref()).any(|comparison| comparison.reordered_packets > 0)
        && all.iter().any(|checked| checked.traffic.is_some())
    {
        text.push_str(
            "reordered: packets that left after a later packet of the same 5-tuple, or of the same port if there is \
             none; with `--flow-order FIELD,…`, MP5 keeps the order and `check` verifies it\n",
        );
    }
    if let Some(pipes) = pipes {
        let differs = all.iter().any(Checked::shows_difference);
        text.push_str(&match differs {
            true => format!("what packets of one pipe leave behind matters to those of others: the program means something else in {pipes} pipes\n"),
            false => format!("no packet shows that the ports lie in {pipes} pipes that share nothing\n"),
        });
    }
    for checked in all {
        if let Some(report) = &checked.does_not_fit {
            text.push_str(&format!("\n{}: {report}", checked.machine));
        }
        if let Some(witness) = &checked.witness {
            let fewest =
                if checked.one_minimal { "each of these packets is needed" } else { "the search was cut short" };
            let on = checked.traffic.as_ref().map(|traffic| format!(" on {traffic}")).unwrap_or_default();
            text.push_str(&format!("\n{}{on} ({fewest}):\n{witness}", checked.machine));
        }
    }
    text
}

fn covered(coverage: &Coverage, packets: usize) -> String {
    let mut text = format!("{packets} packets, generated to cover the program; reached\n");
    coverage.to_string().lines().for_each(|line| text.push_str(&format!("  {line}\n")));
    let missing: Vec<&str> = coverage.missing().collect();
    if !missing.is_empty() {
        text.push_str("not reached\n");
        missing.iter().take(MOST_MISSING).for_each(|goal| text.push_str(&format!("  {goal}\n")));
        if missing.len() > MOST_MISSING {
            text.push_str(&format!("  and {} more (--json has them all)\n", missing.len() - MOST_MISSING));
        }
    }
    text + "\n"
}

/// Formats one row for each machine and stream of packets, naming the stream if there can be several.
fn table(all: &[Checked]) -> String {
    let names_traffic = all.iter().any(|checked| checked.traffic.is_some());
    let header: &[&str] = if names_traffic {
        &["machine", "packets", "verdict", "overtaking", "reordered", "throughput", "traffic"]
    } else {
        &["machine", "verdict", "overtaking", "throughput"]
    };
    let row = |checked: &Checked| {
        let mut row = vec![("machine", checked.machine.clone())];
        match &checked.comparison {
            Some(comparison) => {
                row.push(("packets", comparison.packets.to_string()));
                row.push(("verdict", comparison.verdict.to_string()));
                // A machine without stages takes no time, so its throughput and order say nothing.
                if checked.has_stages {
                    row.push(("overtaking", comparison.access_violations.to_string()));
                    row.push(("reordered", comparison.reordered_packets.to_string()));
                    row.push(("throughput", format!("{:.1} %", 100.0 * comparison.throughput)));
                }
            }
            None => row.push(("verdict", "does not fit".to_owned())),
        }
        row.extend(checked.traffic.clone().map(|traffic| ("traffic", traffic)));
        let cell = |name: &&str| row.iter().find(|(own, _)| own == name).map(|(_, text)| text.clone());
        header.iter().map(|name| cell(name).unwrap_or_default()).collect()
    };
    let names = header.iter().map(|name| (*name).to_owned()).collect();
    to_text(&Table { header: names, rows: all.iter().map(row).collect() })
}
