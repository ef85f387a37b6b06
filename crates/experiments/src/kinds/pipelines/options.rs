//! The options of machines with pipelines: what each is called, which machines have it, and what it sets.

use diagnostics::Diagnostic;
use machines::mp5::{Blocking, Mutation, Ordering, Rules, Sharding, Steering};
use passes::ANY_ATOM;
use passes::atoms::Template;

use super::draft::Draft;
use crate::kinds::option::{Accepts, MachineOption};
use crate::machine::{Architecture, KnownLoad};
use crate::placement::Placement;

/// An option, which machines have it, and how it is carried out.
pub(super) struct PipelineOption {
    pub(super) option: MachineOption,
    pub(super) machines: &'static [Architecture],
    /// Sets what a text says, which the option accepts.
    pub(super) set: fn(&mut Draft<'_>, &str) -> Result<(), Diagnostic>,
}

const ALL: &[Architecture] = &Architecture::ALL;
const SEVERAL: &[Architecture] = &[Architecture::Mp5, Architecture::Recirculating];
const MP5: &[Architecture] = &[Architecture::Mp5];

/// The heading of options of whole machines.
const MACHINES: &str = "Machines with pipelines";
/// The heading of options of stages.
const STAGES: &str = "Stages of machines with pipelines";

const fn option(
    name: &'static str,
    value: &'static str,
    default: &'static str,
    accepts: Accepts,
    help: &'static str,
) -> MachineOption {
    MachineOption { name, value, default, help, accepts, heading: MACHINES, is_hidden: false }
}

const fn of_stages(
    name: &'static str,
    value: &'static str,
    default: &'static str,
    accepts: Accepts,
    help: &'static str,
) -> MachineOption {
    MachineOption { name, value, default, help, accepts, heading: STAGES, is_hidden: false }
}

/// A number that a range has bounded.
fn number<T: TryFrom<u64>>(text: &str) -> Result<T, Diagnostic> {
    let number = text.parse::<u64>().ok().and_then(|number| T::try_from(number).ok());
    number.ok_or_else(|| Diagnostic::without_place(format!("`{text}` is no number that fits here")))
}

/// What a name stands for.
fn choose<T: Clone>(what: &str, name: &str, known: &[(&str, T)]) -> Result<T, Diagnostic> {
    let found = known.iter().find(|(known, _)| *known == name);
    found.map(|(_, chosen)| chosen.clone()).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        Diagnostic::without_place(format!("there is no {what} called `{name}`"))
            .hint(format!("one of: {}", names.join(", ")))
    })
}

const COUNT: Accepts = Accepts::Number(0..=u32::MAX as u64);
const ANY: Accepts = Accepts::Text(|_| Ok(()));

