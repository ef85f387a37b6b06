//! MP5 and its options.

use std::sync::LazyLock;

use basis::Duration;
use diagnostics::Diagnostic;
use ir::pipeline::Pipeline;
use machines::mp5::{self, Blocking, Mp5Parameters, Mutation, Ordering, Rules, Sharding, Steering};
use machines::{Device, Edge, Mp5, Unsuitable};
use passes::Layout;

use super::draft::Draft;
use super::options::{self, ANY, COUNT, PipelineOption, number, option};
use super::{ControlPlane, PipelineParameters, Pipelines};
use crate::kinds::option::{Accepts, MachineOption};

static OPTIONS: [&PipelineOption; 27] = [
    &options::PIPELINES,
    &options::PORTS,
    &FIFO_DEPTH,
    &REMAP_PERIOD,
    &RULES,
    &BLOCKING,
    &options::SHARDING,
    &options::PLACEMENT,
    &ORDERING,
    &STEERING,
    &RECIRCULATION_LATENCY,
    &ECN_THRESHOLD,
    &STARVATION_LIMIT,
    &options::CLOCK_PERIOD,
    &MUTATE,
    &options::DEPTH,
    &options::STAGES,
    &options::STATEFUL,
    &options::STATELESS,
    &options::TABLES_PER_STAGE,
    &options::SRAM_BLOCKS,
    &options::TCAM_BLOCKS,
    &options::HASH_UNITS,
    &options::ATOM,
    &options::OPERATIONS,
    &options::ASSUME_NO_OVERFLOW,
    &FLOW_ORDER,
];

/// k parallel pipelines that are functionally equivalent to a single one (MP5).
pub static MP5: Pipelines = Pipelines {
    name: "mp5",
    title: "MP5",
    about: "k parallel pipelines that together behave like a single one",
    page: "docs/machines/mp5.md",
    keeps_order: true,
    parameters: || Box::new(Mp5Parameters::default()),
    own: &OPTIONS,
    options: LazyLock::new(|| options::declared(&OPTIONS)),
};

/// Changes the parameters of an MP5.
fn of_mp5(draft: &mut Draft<'_>, set: impl FnOnce(&mut Mp5Parameters)) {
    draft.set(set);
}

static REMAP_PERIOD: PipelineOption =
    options::remap_period(|draft, text| number(text).map(|cycles| of_mp5(draft, |mp5| mp5.remap_period = cycles)));

/// The latency takes effect if packets recirculate, whether `--steering` comes before or after it.
static RECIRCULATION_LATENCY: PipelineOption = options::recirculation_latency(|draft, text| {
    let cycles = number(text)?;
    draft.recirculation.latency = cycles;
    of_mp5(draft, |mp5| {
        if let Steering::Recirculation(recirculation) = &mut mp5.steering {
            recirculation.latency = cycles;
        }
    });
    Ok(())
});

static FIFO_DEPTH: PipelineOption = PipelineOption {
    option: option(
        "fifo-depth",
        "N",
        "",
        Accepts::Number(1..=u32::MAX as u64),
        "The capacity of each FIFO in front of a stateful stage, in packets; each stage has one FIFO for each \
         pipeline. Without it FIFOs are unbounded.",
    ),
    set: |draft, text| number(text).map(|places| of_mp5(draft, |mp5| mp5.fifo_depth = Some(places))),
};

static RULES: PipelineOption = PipelineOption {
    option: option(
        "rules",
        "RULES",
        "paper",
        Accepts::Text(|text| text.parse::<Rules>().map(drop)),
        "The rules of the machine: `paper`, or `artifact` (those of the paper's published simulator), followed by \
         departures to add or remove, such as `paper,+retry` or `artifact,-one-list` (docs/machines/mp5.md lists them \
         all).",
    ),
    set: |draft, text| {
        let rules: Rules = text.parse().map_err(Diagnostic::without_place)?;
        of_mp5(draft, |mp5| mp5.rules = rules);
        Ok(())
    },
};

static BLOCKING: PipelineOption = PipelineOption {
    option: option(
        "blocking",
        "HOW",
        "head-of-line",
        Accepts::OneOf(&["head-of-line", "per-index"]),
        "What a queued packet waits for: head-of-line (all packets before it) or per-index (only packets that need \
         the same index, the paper's \"ideal\").",
    ),
    set: |draft, text| {
        let blocking = if text == "per-index" { Blocking::PerIndex } else { Blocking::HeadOfLine };
        of_mp5(draft, |mp5| mp5.blocking = blocking);
        Ok(())
    },
};

