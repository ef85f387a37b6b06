//! The switch that applications run on. No other file of this module knows parameters of machines.

use machines::mp5::{Mp5Parameters, Rules};

use workbench::MachinePlan;
use workbench::kinds;

/// An MP5 with the paper's default parameters.
pub(super) fn switch(pipelines: usize, ports: u16, rules: Rules, seed: u64) -> MachinePlan {
    let mut plan = MachinePlan::new(&kinds::MP5);
    plan.parameters.set_pipelines(pipelines);
    plan.parameters.set_ports(ports);
    if let Some(parameters) = plan.parameters.of::<Mp5Parameters>() {
        parameters.rules = rules;
    }
    plan.parameters.set_seed(seed);
    plan
}
