//! The options of machines whose registers lie spread over several pipelines.

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
        "Where registers lie: dynamic, random, modulo, one-pipeline; and where the packets are known beforehand sorted \
         (the worst case for these packets) and packed (dynamic, from the best map for these packets on).",
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
        "Where indices of sharded registers lie, by name: `reg[2]=0,reg[4-7]=1,other=1`, or a file of such entries. \
         Others lie where `--sharding` puts them at first, and nothing moves.",
    ),
    set: |draft, text| {
        draft.placement = Some(Placement::read(text));
        Ok(())
    },
};

/// How a machine sets `--remap-period` is its own.
pub(in crate::kinds::pipelines) const fn remap_period(set: Set) -> PipelineOption {
    PipelineOption {
        option: option(
            "remap-period",
            "CYCLES",
            "100",
            Accepts::Number(1..=u64::MAX),
            "Cycles between two runs of the remapping heuristic.",
        ),
        set,
    }
}

/// How a machine sets `--recirculation-latency` is its own.
pub(in crate::kinds::pipelines) const fn recirculation_latency(set: Set) -> PipelineOption {
    PipelineOption {
        option: option(
            "recirculation-latency",
            "CYCLES",
            "0",
            Accepts::Number(0..=1_000_000_000),
            "Cycles from the end of a pipeline back to a pipeline's entry, where packets recirculate.",
        ),
        set,
    }
}
