//! A switch of one's own, v1model whose packets take at most four rounds, in a network whose plan names it.

use polyplane::extend::{Device, Fitted, LoadedProgram, MachineKind, Settings, interpreted_switch, v1model};
use polyplane::{Failure, Network, Registry};

struct Small;
struct FittedSmall(LoadedProgram);

impl MachineKind for Small {
    fn name(&self) -> &'static str {
        "small"
    }
    fn about(&self) -> &'static str {
        "v1model whose packets take at most four rounds"
    }
    fn fit(&self, program: &LoadedProgram, _: &Settings) -> Result<Box<dyn Fitted>, Failure> {
        Ok(Box::new(FittedSmall(program.clone())))
    }
}

impl Fitted for FittedSmall {
    fn program(&self) -> &LoadedProgram {
        &self.0
    }
    fn build(&self, seed: u64) -> Result<Box<dyn Device>, Failure> {
        let parameters = v1model::V1modelParameters { rounds: 4, seed, ..Default::default() };
        Ok(Box::new(interpreted_switch(&self.0, parameters)?))
    }
}

pub(crate) fn main() -> Result<(), Failure> {
    let plan = "crates/polyplane/examples/own_switch.toml";
    let results = Network::read_with(plan, &Registry::default().machine(&Small))?.run()?;
    println!("{} of {} flows arrived", results.summary().delivered, results.summary().flows);
    Ok(())
}
