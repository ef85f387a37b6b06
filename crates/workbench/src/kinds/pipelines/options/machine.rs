//! The options of every machine with pipelines.

use super::{PipelineOption, number, option};
use crate::kinds::option::Accepts;

pub(in crate::kinds::pipelines) static PIPELINES: PipelineOption = PipelineOption {
    option: option(
        "pipelines",
        "K",
        "4",
        Accepts::Number(1..=64),
        "The number of parallel pipelines; `banzai` is a single pipeline that is as fast as this many.",
    ),
    set: |draft, text| number(text).map(|count| draft.plan.parameters.set_pipelines(count)),
};

pub(in crate::kinds::pipelines) static PORTS: PipelineOption = PipelineOption {
    option: option(
        "ports",
        "N",
        "64",
        Accepts::Number(1..=1024),
        "The number of ports on which generated traffic arrives; a recirculating switch divides them among its \
         pipelines.",
    ),
    set: |draft, text| number(text).map(|count| draft.plan.parameters.set_ports(count)),
};

pub(in crate::kinds::pipelines) static CLOCK_PERIOD: PipelineOption = PipelineOption {
    option: option(
        "clock-period",
        "PS",
        "1000",
        Accepts::Number(1..=1_000_000_000),
        "The clock period of one parallel pipeline, in picoseconds.",
    ),
    set: |draft, text| {
        draft.plan.parameters.set_period(basis::Duration::from_picoseconds(number(text)?));
        Ok(())
    },
};
