//! The switch that applications run on: the only place here that knows parameters of machines.

use machines::mp5::Rules;

use crate::machine::{Architecture, MachinePlan};

/// An MP5 with the paper's default parameters.
pub(super) fn switch(pipelines: usize, ports: u16, rules: Rules, seed: u64) -> MachinePlan {
    let mut plan = MachinePlan::new(Architecture::Mp5);
    plan.parameters.set_pipelines(pipelines);
    plan.parameters.set_ports(ports);
    if let Some(parameters) = plan.parameters.mp5() {
        parameters.rules = rules;
    }
    plan.parameters.set_seed(seed);
    plan
}
