//! The options of machines that shard registers over several pipelines.

use machines::mp5::Sharding;

use super::{ANY, PipelineOption, Set, option};
use crate::kinds::option::Accepts;
use crate::machine::KnownLoad;
use crate::placement::Placement;

pub(in crate::kinds::pipelines) static SHARDING: PipelineOption = PipelineOption {
    option: option(
        "sharding",
        "HOW",
        "dynamic",
        Accepts::OneOf(&["dynamic", "random", "modulo", "sorted", "packed", "one-pipeline"]),
        "How registers are placed: dynamic, random, modulo, one-pipeline; and if the packets are known beforehand, \
         sorted (the worst case for these packets) or packed (dynamic, starting with the best map for these packets).",
    ),
    set: |draft, text| {
        let (sharding, known_load) = match text {
            "random" => (Sharding::StaticRandom, None),
            "modulo" => (Sharding::StaticModulo, None),
            "sorted" => (Sharding::Dynamic, Some(KnownLoad::Sorted)),
            "packed" => (Sharding::Dynamic, Some(KnownLoad::Packed)),
            "one-pipeline" => (Sharding::AllInOne, None),
            _ => (Sharding::Dynamic, None),
        };
        draft.plan.known_load = known_load;
        if let Some(own) = draft.plan.parameters.sharding() {
            *own = sharding;
        }
        Ok(())
    },
};

pub(in crate::kinds::pipelines) static PLACEMENT: PipelineOption = PipelineOption {
    option: option(
        "placement",
        "ENTRY,…|FILE",
        "",
        ANY,
        "The pipelines of indices of sharded registers, by name: `reg[2]=0,reg[4-7]=1,other=1`, or a file of such \
         entries. Other indices lie where `--sharding` puts them initially, and nothing moves.",
    ),
    set: |draft, text| {
        draft.placement = Some(Placement::read(text));
        Ok(())
    },
};

/// Returns the option `--remap-period`; each machine sets it in its own way.
pub(in crate::kinds::pipelines) const fn remap_period(set: Set) -> PipelineOption {
    PipelineOption {
        option: option(
            "remap-period",
            "CYCLES",
            "100",
            Accepts::Number(1..=u64::MAX),
            "The number of cycles between two runs of the remapping heuristic.",
        ),
        set,
    }
}

/// Returns the option `--recirculation-latency`; each machine sets it in its own way.
pub(in crate::kinds::pipelines) const fn recirculation_latency(set: Set) -> PipelineOption {
    PipelineOption {
        option: option(
            "recirculation-latency",
            "CYCLES",
            "0",
            Accepts::Number(0..=1_000_000_000),
            "The latency of a recirculation in cycles, from the end of a pipeline to the entry of a pipeline.",
        ),
        set,
    }
}