static ORDERING: PipelineOption = PipelineOption {
    option: option(
        "ordering",
        "HOW",
        "phantoms",
        Accepts::OneOf(&["phantoms", "none"]),
        "How the order of state accesses is kept: by phantoms, or not at all (none).",
    ),
    set: |draft, text| {
        let ordering = if text == "none" { Ordering::None } else { Ordering::Phantoms };
        of_mp5(draft, |mp5| mp5.ordering = ordering);
        Ok(())
    },
};

static STEERING: PipelineOption = PipelineOption {
    option: option(
        "steering",
        "HOW",
        "crossbar",
        Accepts::OneOf(&["crossbar", "recirculation"]),
        "How packets move between pipelines: crossbar or recirculation.",
    ),
    set: |draft, text| {
        let recirculates = text == "recirculation";
        let steering = if recirculates { Steering::Recirculation(draft.recirculation) } else { Steering::Crossbar };
        of_mp5(draft, |mp5| mp5.steering = steering);
        Ok(())
    },
};

static ECN_THRESHOLD: PipelineOption = PipelineOption {
    option: option(
        "ecn-threshold",
        "PACKETS",
        "",
        COUNT,
        "Mark packets (ECN) that are queued behind more than this many packets.",
    ),
    set: |draft, text| number(text).map(|packets| of_mp5(draft, |mp5| mp5.ecn_threshold = Some(packets))),
};

static STARVATION_LIMIT: PipelineOption = PipelineOption {
    option: option(
        "starvation-limit",
        "CYCLES",
        "",
        Accepts::Number(0..=u64::MAX),
        "Drop stateless packets in favour of a stateful one that has waited longer than this.",
    ),
    set: |draft, text| number(text).map(|cycles| of_mp5(draft, |mp5| mp5.starvation_limit = Some(cycles))),
};

static MUTATE: PipelineOption = PipelineOption {
    option: MachineOption {
        is_hidden: true,
        ..option(
            "mutate",
            "NAME",
            "",
            Accepts::OneOf(&[
                "no-phantoms",
                "swapped-timestamps",
                "move-while-in-flight",
                "lost-packet",
                "update-order",
            ]),
            "Inject a fault into the machine, to test that it is detected.",
        )
    },
    set: |draft, text| {
        let mutation = match text {
            "no-phantoms" => Mutation::NoPhantoms,
            "swapped-timestamps" => Mutation::SwappedTimestamps,
            "move-while-in-flight" => Mutation::MoveWhileInFlight,
            "lost-packet" => Mutation::LostPacket,
            _ => Mutation::UpdateOrder((0..draft.plan.parameters.pipelines()).rev().collect()),
        };
        of_mp5(draft, |mp5| mp5.mutation = mutation);
        Ok(())
    },
};

static FLOW_ORDER: PipelineOption = PipelineOption {
    option: options::of_stages(
        "flow-order",
        "FIELD,…",
        "",
        ANY,
        "Keep packets with equal values in these fields in order, by an additional last access.",
    ),
    set: |draft, text| draft.keep_order(text),
};

impl PipelineParameters for Mp5Parameters {
    fn pipelines(&self) -> usize {
        self.pipelines
    }

    fn set_pipelines(&mut self, pipelines: usize) {
        self.pipelines = pipelines;
    }

    fn ports(&self) -> u16 {
        self.ports
    }

    fn set_ports(&mut self, ports: u16) {
        self.ports = ports;
    }

    fn period(&self) -> Duration {
        self.period
    }

    fn set_period(&mut self, period: Duration) {
        self.period = period;
    }

    fn set_seed(&mut self, seed: u64) {
        self.seed = seed;
    }

    fn sharding(&mut self) -> Option<&mut Sharding> {
        Some(&mut self.sharding)
    }

    fn spread(&self) -> Option<mp5::Mp5Parameters> {
        Some(self.clone())
    }

    fn layout(&self, flow_order: &[String]) -> Layout {
        Layout::Steered { flow_order: flow_order.to_vec() }
    }

    fn build(
        &self,
        pipeline: &Pipeline,
        edge: Box<dyn Edge>,
        control: Option<ControlPlane<'_>>,
    ) -> Result<Box<dyn Device>, Unsuitable> {
        Ok(ControlPlane::of(control, Mp5::new(pipeline, edge, self.clone())?))
    }

    fn cloned(&self) -> Box<dyn PipelineParameters> {
        Box::new(self.clone())
    }
}
