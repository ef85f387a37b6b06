//! The driver that runs all passes in order.

use ir::pipeline::Pipeline;
use ir::{Flat, Program};

use crate::address_resolution::Resolved;
use crate::atom_mapping::{self, Codelets, Mapped};
use crate::choice_chains::verify_choices;
use crate::demand::WriteDemand;
use crate::fitting::Fitting;
use crate::layout::{self, Layout, Unresolved};
use crate::observer::{Made, Observer};
use crate::report::{Finding, ResourceReport};
use crate::smallest::{Smallest, smallest};
use crate::target::{ANY_ATOM, Target};
use crate::units::Unit;
use crate::{
    address_resolution, common_subexpressions, dead_code, hoisting, if_conversion, propagation, schedule,
    single_assignment, three_address,
};

/// The names of the passes in the order in which they run, as an [`Observer`] receives them.
///
/// Only one of the last two runs: `schedule` for [`Layout::Single`]; `address_resolution`, which also schedules, for
/// [`Layout::Steered`]. The steps `dead_code` and `simplification` both repeat `propagation`, `common_subexpressions`
/// and the removal of dead code until nothing changes.
pub const PASSES: [&str; 11] = [
    "if_conversion",
    "three_address",
    "single_assignment",
    "propagation",
    "common_subexpressions",
    "dead_code",
    "hoisting",
    "simplification",
    "atom_mapping",
    "schedule",
    "address_resolution",
];

/// A program fitted to a machine.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The pipeline that the machine runs.
    pub pipeline: Pipeline,
    /// The updates of state, each with the atom that computes it.
    pub codelets: Codelets,
    /// The accesses to state whose index or predicate is not fully known before any state is accessed, with the
    /// reasons.
    pub unresolved: Vec<Unresolved>,
    /// The resources used of each stage, and the dependencies that decide the number of stages.
    pub fitting: Fitting,
}

/// The reason why a program was not fitted to a machine.
#[derive(Clone, Debug)]
pub enum Failure {
    /// The input is not a valid program, which is a bug in whatever produced it.
    Invalid(Vec<String>),
    /// The machine cannot hold the program.
    Resources(Box<Refused>),
    /// A pass produced an invalid pipeline, which is a bug in this crate.
    Fault(Vec<String>),
}

/// A program that a machine cannot hold.
#[derive(Clone, Debug)]
pub struct Refused {
    /// Everything that does not fit.
    pub report: ResourceReport,
    /// The updates of state, if compilation got as far as finding them.
    pub codelets: Option<Codelets>,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Invalid(errors) => write!(f, "not a valid program:\n- {}", errors.join("\n- ")),
            Self::Resources(refused) => refused.report.fmt(f),
            Self::Fault(errors) => {
                write!(f, "this is a bug in the compiler, please report it:\n- {}", errors.join("\n- "))
            }
        }
    }
}

impl std::error::Error for Failure {}

/// Fits a program to a machine and reports each step to `observer`; pass `&mut ()` to observe nothing.
///
/// # Errors
///
/// Returns [`Failure::Invalid`] if the program does not verify, [`Failure::Resources`] if the machine cannot hold it,
/// and [`Failure::Fault`] if the passes produced a pipeline that does not verify.
pub fn compile(
    program: &Program,
    target: &Target,
    layout: Layout,
    observer: &mut dyn Observer,
) -> Result<Compiled, Failure> {
    ir::verify::program(program).map_err(Failure::Invalid)?;
    let mut codelets = None;
    let refuse = |program: &Program, findings, smallest, codelets| {
        let report = ResourceReport { program: program.name.clone(), findings, smallest };
        Failure::Resources(Box::new(Refused { report, codelets }))
    };
    let mut program = match Flat::new(program.clone()) {
        Ok(program) => program,
        Err(reasons) => return Err(refuse(program, vec![not_flat(reasons)], None, codelets)),
    };
    for pass in PASSES.into_iter().take_while(|pass| *pass != "atom_mapping") {
        observer.begins(pass);
        if let Err(findings) = apply_to_flat(pass, &mut program) {
            return Err(refuse(&program, findings, None, codelets));
        }
        observer.ends(pass, Made::program(&program));
    }
    observer.begins("atom_mapping");
    let found = codelets.insert(atom_mapping::find(&program));
    let fitted = fit(program.edit(), found, target, &layout, observer);
    let Fitted { pipeline, unresolved, fitting } = match fitted {
        Ok(fitted) => fitted,
        Err((findings, smallest)) => return Err(refuse(&program, findings, smallest, codelets)),
    };
    pipeline.verify().and_then(|()| verify_choices(&pipeline)).map_err(Failure::Fault)?;
    let codelets = codelets.expect("found above");
    Ok(Compiled { pipeline, codelets, unresolved, fitting })
}

/// Applies a single pass to a program: any of those in [`PASSES`] before `atom_mapping`. A pass expects the program in
/// the form that the passes before it produce.
///
/// # Errors
///
/// Returns findings if the program is not flat, if the pass refuses it, or if `pass` does not name such a pass.
pub fn apply(pass: &str, program: &mut Program) -> Result<(), Vec<Finding>> {
    let mut flat = Flat::new(program.clone()).map_err(|reasons| vec![not_flat(reasons)])?;
    apply_to_flat(pass, &mut flat)?;
    *program = flat.into_program();
    Ok(())
}

