//! Machines held against the interpreter, and the fewest packets that show a difference.

use equivalence::{Comparison, Effort, Reference, Subject, Verdict, Witness};
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
        matches!(self.comparison.verdict, Verdict::Different | Verdict::Unaccounted { .. })
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
    let comparison = subject.compare(ready.traffic.packets());
    let mut checked = Checked {
        machine: ready.plan.architecture.name().to_owned(),
        traffic: traffic.to_string(),
        comparison,
        witness: None,
        one_minimal: false,
    };
    if checked.shows_difference() {
        shrink(&mut checked, &subject, ready);
    }
    checked
}

fn shrink(checked: &mut Checked, subject: &Subject<'_>, ready: &ReadyRun<'_>) {
    let Some(shrunk) = subject.shrink(|| ready.traffic.packets(), Effort::items(EFFORT)) else { return };
    checked.one_minimal = shrunk.one_minimal;
    let mut machine = ready.machine();
    let (reference, name) = ((subject.make_reference)(), &checked.machine);
    let mut witness = Witness::of(reference, &mut *machine, name, shrunk.packets, subject.rules);
    witness.access_names = StageMap::of(&ready.compiled.pipeline)
        .accesses
        .into_iter()
        .map(|access| access.registers.join(" and "))
        .collect();
    checked.witness = Some(witness);
}
