//! A queue discipline of one's own, which marks packets as they leave, in a network whose plan names it.

use polyplane::extend::{Decision, Discipline, DisciplineKind, DisciplineParameters, DisciplinePlan, Lanes, Leaving};
use polyplane::extend::{QueueReading, Random, Rate, Section};
use polyplane::{Failure, Network, Registry};

struct Kind;
#[derive(Clone, Debug)]
struct LateEcn {
    limit: u64,
    threshold: u64,
}

impl DisciplineKind for Kind {
    fn name(&self) -> &'static str {
        "late-ecn"
    }
    fn read(&self, section: &Section<'_>, reading: &mut QueueReading<'_>) -> DisciplinePlan {
        let (limit, threshold) = (reading.amount(section, "limit", 100), reading.amount(section, "threshold", 20));
        DisciplinePlan::of(LateEcn { limit, threshold })
    }
}
impl DisciplineParameters for LateEcn {
    fn discipline(&self, _: Rate) -> Box<dyn Discipline> {
        Box::new(self.clone())
    }
}

impl Discipline for LateEcn {
    fn room(&self, _lane: usize) -> u64 {
        self.limit
    }
    /// Marks a packet that leaves more than the threshold behind.
    fn leaves(&mut self, packet: &Leaving, lanes: &dyn Lanes, _: &mut Random) -> Decision {
        if lanes.length(packet.lane).bytes > self.threshold { Decision::Mark } else { Decision::Pass }
    }
}
polyplane::rooms::basis::snapshot!(LateEcn {});

pub(crate) fn main() -> Result<(), Failure> {
    let registry = Registry::default().discipline(&Kind);
    let network = Network::read_with("crates/polyplane/examples/own_discipline.toml", &registry)?;
    println!("completion times in us: {:?}", network.run()?.summary().completion_time_us);
    Ok(())
}
