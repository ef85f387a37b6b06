//! What a program, its control plane and its executor must have in common.

use control::Info;

use super::Executor;
use crate::unsuitable::Unsuitable;

/// Returns the reasons why a machine cannot run the program of an executor with a control plane. `draws` says whether
/// values that the language leaves undefined are to be drawn at random.
pub(crate) fn unsuitable(executor: &impl Executor, info: &Info, draws: bool) -> Unsuitable {
    let program = executor.program();
    let mut unsuitable = Unsuitable::default();
    for (what, has, known) in [
        ("tables", program.tables.len(), info.tables.len()),
        ("action profiles", program.profiles.len(), info.profiles.len()),
        ("counters", program.counters.len(), info.counters.len()),
        ("meters", program.meters.len(), info.meters.len()),
        ("low-pass filters", program.filters.len(), info.filters.len()),
        ("random early detectors", program.wreds.len(), info.wreds.len()),
        ("kinds of digest", program.digests.len(), info.digests.len()),
        ("value sets", program.value_sets.len(), info.value_sets.len()),
    ] {
        unsuitable
            .unless(has == known, || format!("the program has {has} {what}, but its control plane knows {known}"));
    }
    unsuitable.unless(executor.observes() || !draws, || {
        "with this executor, values that the language leaves undefined are 0 and cannot be drawn at random".into()
    });
    unsuitable
}
