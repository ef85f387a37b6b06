//! All passes one after the other.

use ir::pipeline::Pipeline;
use ir::{Flat, Program};

use crate::address_resolution::Resolved;
use crate::atom_mapping::{self, Codelets, Mapped};
use crate::choice_chains::verify_choices;
use crate::demand::Written;
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

/// The passes in order, by the names under which an [`Observer`] is told of them. Only one of the last two is run:
/// `schedule` for [`Layout::Single`], `address_resolution`, which schedules too, for [`Layout::Steered`]. `simplification`
/// repeats `propagation`, `common_subexpressions` and `dead_code` until nothing changes, and so does `dead_code` itself.
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
    /// What the machine runs.
    pub pipeline: Pipeline,
    /// The updates of state, and the atoms that do them.
    pub codelets: Codelets,
    /// What of accesses is not known early, and why.
    pub unresolved: Vec<Unresolved>,
    /// What is used of each stage, and why there are so many.
    pub fitting: Fitting,
}

/// Why a program was not fitted to a machine.
#[derive(Clone, Debug)]
pub enum Failure {
    /// It is no valid program: a fault of whoever made it.
    Invalid(Vec<String>),
    /// The machine cannot hold it.
    Resources(Box<Refused>),
    /// A pass made something wrong of it: a fault of this crate.
    Fault(Vec<String>),
}

/// A program that a machine cannot hold.
#[derive(Clone, Debug)]
pub struct Refused {
    /// Everything that does not fit.
    pub report: ResourceReport,
    /// The updates of state, if they were found.
    pub codelets: Option<Codelets>,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Invalid(errors) => write!(f, "not a valid program:\n- {}", errors.join("\n- ")),
            Self::Resources(refused) => refused.report.fmt(f),
            Self::Fault(errors) => write!(f, "the compiler made a fault, please report it:\n- {}", errors.join("\n- ")),
        }
    }
}

impl std::error::Error for Failure {}

/// Fits a program to a machine, and tells `observer` of each step: `&mut ()` for a caller that asks for nothing.
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

/// Applies one of the passes that take a program to a program: those before `atom_mapping`. Each expects the form
/// that those before it leave, and a flat program in any case: another one is refused.
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
        "propagation" => propagation::run(program, Written::WhenPredicated),
        "common_subexpressions" => common_subexpressions::run(program),
        "dead_code" => simplify(program, Written::WhenPredicated),
        "hoisting" => hoisting::run(program)?,
        "simplification" => simplify(program, Written::Always),
        _ => return Err(vec![Finding::new(format!("there is no pass called `{pass}` from programs to programs"))]),
    }
    Ok(())
}

/// How many of the reasons why a program is not flat are told.
const MOST_REASONS: usize = 10;

/// What a pipeline cannot do yet: passes expect nothing but variables, registers and branches.
pub(crate) fn not_flat(mut reasons: Vec<String>) -> Finding {
    let more = reasons.len().saturating_sub(MOST_REASONS);
    reasons.truncate(MOST_REASONS);
    let message = "a pipeline runs programs of variables, registers and branches only, and this one has more";
    let finding = reasons.into_iter().fold(Finding::new(message), Finding::note);
    if more > 0 { finding.note(format!("and {more} things more")) } else { finding }
}

/// Each pass may leave work for another; this many rounds are enough for every program known, and bound the time.
const MOST_ROUNDS: usize = 10;

fn simplify(program: &mut Program, written: Written) {
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

/// A program laid out.
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

/// The smallest machine whose atoms are others: the program is cut into other units for them. The codelets are those
/// before, with what is known of attempts at them.
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