/// Every option, in the order of help.
pub(super) static OPTIONS: [PipelineOption; 27] = [
    PipelineOption {
        option: option(
            "pipelines",
            "K",
            "4",
            Accepts::Number(1..=64),
            "How many parallel pipelines; `banzai` is one pipeline that is so many times as fast.",
        ),
        machines: ALL,
        set: |draft, text| number(text).map(|count| draft.plan.parameters.set_pipelines(count)),
    },
    PipelineOption {
        option: option(
            "ports",
            "N",
            "64",
            Accepts::Number(1..=1024),
            "How many ports packets of made traffic come in on; a recirculating switch divides them among its pipelines.",
        ),
        machines: ALL,
        set: |draft, text| number(text).map(|count| draft.plan.parameters.set_ports(count)),
    },
    PipelineOption {
        option: option(
            "fifo-depth",
            "N",
            "",
            Accepts::Number(1..=u32::MAX as u64),
            "Places in each FIFO in front of a stateful stage, one FIFO for each pipeline; without it they grow.",
        ),
        machines: MP5,
        set: |draft, text| number(text).map(|places| draft.mp5(|mp5| mp5.fifo_depth = Some(places))),
    },
    PipelineOption {
        option: option(
            "remap-period",
            "CYCLES",
            "100",
            Accepts::Number(1..=u64::MAX),
            "Cycles between two runs of the remapping heuristic.",
        ),
        machines: SEVERAL,
        set: |draft, text| number(text).map(|cycles| draft.remap_every(cycles)),
    },
    PipelineOption {
        option: option(
            "rules",
            "RULES",
            "paper",
            ANY,
            "By which rules: `paper`, or `artifact` (those of the paper's published simulator), then departures to add or \
             take away, such as `paper,+retry` or `artifact,-one-list` (all are named in docs/machines/mp5.md).",
        ),
        machines: MP5,
        set: |draft, text| {
            let rules: Rules = text.parse().map_err(|message: String| Diagnostic::without_place(message))?;
            draft.mp5(|mp5| mp5.rules = rules);
            Ok(())
        },
    },
    PipelineOption {
        option: option(
            "blocking",
            "HOW",
            "head-of-line",
            ANY,
            "What a queued packet waits for: head-of-line (everything before it) or per-index (only what needs the same \
             index, the paper's \"ideal\").",
        ),
        machines: MP5,
        set: |draft, text| {
            let known = [("head-of-line", Blocking::HeadOfLine), ("per-index", Blocking::PerIndex)];
            choose("blocking", text, &known).map(|blocking| draft.mp5(|mp5| mp5.blocking = blocking))
        },
    },
    PipelineOption {
        option: option(
            "sharding",
            "HOW",
            "dynamic",
            ANY,
            "Where registers lie: dynamic, random, modulo, one-pipeline; and where the packets are known beforehand sorted \
             (the worst case for these packets) and packed (dynamic, from the best map for these packets on).",
        ),
        machines: SEVERAL,
        set: |draft, text| {
            let known = [
                ("dynamic", (Sharding::Dynamic, None)),
                ("random", (Sharding::StaticRandom, None)),
                ("modulo", (Sharding::StaticModulo, None)),
                ("sorted", (Sharding::Dynamic, Some(KnownLoad::Sorted))),
                ("packed", (Sharding::Dynamic, Some(KnownLoad::Packed))),
                ("one-pipeline", (Sharding::AllInOne, None)),
            ];
            let (sharding, known_load) = choose("sharding", text, &known)?;
            draft.plan.known_load = known_load;
            if let Some(own) = draft.plan.parameters.sharding() {
                *own = sharding;
            }
            Ok(())
        },
    },
    PipelineOption {
        option: option(
            "placement",
            "ENTRY,…|FILE",
            "",
            ANY,
            "Where indices of sharded registers lie, by name: `reg[2]=0,reg[4-7]=1,other=1`, or a file of such entries. \
             Others lie where `--sharding` puts them at first, and nothing moves.",
        ),
        machines: SEVERAL,
        set: |draft, text| {
            draft.placement = Some(Placement::read(text));
            Ok(())
        },
    },
    PipelineOption {
        option: option(
            "ordering",
            "HOW",
            "phantoms",
            ANY,
            "How the order of state accesses is kept: phantoms or none.",
        ),
        machines: MP5,
        set: |draft, text| {
            let known = [("phantoms", Ordering::Phantoms), ("none", Ordering::None)];
            choose("ordering", text, &known).map(|ordering| draft.mp5(|mp5| mp5.ordering = ordering))
        },
    },
    PipelineOption {
        option: option("steering", "HOW", "crossbar", ANY, "How packets change pipelines: crossbar or recirculation."),
        machines: MP5,
        set: |draft, text| {
            let known =
                [("crossbar", Steering::Crossbar), ("recirculation", Steering::Recirculation(draft.recirculation))];
            choose("way of steering", text, &known).map(|steering| draft.mp5(|mp5| mp5.steering = steering))
        },
    },
    PipelineOption {
        option: option(
            "recirculation-latency",
            "CYCLES",
            "0",
            Accepts::Number(0..=1_000_000_000),
            "Cycles from the end of a pipeline back to a pipeline's entry, where packets recirculate.",
        ),
        machines: SEVERAL,
        set: |draft, text| {
            draft.recirculate_after(number(text)?);
            Ok(())
        },
    },
    PipelineOption {
        option: option(
            "ecn-threshold",
            "PACKETS",
            "",
            COUNT,
            "Mark packets (ECN) that are queued behind more than so many.",
        ),
        machines: MP5,
        set: |draft, text| number(text).map(|packets| draft.mp5(|mp5| mp5.ecn_threshold = Some(packets))),
    },
    PipelineOption {
        option: option(
            "starvation-limit",
            "CYCLES",
            "",
            Accepts::Number(0..=u64::MAX),
            "Drop stateless packets in favour of a stateful one that has waited longer than this.",
        ),
        machines: MP5,
        set: |draft, text| number(text).map(|cycles| draft.mp5(|mp5| mp5.starvation_limit = Some(cycles))),
    },
    PipelineOption {
        option: option(
            "clock-period",
            "PS",
            "1000",
            Accepts::Number(1..=1_000_000_000),
            "The clock period of one of the pipelines, in picoseconds.",
        ),
        machines: ALL,
        set: |draft, text| {
            draft.plan.parameters.set_period(basis::Duration::from_picoseconds(number(text)?));
            Ok(())
        },
    },
    PipelineOption {
        option: MachineOption {
            is_hidden: true,
            ..option(
                "mutate",
                "NAME",
                "",
                ANY,
                "A fault to put into the machine, to see it caught: no-phantoms, swapped-timestamps, \
                 move-while-in-flight, lost-packet or update-order.",
            )
        },
        machines: MP5,
        set: |draft, text| {
            let reversed = (0..draft.plan.parameters.pipelines()).rev().collect();
            let known = [
                ("no-phantoms", Mutation::NoPhantoms),
                ("swapped-timestamps", Mutation::SwappedTimestamps),
                ("move-while-in-flight", Mutation::MoveWhileInFlight),
                ("lost-packet", Mutation::LostPacket),
                ("update-order", Mutation::UpdateOrder(reversed)),
            ];
            choose("mutation", text, &known).map(|mutation| draft.mp5(|mp5| mp5.mutation = mutation))
        },
    },
    PipelineOption {
        option: of_stages("depth", "N", "32", Accepts::Number(1..=1024), "How many stages a pipeline has."),
        machines: ALL,
        set: |draft, text| number(text).map(|depth| draft.plan.target.depth = depth),
    },
    PipelineOption {
        option: of_stages(
            "stages",
            "KIND",
            "",
            Accepts::OneOf(&["banzai", "match-action"]),
            "What its stages are like: `banzai`, one operation deep, which programs without a parser are fitted to unless \
             told otherwise; or `match-action`, in which a packet passes gateways and hashes, tables, one operation or \
             stateful atom and a choice (RMT), which programs with a parser are fitted to.",
        ),
        machines: ALL,
        // It decides what the others begin with, and was looked at before them.
        set: |_, _| Ok(()),
    },
    PipelineOption {
        option: of_stages(
            "stateful",
            "N",
            "",
            COUNT,
            "How many stateful atoms a stage has; 10 of banzai's stages, 4 of match-action's.",
        ),
        machines: ALL,
        set: |draft, text| number(text).map(|atoms| draft.plan.target.stateful_per_stage = atoms),
    },
    PipelineOption {
        option: of_stages(
            "stateless",
            "N",
            "",
            COUNT,
            "How many stateless atoms a stage has; 100 of banzai's stages, 224 ALUs of match-action's.",
        ),
        machines: ALL,
        set: |draft, text| number(text).map(|atoms| draft.plan.target.stateless_per_stage = atoms),
    },
    PipelineOption {
        option: of_stages("tables-per-stage", "N", "", COUNT, "How many tables a match-action stage matches; 16."),
        machines: ALL,
        set: |draft, text| number(text).map(|tables| draft.match_action().tables = tables),
    },
    PipelineOption {
        option: of_stages(
            "sram-blocks",
            "N",
            "",
            COUNT,
            "How many blocks of SRAM a match-action stage has, for exact matches, action data and registers: each of 1,024 \
             words of 112 bits; 106.",
        ),
        machines: ALL,
        set: |draft, text| number(text).map(|blocks| draft.match_action().sram_blocks = blocks),
    },
    PipelineOption {
        option: of_stages(
            "tcam-blocks",
            "N",
            "",
            COUNT,
            "How many blocks of TCAM a match-action stage has, for ternary, lpm and range keys: each of 2,048 words of 40 \
             bits; 16.",
        ),
        machines: ALL,
        set: |draft, text| number(text).map(|blocks| draft.match_action().tcam_blocks = blocks),
    },
    PipelineOption {
        option: of_stages(
            "hash-units",
            "N",
            "",
            COUNT,
            "How many hashes and checksums a match-action stage computes; 8.",
        ),
        machines: ALL,
        set: |draft, text| number(text).map(|units| draft.match_action().hash_units = units),
    },
    PipelineOption {
        option: of_stages(
            "atom",
            "NAME",
            "pair",
            ANY,
            "The stateful atom of every stage: rw, raw, pred_raw, if_else_raw, sub, nested_ifs, pair, mul_acc, or any (one \
             without limits, for studying what no circuit holds).",
        ),
        machines: ALL,
        set: |draft, text| {
            let atoms = Template::ALL.iter().map(|template| template.name()).chain([ANY_ATOM]);
            let known: Vec<(&str, &str)> = atoms.map(|name| (name, name)).collect();
            choose("atom", text, &known).map(|atom| draft.plan.target.atom = atom.to_owned())
        },
    },
    PipelineOption {
        option: of_stages(
            "operations",
            "NAME,…",
            "",
            Accepts::SomeOf(&["multiply", "divide-by-constant", "divide"]),
            "Operations that stateless atoms have beside their usual ones: multiply, divide-by-constant, divide (by a \
             variable).",
        ),
        machines: ALL,
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
    },
    PipelineOption {
        option: of_stages(
            "assume-no-overflow",
            "",
            "",
            Accepts::Nothing,
            "Prove atoms under the premise that the program's own additions and subtractions do not overflow, as the \
             published results do; without it a claim holds for all 32-bit inputs.",
        ),
        machines: ALL,
        set: |draft, text| {
            draft.plan.target.assume_no_overflow = text != "false";
            Ok(())
        },
    },
    PipelineOption {
        option: of_stages(
            "flow-order",
            "FIELD,…",
            "",
            ANY,
            "Keep packets in order that agree in these fields, by a last access that does nothing else.",
        ),
        machines: MP5,
        set: |draft, text| draft.keep_order(text),
    },
];
