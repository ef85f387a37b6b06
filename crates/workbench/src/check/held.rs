//! Compares one machine with the interpreter on one stream of packets.

use equivalence::{Comparison, Effort, Subject, Witness};
use ir::pipeline::Pipeline;
use node::Offered;

use crate::stage_map::StageMap;

/// The result of comparing a machine.
pub(crate) struct Held {
    /// The comparison with the interpreter.
    pub(crate) comparison: Comparison,
    /// A small set of packets that shows the difference, if there is one.
    pub(crate) witness: Option<Witness>,
    /// Whether none of the witness's packets can be left out.
    pub(crate) one_minimal: bool,
}

/// Compares a machine with the interpreter, and shrinks the packets that show a difference. `packets` must return the
/// same stream each time.
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