fn apply_to_flat(pass: &str, flat: &mut Flat) -> Result<(), Vec<Finding>> {
    if pass == "if_conversion" {
        if_conversion::run(flat);
        return Ok(());
    }
    let program = flat.edit();
    match pass {
        "three_address" => three_address::run(program),
        "single_assignment" => single_assignment::run(program),
        "propagation" => propagation::run(program, WriteDemand::WhenPredicated),
        "common_subexpressions" => common_subexpressions::run(program),
        "dead_code" => simplify(program, WriteDemand::WhenPredicated),
        "hoisting" => hoisting::run(program)?,
        "simplification" => simplify(program, WriteDemand::Always),
        _ => {
            return Err(vec![Finding::new(format!(
                "there is no pass called `{pass}` that can be applied to a program by itself"
            ))]);
        }
    }
    Ok(())
}

/// The maximum number of reasons reported for why a program is not flat.
const MOST_REASONS: usize = 10;

/// Returns the finding for a program that is not flat: the passes handle only variables, registers and branches.
pub(crate) fn not_flat(mut reasons: Vec<String>) -> Finding {
    let more = reasons.len().saturating_sub(MOST_REASONS);
    reasons.truncate(MOST_REASONS);
    let message = "a pipeline runs only programs made of variables, registers and branches; this one contains more";
    let finding = reasons.into_iter().fold(Finding::new(message), Finding::note);
    if more > 0 { finding.note(format!("and {more} more")) } else { finding }
}

/// The maximum number of rounds of simplification. Each pass may create work for another; this is enough for every
/// known program and bounds the compile time.
const MOST_ROUNDS: usize = 10;

fn simplify(program: &mut Program, written: WriteDemand) {
    dead_code::run(program);
    for _ in 0..MOST_ROUNDS {
        let before = program.clone();
        propagation::run(program, written);
        common_subexpressions::run(program);
        dead_code::run(program);
        if *program == before {
            break;
        }
    }
}

/// A program laid out in stages.
struct Fitted {
    pipeline: Pipeline,
    unresolved: Vec<Unresolved>,
    fitting: Fitting,
}

fn fit(
    program: &mut Program,
    codelets: &mut Codelets,
    target: &Target,
    layout: &Layout,
    observer: &mut dyn Observer,
) -> Result<Fitted, (Vec<Finding>, Option<Box<Smallest>>)> {
    let last = if *layout == Layout::Single { "schedule" } else { "address_resolution" };
    let before = program.clone();
    let Mapped { units, mut findings, atom } = atom_mapping::run(program, codelets, target);
    if findings.is_empty() {
        observer.ends("atom_mapping", Made::units(program, &units));
    }
    observer.begins(last);
    findings.extend(schedule::unsupported(program, &units, target));
    let impossible = schedule::impossible(program, &units, target);
    let placed = if impossible.is_empty() { lay_out(program, &units, target, layout) } else { Err(impossible) };
    findings.extend(placed.as_ref().err().into_iter().flatten().cloned());
    match placed {
        Ok(fitted) if findings.is_empty() => {
            observer.ends(last, Made::pipeline(&fitted.pipeline));
            Ok(fitted)
        }
        _ if atom == target.atom => {
            observer.begins("the smallest machine that holds it");
            let smallest = smallest(program, &units, &atom, target, layout);
            Err((findings, smallest.map(Box::new)))
        }
        _ => {
            observer.begins("the smallest machine that holds it");
            Err((findings, with_other_atoms((&before, codelets), &atom, target, layout).map(Box::new)))
        }
    }
}

/// Returns the smallest machine with different atoms, for which the program is cut into different units. The codelets
/// are passed in because they remember earlier attempts to map them.
fn with_other_atoms(
    (before, codelets): (&Program, &Codelets),
    atom: &str,
    target: &Target,
    layout: &Layout,
) -> Option<Smallest> {
    let any = (atom != ANY_ATOM).then_some(ANY_ATOM);
    [atom].into_iter().chain(any).find_map(|atom| {
        let (mut program, mut codelets) = (before.clone(), codelets.clone());
        let other = Target { atom: atom.to_owned(), ..target.clone() };
        let Mapped { units, findings, .. } = atom_mapping::run(&mut program, &mut codelets, &other);
        findings.is_empty().then(|| smallest(&program, &units, atom, target, layout)).flatten()
    })
}

fn lay_out(program: &Program, units: &[Unit], target: &Target, layout: &Layout) -> Result<Fitted, Vec<Finding>> {
    match layout {
        Layout::Single => {
            let (pipeline, placed) = layout::single(program, units, target)?;
            let fitting = Fitting::of(program, units, &placed, target.kind);
            Ok(Fitted { pipeline, unresolved: Vec::new(), fitting })
        }
        Layout::Steered { flow_order } => {
            let Resolved { pipeline, placed, units, unresolved } =
                address_resolution::run(program, units.to_vec(), target, flow_order)?;
            let fitting = Fitting::of(&pipeline.program, &units, &placed, target.kind);
            Ok(Fitted { pipeline, unresolved, fitting })
        }
    }
}
