//! The accesses of a pipeline in the dense form that stages use: ordered by stage, with slots in place of expressions.

use std::ops::Range;

use ir::pipeline::{Access, Division, Pipeline, Predicate, Stage, StageKind};
use ir::{Expression, RegisterId, Statement};

use super::parameters::{Mp5Parameters, Sharding};
use super::rules::Departure;
use crate::engine::{self, Code, Slot};
use crate::unsuitable::Unsuitable;

/// A planned access of the pipeline.
#[derive(Clone, Debug)]
pub(super) struct PlannedAccess {
    /// The slot that says whether a packet makes the access, as far as that is known when addresses are resolved.
    pub(super) predicate: Slot,
    /// The slot of a predicate that is known only before the access's stage and assumed to be true until then; if it turns
    /// out to be false, the packet's phantom becomes void (MP5 section 3.3).
    pub(super) late: Option<Slot>,
    /// The stage that makes the access, and below the index of its stop.
    pub(super) stage: usize,
    pub(super) stop: usize,
    /// The slot of the index; it holds 0 for scalars.
    pub(super) index: Slot,
    /// The number of indices.
    pub(super) indices: usize,
    /// The pipeline that holds the state if it is not sharded.
    pub(super) home: Option<u8>,
    /// The registers whose values move together with an index.
    pub(super) registers: Vec<RegisterId>,
    /// The names of these registers, for messages.
    pub(super) name: String,
}

/// The compiled stages and their accesses.
#[derive(Clone, Debug)]
pub(super) struct StagePlan {
    pub(super) code: Code,
    /// The accesses as the pipeline numbers them, which is in order of stage.
    pub(super) accesses: Vec<PlannedAccess>,
    /// The accesses that are not the first of their stage, in order, each with that one.
    pub(super) companions: Vec<(usize, usize)>,
    /// The stage that packets enter.
    pub(super) entry: usize,
    /// The last stage of address resolution.
    pub(super) resolution: usize,
    /// The stages at which more happens to a packet than computation, in order.
    pub(super) stops: Vec<Stop>,
    /// The number of stages.
    pub(super) depth: usize,
}

/// A stage at which packets must be looked at individually, because it has state or ends address resolution.
#[derive(Clone, Debug)]
pub(super) struct Stop {
    pub(super) stage: usize,
    /// The accesses made in this stage; empty where addresses are resolved.
    pub(super) accesses: Range<usize>,
    /// The number of cycles between address resolution and the arrival of phantoms.
    pub(super) phantom_delay: u64,
    /// Whether some predicate becomes known only here.
    pub(super) is_late: bool,
    /// The only access of the stage, if it is known when addresses are resolved whether a packet makes it.
    pub(super) certain: Option<usize>,
}

impl Stop {
    /// Returns true if the stage has state.
    #[inline]
    pub(super) fn is_stateful(&self) -> bool {
        self.accesses.start < self.accesses.end
    }
}

impl StagePlan {
    /// Creates the plan for a pipeline, or fails with all reasons why an MP5 cannot run it.
    pub(super) fn new(pipeline: &Pipeline, parameters: &Mp5Parameters) -> Result<Self, Unsuitable> {
        let mut unsuitable = Unsuitable::of(pipeline)?;
        parameters.check(&mut unsuitable);
        for (number, access) in pipeline.accesses.iter().enumerate() {
            check_known(pipeline, number, access, &mut unsuitable);
            check_map(pipeline, number, access, parameters, &mut unsuitable);
        }
        check_stages(pipeline, &mut unsuitable);
        // A match-action stage may itself determine whether and where a packet accesses its state, which is too late
        // here.
        let steers = pipeline.kind == StageKind::Banzai || pipeline.early_stages > 0;
        unsuitable.unless(steers || pipeline.accesses.is_empty(), || {
            "the pipeline has match-action stages without address resolution, which only a machine without steering \
             can run"
                .into()
        });
        unsuitable.or(())?;

        // Even if nothing must be computed to resolve addresses, the machine needs a stage to do it in.
        let mut pipeline = pipeline.clone();
        let added = u32::from(pipeline.early_stages == 0);
        if added > 0 {
            pipeline.stages.insert(0, Stage::default());
            pipeline.early_stages = 1;
        }

        let (zero, holds) = (Expression::bool(false), Expression::bool(true));
        let operands: Vec<&Expression> =
            pipeline.accesses.iter().flat_map(|access| operands_of(access, &zero, &holds)).collect();
        let (code, slots) = engine::compile(&pipeline, &operands)?;
        let planned = |(access, slots): (&Access, &[Slot])| PlannedAccess {
            predicate: slots[1],
            late: matches!(access.predicate, Predicate::Late(_)).then_some(slots[2]),
            stage: (access.stage + added) as usize,
            stop: 0,
            index: slots[0],
            indices: pipeline.indices_of(access),
            home: home_of(access, parameters),
            registers: access.registers.clone(),
            name: names_of(&pipeline, access),
        };
        let mut accesses: Vec<PlannedAccess> =
            pipeline.accesses.iter().zip(slots.chunks_exact(3)).map(planned).collect();
        let resolution = pipeline.early_stages as usize - 1;
        let at_entry = parameters.rules.has(Departure::ResolvedAtEntry);
        let depth = pipeline.stages.len();
        let entry = if at_entry { (resolution + 1).min(depth - 1) } else { 0 };
        let origin = if at_entry { entry } else { resolution };
        let before = |stage| accesses.partition_point(|access| access.stage < stage);
        let stop = |stage: usize| {
            let range = before(stage)..before(stage + 1);
            let is_late = accesses[range.clone()].iter().any(|access| access.late.is_some());
            let is_stop = !range.is_empty() || (stage == resolution && !at_entry);
            let certain = (range.len() == 1 && !is_late).then_some(range.start);
            is_stop.then(|| Stop { stage, accesses: range, phantom_delay: (stage - origin) as u64, is_late, certain })
        };
        let stops: Vec<Stop> = (entry.max(resolution)..depth).filter_map(stop).collect();
        for (number, stop) in stops.iter().enumerate() {
            accesses[stop.accesses.clone()].iter_mut().for_each(|access| access.stop = number);
        }
        let companions =
            stops.iter().flat_map(|stop| stop.accesses.clone().skip(1).map(|it| (it, stop.accesses.start)));
        Ok(Self { code, entry, resolution, companions: companions.collect(), stops, depth, accesses })
    }
}

