//! Machines held against the interpreter, and the fewest packets that show a difference.

use equivalence::{Comparison, Effort, Reference, Subject, Witness};
use ir::pipeline::Pipeline;
use node::Offered;
use serde::Serialize;
use traffic::Traffic;

use crate::run::ReadyRun;
use crate::stage_map::StageMap;

/// What came of holding one machine against the interpreter on one stream of packets.
#[derive(Clone, Debug, Serialize)]
pub struct Checked {
    /// The machine.
    pub machine: String,
    /// The packets.
    pub traffic: String,
    /// What came of it.
    pub comparison: Comparison,
    /// The fewest packets that show the difference, if there is one.
    pub witness: Option<Witness>,
    /// Whether none of those packets can be left out.
    pub one_minimal: bool,
}

impl Checked {
    /// True if the machine did not do what the program means.
    pub fn shows_difference(&self) -> bool {
        self.comparison.verdict.shows_difference()
    }
}

/// How many packets may be run in all to make a difference small: seconds, not minutes.
const EFFORT: u64 = 3_000_000;

/// Holds one machine against the interpreter, and shrinks what differs; `traffic` is the plan of its packets.
pub fn check(ready: &ReadyRun<'_>, traffic: &Traffic) -> Checked {
    let rules = ready.rules();
    let make_machine = || ready.machine();
    let make_reference = || Reference::new(&ready.loaded.program, ready.binding());
    let subject = Subject { make_reference: &make_reference, make_machine: &make_machine, rules: &rules };
    let machine = ready.plan.architecture.name().to_owned();
    let packets = || ready.traffic.packets();
    let Held { comparison, witness, one_minimal } =
        hold(&subject, &machine, Some(&ready.compiled.pipeline), packets, Effort::items(EFFORT));
    Checked { machine, traffic: traffic.to_string(), comparison, witness, one_minimal }
}

/// A machine held against the interpreter.
pub(crate) struct Held {
    pub(crate) comparison: Comparison,
    pub(crate) witness: Option<Witness>,
    pub(crate) one_minimal: bool,
}

/// Holds a machine against the interpreter, and shrinks what differs. `packets` gives the same stream each time.
pub(crate) fn hold<T: Iterator<Item = Offered>>(
    subject: &Subject<'_>,
    machine: &str,
    pipeline: Option<&Pipeline>,
    packets: impl Fn() -> T,
    effort: Effort,
) -> Held {
    let comparison = subject.compare(packets());
    let mut held = Held { comparison, witness: None, one_minimal: false };
    if held.comparison.verdict.shows_difference()
        && let Some(shrunk) = subject.shrink(packets, effort)
    {
        held.one_minimal = shrunk.one_minimal;
        let (reference, mut made) = ((subject.make_reference)(), (subject.make_machine)());
        let mut witness = Witness::of(reference, &mut *made, machine, shrunk.packets, subject.rules);
        let accesses = pipeline.into_iter().flat_map(|pipeline| StageMap::of(pipeline).accesses);
        witness.access_names = accesses.map(|access| access.registers.join(" and ")).collect();
        held.witness = Some(witness);
    }
    held
}
