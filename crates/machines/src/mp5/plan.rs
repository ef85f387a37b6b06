//! The accesses of a pipeline, as the stages look at them: dense, by stage, with slots for expressions.

use std::ops::Range;

use ir::RegisterId;
use ir::pipeline::{Access, Pipeline, Placement, Predicate, Stage};
use ir::{Expression, Statement};

use super::parameters::{Parameters, Sharding};
use crate::engine::{self, Code, Slot};
use crate::unsuitable::Unsuitable;

/// When a packet makes an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    Always,
    /// Known when addresses are resolved.
    Resolved(Slot),
    /// Known before the access's stage; true until then.
    Conservative(Slot),
}

/// An access of the pipeline.
#[derive(Clone, Debug)]
pub(super) struct PlannedAccess {
    pub(super) condition: Condition,
    /// Where its index is; a slot that holds 0 for scalars.
    pub(super) index: Slot,
    /// How many indices it has.
    pub(super) indices: usize,
    /// The pipeline that holds it if it is not sharded.
    pub(super) home: Option<u8>,
    /// What moves with an index.
    pub(super) registers: Vec<RegisterId>,
}

/// What the stages do.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) code: Code,
    /// In order of stage.
    pub(super) accesses: Vec<PlannedAccess>,
    /// The number that each of `accesses` has in the pipeline.
    pub(super) numbers: Vec<u32>,
    /// The accesses of each stage.
    pub(super) by_stage: Vec<Range<usize>>,
    /// The last stage of address resolution; phantoms leave from it.
    pub(super) resolution: usize,
}

impl Plan {
    /// The plan for a pipeline, or all reasons why an MP5 cannot run it.
    pub(super) fn new(pipeline: &Pipeline, parameters: &Parameters) -> Result<Self, Unsuitable> {
        let mut unsuitable = Unsuitable::default();
        parameters.check(&mut unsuitable);
        unsuitable.unless(!pipeline.stages.is_empty(), || "the pipeline has no stages".into());
        for (number, access) in pipeline.accesses.iter().enumerate() {
            check_access(pipeline, number, access, parameters, &mut unsuitable);
        }
        check_stages(pipeline, &mut unsuitable);
        unsuitable.or(())?;

        // Where nothing needs computing to resolve addresses, the machine still needs a stage to do it in.
        let mut pipeline = pipeline.clone();
        let added = u32::from(pipeline.resolution_stages == 0);
        if added > 0 {
            pipeline.stages.insert(0, Stage::default());
            pipeline.resolution_stages = 1;
        }

        let mut numbers: Vec<u32> = (0..pipeline.accesses.len() as u32).collect();
        numbers.sort_by_key(|&number| pipeline.accesses[number as usize].stage);
        let ordered: Vec<&Access> = numbers.iter().map(|&number| &pipeline.accesses[number as usize]).collect();

        let zero = Expression::bool(false);
        let operands: Vec<&Expression> = ordered
            .iter()
            .flat_map(|access| [access.index.as_ref().unwrap_or(&zero), predicate_of(access).unwrap_or(&zero)])
            .collect();
        let (code, slots) = engine::compile(&pipeline, &operands)?;
        let accesses: Vec<PlannedAccess> = ordered
            .iter()
            .zip(slots.chunks_exact(2))
            .map(|(access, slots)| PlannedAccess {
                condition: match access.predicate {
                    Predicate::Always => Condition::Always,
                    Predicate::Resolved(_) => Condition::Resolved(slots[1]),
                    Predicate::Conservative(_) => Condition::Conservative(slots[1]),
                },
                index: slots[0],
                indices: pipeline.indices_of(access),
                home: home_of(access, parameters),
                registers: access.registers.clone(),
            })
            .collect();
        let stages = ordered.iter().map(|access| (access.stage + added) as usize);
        let stages: Vec<usize> = stages.collect();
        let by_stage = (0..pipeline.stages.len())
            .map(|stage| stages.partition_point(|&at| at < stage)..stages.partition_point(|&at| at <= stage))
            .collect();
        Ok(Self { code, accesses, numbers, by_stage, resolution: pipeline.resolution_stages as usize - 1 })
    }

