//! The options for the resources of stages.

use atoms::Template;
use passes::ANY_ATOM;

use super::{COUNT, PipelineOption, number};
use crate::kinds::option::{Accepts, MachineOption};

/// The heading of options that concern stages.
const HEADING: &str = "Stages of machines with pipelines";

pub(in crate::kinds::pipelines) const fn of_stages(
    name: &'static str,
    value: &'static str,
    default: &'static str,
    accepts: Accepts,
    help: &'static str,
) -> MachineOption {
    MachineOption { name, value, default, help, accepts, heading: HEADING, is_hidden: false }
}

pub(in crate::kinds::pipelines) static DEPTH: PipelineOption = PipelineOption {
    option: of_stages("depth", "N", "32", Accepts::Number(1..=1024), "The number of stages of a pipeline."),
    set: |draft, text| number(text).map(|depth| draft.plan.target.depth = depth),
};

pub(in crate::kinds::pipelines) static STAGES: PipelineOption = PipelineOption {
    option: of_stages(
        "stages",
        "KIND",
        "",
        Accepts::OneOf(&["banzai", "match-action"]),
        "The kind of stages: `banzai`, one operation deep, the default for programs without a parser; or \
         `match-action`, in which a packet passes gateways and hashes, tables, one operation or stateful atom, and a \
         choice (RMT), the default for programs with a parser.",
    ),
    // The kind determines the defaults of the other options, so it has been set before them.
    set: |_, _| Ok(()),
};

pub(in crate::kinds::pipelines) static STATEFUL: PipelineOption = PipelineOption {
    option: of_stages(
        "stateful",
        "N",
        "",
        COUNT,
        "The number of stateful atoms of a stage; by default 10 in banzai stages and 4 in match-action stages.",
    ),
    set: |draft, text| number(text).map(|atoms| draft.plan.target.stateful_per_stage = atoms),
};

pub(in crate::kinds::pipelines) static STATELESS: PipelineOption = PipelineOption {
    option: of_stages(
        "stateless",
        "N",
        "",
        COUNT,
        "The number of stateless atoms of a stage; by default 100 in banzai stages and 224 (ALUs) in match-action \
         stages.",
    ),
    set: |draft, text| number(text).map(|atoms| draft.plan.target.stateless_per_stage = atoms),
};

pub(in crate::kinds::pipelines) static TABLES_PER_STAGE: PipelineOption = PipelineOption {
    option: of_stages(
        "tables-per-stage",
        "N",
        "",
        COUNT,
        "The number of tables that a match-action stage matches; by default 16.",
    ),
    set: |draft, text| number(text).map(|tables| draft.match_action().tables = tables),
};

pub(in crate::kinds::pipelines) static SRAM_BLOCKS: PipelineOption = PipelineOption {
    option: of_stages(
        "sram-blocks",
        "N",
        "",
        COUNT,
        "The number of blocks of SRAM of a match-action stage, for exact matches, action data and registers, each of \
         1,024 words of 112 bits; by default 106.",
    ),
    set: |draft, text| number(text).map(|blocks| draft.match_action().sram_blocks = blocks),
};

pub(in crate::kinds::pipelines) static TCAM_BLOCKS: PipelineOption = PipelineOption {
    option: of_stages(
        "tcam-blocks",
        "N",
        "",
        COUNT,
        "The number of blocks of TCAM of a match-action stage, for ternary, lpm and range keys, each of 2,048 words \
         of 40 bits; by default 16.",
    ),
    set: |draft, text| number(text).map(|blocks| draft.match_action().tcam_blocks = blocks),
};

pub(in crate::kinds::pipelines) static HASH_UNITS: PipelineOption = PipelineOption {
    option: of_stages(
        "hash-units",
        "N",
        "",
        COUNT,
        "The number of hashes and checksums that a match-action stage computes; by default 8.",
    ),
    set: |draft, text| number(text).map(|units| draft.match_action().hash_units = units),
};

pub(in crate::kinds::pipelines) static ATOM: PipelineOption = PipelineOption {
    option: of_stages(
        "atom",
        "NAME",
        "pair",
        Accepts::Text(atom),
        "The stateful atom of every stage: rw, raw, pred_raw, if_else_raw, sub, nested_ifs, pair, mul_acc, or any (an \
         atom without limits, to study updates that no circuit can compute).",
    ),
    set: |draft, text| {
        draft.plan.target.atom = text.to_owned();
        Ok(())
    },
};

/// Checks that a text is the name of an atom.
fn atom(text: &str) -> Result<(), String> {
    let names: Vec<&str> = Template::ALL.iter().map(|template| template.name()).chain([ANY_ATOM]).collect();
    if names.contains(&text) { Ok(()) } else { Err(format!("there is no such atom; there are {}", names.join(", "))) }
}

pub(in crate::kinds::pipelines) static OPERATIONS: PipelineOption = PipelineOption {
    option: of_stages(
        "operations",
        "NAME,…",
        "",
        Accepts::SomeOf(&["multiply", "divide-by-constant", "divide"]),
        "Additional operations of stateless atoms: multiply, divide-by-constant, divide (by a variable).",
    ),
    set: |draft, text| {
        let operations = &mut draft.plan.target.operations;
        for name in text.split(',') {
            match name {
                "multiply" => operations.multiply = true,
                "divide-by-constant" => operations.divide_by_constant = true,
                _ => operations.divide = true,
            }
        }
        Ok(())
    },
};

pub(in crate::kinds::pipelines) static ASSUME_NO_OVERFLOW: PipelineOption = PipelineOption {
    option: of_stages(
        "assume-no-overflow",
        "",
        "",
        Accepts::Nothing,
        "Prove atoms under the premise that the program's own additions and subtractions do not overflow, as the \
         published results do; without it, proofs hold for all 32-bit inputs.",
    ),
    set: |draft, text| {
        draft.plan.target.assume_no_overflow = text != "false";
        Ok(())
    },
};