/// Returns the index of an access, its predicate as far as that is known when addresses are resolved, and the whole one.
fn operands_of<'a>(access: &'a Access, zero: &'a Expression, holds: &'a Expression) -> [&'a Expression; 3] {
    let (resolved, whole) = match &access.predicate {
        Predicate::Always => (holds, holds),
        Predicate::Early(predicate) => (predicate, predicate),
        Predicate::Late(predicate) => (holds, predicate),
    };
    [index_of(access).unwrap_or(zero), resolved, whole]
}

fn names_of(pipeline: &Pipeline, access: &Access) -> String {
    let names = access.registers.iter().map(|&register| format!("`{}`", pipeline.program.register(register).name));
    names.collect::<Vec<_>>().join(" and ")
}

fn index_of(access: &Access) -> Option<&Expression> {
    access.index.as_ref()
}

/// Returns the pipeline of an access that is not sharded: its stage modulo k, so that several pinned registers do not
/// burden the same pipeline (MP5 leaves the choice open, section 3.3).
fn home_of(access: &Access, parameters: &Mp5Parameters) -> Option<u8> {
    match (access.division, &parameters.sharding) {
        (_, Sharding::AllInOne) => Some(0),
        (Division::Whole, _) => Some((access.stage as usize % parameters.pipelines) as u8),
        (Division::ByIndex, _) => None,
    }
}

/// Checks that indices and predicates are known when addresses are resolved. [`Pipeline::verify`] accepts a pipeline
/// without resolution stages that resolves nothing; this machine resolves when a packet arrives, when only its fields
/// are known.
fn check_known(pipeline: &Pipeline, number: usize, access: &Access, unsuitable: &mut Unsuitable) {
    let index = access.index.as_ref().filter(|_| access.division == Division::ByIndex).map(|it| ("index", it));
    let predicate = match &access.predicate {
        Predicate::Early(it) => Some(("predicate", it)),
        Predicate::Always | Predicate::Late(_) => None,
    };
    let late = pipeline.stages.iter().skip(pipeline.early_stages as usize).flat_map(|stage| &stage.atoms);
    let late: Vec<&Statement> = late.flat_map(|atom| &atom.body).collect();
    for (what, operand) in index.into_iter().chain(predicate) {
        let assigned = |statement: &&Statement| {
            matches!((statement, operand),
                (Statement::Assign { variable, .. }, Expression::Variable(id)) if variable == id)
        };
        unsuitable.unless(!late.iter().any(assigned), || {
            format!("the {what} of access {number} is not known when addresses are resolved")
        });
    }
}

/// Checks the map of a sharded access, if maps are given.
fn check_map(
    pipeline: &Pipeline,
    number: usize,
    access: &Access,
    parameters: &Mp5Parameters,
    unsuitable: &mut Unsuitable,
) {
    let (Division::ByIndex, Sharding::Fixed(maps) | Sharding::DynamicFrom(maps)) =
        (access.division, &parameters.sharding)
    else {
        return;
    };
    let (indices, k) = (pipeline.indices_of(access), parameters.pipelines);
    let fits = |map: &Vec<u8>| map.len() == indices && map.iter().all(|&pipeline| usize::from(pipeline) < k);
    unsuitable.unless(maps.get(number).is_some_and(fits), || {
        format!("the fixed map of access {number} must give each of {indices} indices a pipeline below {k}")
    });
}

/// Checks that no two accesses in one stage that a packet always makes can be in different pipelines: a packet can be
/// in only one pipeline at a time (section 3.3). Whether predicates exclude each other is the responsibility of the
/// pass that set them.
fn check_stages(pipeline: &Pipeline, unsuitable: &mut Unsuitable) {
    for (number, access) in pipeline.accesses.iter().enumerate() {
        let clash = pipeline.accesses[..number].iter().any(|other| {
            let both = other.stage == access.stage && [other, access].iter().all(|a| a.predicate == Predicate::Always);
            both && [other, access].iter().any(|a| a.division == Division::ByIndex)
        });
        unsuitable.unless(!clash, || {
            format!(
                "stage {} makes two accesses for one packet whose state may be in different pipelines",
                access.stage
            )
        });
    }
}
