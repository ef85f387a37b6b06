//! The options of what stages offer.

use passes::ANY_ATOM;
use passes::atoms::Template;

use super::{COUNT, PipelineOption, number};
use crate::kinds::option::{Accepts, MachineOption};

/// The heading of options of stages.
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
    option: of_stages("depth", "N", "32", Accepts::Number(1..=1024), "How many stages a pipeline has."),
    set: |draft, text| number(text).map(|depth| draft.plan.target.depth = depth),
};

pub(in crate::kinds::pipelines) static STAGES: PipelineOption = PipelineOption {
    option: of_stages(
        "stages",
        "KIND",
        "",
        Accepts::OneOf(&["banzai", "match-action"]),
        "What its stages are like: `banzai`, one operation deep, which programs without a parser are fitted to unless \
         told otherwise; or `match-action`, in which a packet passes gateways and hashes, tables, one operation or \
         stateful atom and a choice (RMT), which programs with a parser are fitted to.",
    ),
    // It decides what the others begin with, and was looked at before them.
    set: |_, _| Ok(()),
};

pub(in crate::kinds::pipelines) static STATEFUL: PipelineOption = PipelineOption {
    option: of_stages(
        "stateful",
        "N",
        "",
        COUNT,
        "How many stateful atoms a stage has; 10 of banzai's stages, 4 of match-action's.",
    ),
    set: |draft, text| number(text).map(|atoms| draft.plan.target.stateful_per_stage = atoms),
};

pub(in crate::kinds::pipelines) static STATELESS: PipelineOption = PipelineOption {
    option: of_stages(
        "stateless",
        "N",
        "",
        COUNT,
        "How many stateless atoms a stage has; 100 of banzai's stages, 224 ALUs of match-action's.",
    ),
    set: |draft, text| number(text).map(|atoms| draft.plan.target.stateless_per_stage = atoms),
};

pub(in crate::kinds::pipelines) static TABLES_PER_STAGE: PipelineOption = PipelineOption {
    option: of_stages("tables-per-stage", "N", "", COUNT, "How many tables a match-action stage matches; 16."),
    set: |draft, text| number(text).map(|tables| draft.match_action().tables = tables),
};

pub(in crate::kinds::pipelines) static SRAM_BLOCKS: PipelineOption = PipelineOption {
    option: of_stages(
        "sram-blocks",
        "N",
        "",
        COUNT,
        "How many blocks of SRAM a match-action stage has, for exact matches, action data and registers: each of 1,024 \
         words of 112 bits; 106.",
    ),
    set: |draft, text| number(text).map(|blocks| draft.match_action().sram_blocks = blocks),
};

pub(in crate::kinds::pipelines) static TCAM_BLOCKS: PipelineOption = PipelineOption {
    option: of_stages(
        "tcam-blocks",
        "N",
        "",
        COUNT,
        "How many blocks of TCAM a match-action stage has, for ternary, lpm and range keys: each of 2,048 words of 40 \
         bits; 16.",
    ),
    set: |draft, text| number(text).map(|blocks| draft.match_action().tcam_blocks = blocks),
};

pub(in crate::kinds::pipelines) static HASH_UNITS: PipelineOption = PipelineOption {
    option: of_stages("hash-units", "N", "", COUNT, "How many hashes and checksums a match-action stage computes; 8."),
    set: |draft, text| number(text).map(|units| draft.match_action().hash_units = units),
};

pub(in crate::kinds::pipelines) static ATOM: PipelineOption = PipelineOption {
    option: of_stages(
        "atom",
        "NAME",
        "pair",
        Accepts::Text(atom),
        "The stateful atom of every stage: rw, raw, pred_raw, if_else_raw, sub, nested_ifs, pair, mul_acc, or any (one \
         without limits, for studying what no circuit holds).",
    ),
    set: |draft, text| {
        draft.plan.target.atom = text.to_owned();
        Ok(())
    },
};

/// Whether a text is the name of an atom.
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
        "Operations that stateless atoms have beside their usual ones: multiply, divide-by-constant, divide (by a \
         variable).",
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
         published results do; without it a claim holds for all 32-bit inputs.",
    ),
    set: |draft, text| {
        draft.plan.target.assume_no_overflow = text != "false";
        Ok(())
    },
};
