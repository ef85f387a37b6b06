//! Findings for operations that a pipeline has no unit for, in terms of P4.

use arch::Architecture;
use ir::{Effect, Program, SharedStatement};

use crate::report::Finding;

/// Returns the finding for a program that uses multicast groups.
pub(super) fn multicast(architecture: &Architecture) -> Finding {
    let finding =
        Finding::new("the program sends packets to multicast groups, but a pipeline has no replication engine");
    finding.note(format!("it gives `{}` a value that is not the constant 0", architecture.group.unwrap_or_default()))
}

/// Returns the finding for a use of shared state, or of something outside the program, that pipelines do not have.
pub(super) fn shared(program: &Program, step: &SharedStatement) -> Finding {
    match step {
        SharedStatement::Measure { meter, .. } => {
            let name = &program.meters[meter.index()].name;
            Finding::new(format!("the program uses the meter `{name}`, but a pipeline has no meters"))
                .note("a token bucket in registers can take its place")
        }
        SharedStatement::Filter { filter, .. } => {
            let name = &program.filters[filter.index()].name;
            Finding::new(format!("the program uses the low-pass filter `{name}`, but a pipeline has no filters"))
        }
        SharedStatement::Wred { wred, .. } => {
            let name = &program.wreds[wred.index()].name;
            Finding::new(format!("the program uses the early detector `{name}`, but a pipeline has no detectors"))
        }
        SharedStatement::Random { .. } => {
            Finding::new("the program draws random numbers, but a pipeline has no source of them")
        }
        SharedStatement::Assert { text, .. } => {
            Finding::new("the program makes an assertion, but a pipeline cannot report that one fails")
                .note(text.clone())
        }
        SharedStatement::Effect(effect) => asked(program, effect),
        // These never occur: counts are rewritten, and log messages are left out.
        SharedStatement::Count { counter, adjust: Some(_), .. } => {
            let name = &program.counters[counter.index()].name;
            Finding::new(format!(
                "the counter `{name}` corrects the length of packets, but a pipeline counts it as it is"
            ))
        }
        SharedStatement::Count { .. } | SharedStatement::Log { .. } => Finding::new("a counter or a message"),
    }
}

fn asked(program: &Program, effect: &Effect) -> Finding {
    match effect {
        Effect::Clone { .. } => Finding::new("the program clones packets, but a pipeline has no replication engine"),
        Effect::Mirror { .. } => Finding::new("the program mirrors packets, but a pipeline has no replication engine"),
        Effect::Resubmit { .. } => {
            Finding::new("the program resubmits packets, but a pipeline cannot send them back to its parser")
        }
        Effect::Recirculate { .. } => {
            Finding::new("the program recirculates packets, but a pipeline cannot send them back to its parser")
        }
        Effect::Truncate { .. } => {
            Finding::new("the program truncates packets, but a pipeline sends the unparsed rest of a packet unchanged")
        }
        Effect::Digest { digest, .. } => {
            let name = &program.digests[digest.index()].name;
            let message = format!(
                "the program sends the digest `{name}`, but a pipeline cannot send messages to the control plane"
            );
            Finding::new(message)
        }
    }
}