    /// How many stages there are.
    pub(super) fn depth(&self) -> usize {
        self.by_stage.len()
    }
}

fn predicate_of(access: &Access) -> Option<&Expression> {
    match &access.predicate {
        Predicate::Always => None,
        Predicate::Resolved(predicate) | Predicate::Conservative(predicate) => Some(predicate),
    }
}

/// The pipeline of an access that is not spread over all: its stage modulo k, so that several pinned registers
/// do not burden one pipeline (MP5 leaves the choice open, section 3.3).
fn home_of(access: &Access, parameters: &Parameters) -> Option<u8> {
    match (access.placement, &parameters.sharding) {
        (_, Sharding::AllInOne) => Some(0),
        (Placement::Pinned, _) => Some((access.stage as usize % parameters.pipelines) as u8),
        (Placement::Sharded, _) => None,
    }
}

fn check_access(
    pipeline: &Pipeline,
    number: usize,
    access: &Access,
    parameters: &Parameters,
    unsuitable: &mut Unsuitable,
) {
    let sharded = access.placement == Placement::Sharded;
    let stage = access.stage;
    unsuitable.unless((stage as usize) < pipeline.stages.len(), || {
        format!("access {number} is in stage {stage}, the pipeline has {}", pipeline.stages.len())
    });
    unsuitable.unless(stage >= pipeline.resolution_stages, || {
        format!("access {number} is in stage {stage}, which resolves addresses")
    });
    if sharded && let Some(index) = &access.index {
        check_known(pipeline, number, "index", index, pipeline.resolution_stages, unsuitable);
    }
    match &access.predicate {
        Predicate::Always => {}
        Predicate::Resolved(it) => {
            check_known(pipeline, number, "predicate", it, pipeline.resolution_stages, unsuitable);
        }
        Predicate::Conservative(it) => check_known(pipeline, number, "predicate", it, stage, unsuitable),
    }
    let mut lengths = access.registers.iter().map(|&register| pipeline.program.register(register).size());
    let first = lengths.next();
    unsuitable.unless(!sharded || lengths.all(|length| Some(length) == first), || {
        format!("access {number} shards registers of different lengths as one")
    });
    if let (true, Sharding::Fixed(maps)) = (sharded, &parameters.sharding) {
        let indices = pipeline.indices_of(access);
        let fits = |map: &Vec<u8>| {
            map.len() == indices && map.iter().all(|&pipeline| usize::from(pipeline) < parameters.pipelines)
        };
        unsuitable.unless(maps.get(number).is_some_and(fits), || {
            let k = parameters.pipelines;
            format!("the fixed map of access {number} must give each of {indices} indices a pipeline below {k}")
        });
    }
}

/// A packet can be in one pipeline at a time, so of the accesses of one stage that it surely makes only one may
/// be sharded (section 3.3). Whether predicates exclude each other is the business of the pass that set them.
fn check_stages(pipeline: &Pipeline, unsuitable: &mut Unsuitable) {
    for (number, access) in pipeline.accesses.iter().enumerate() {
        let clash = pipeline.accesses[..number].iter().any(|other| {
            let both = other.stage == access.stage && [other, access].iter().all(|a| a.predicate == Predicate::Always);
            both && [other, access].iter().any(|a| a.placement == Placement::Sharded)
        });
        unsuitable.unless(!clash, || {
            format!("stage {} makes two accesses for one packet that may lie in different pipelines", access.stage)
        });
    }
}

/// Checks that a variable is assigned before a stage, or comes with the packet.
fn check_known(
    pipeline: &Pipeline,
    number: usize,
    what: &str,
    operand: &Expression,
    before: u32,
    unsuitable: &mut Unsuitable,
) {
    let late = pipeline.stages.iter().skip(before as usize).flat_map(|stage| &stage.atoms).any(|atom| {
        atom.body.iter().any(|statement| {
            matches!((statement, operand), (Statement::Assign { variable, .. }, Expression::Variable(id)) if variable == id)
        })
    });
    unsuitable.unless(!late, || format!("the {what} of access {number} is not known before stage {before}"));
}
