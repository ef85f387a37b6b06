//! What a pipeline has no unit for, in the words of P4.

use arch::Architecture;
use ir::{Effect, Program, SharedStatement};

use crate::report::Finding;

/// The program asks for a multicast group.
pub(super) fn multicast(architecture: &Architecture) -> Finding {
    let finding =
        Finding::new("the program sends packets to multicast groups, and a pipeline has no replication engine");
    finding.note(format!("it gives `{}` a value that is not the constant 0", architecture.group.unwrap_or_default()))
}

/// Something that is shared by packets, or comes from outside or goes there, and that pipelines do not have.
pub(super) fn shared(program: &Program, step: &SharedStatement) -> Finding {
    match step {
        SharedStatement::Measure { meter, .. } => {
            let name = &program.meters[meter.index()].name;
            Finding::new(format!("the program measures with the meter `{name}`, and a pipeline has no meters"))
                .note("a token bucket in registers can take its place")
        }
        SharedStatement::Random { .. } => {
            Finding::new("the program draws random numbers, and a pipeline has no source of them")
        }
        SharedStatement::Assert { text, .. } => {
            Finding::new("the program asserts something, and a pipeline has nobody to tell that it is not so")
                .note(text.clone())
        }
        SharedStatement::Effect(effect) => asked(program, effect),
        // Both are carried out or left out.
        SharedStatement::Count { .. } | SharedStatement::Log { .. } => Finding::new("a counter or a message"),
    }
}

fn asked(program: &Program, effect: &Effect) -> Finding {
    match effect {
        Effect::Clone { .. } => Finding::new("the program clones packets, and a pipeline has no replication engine"),
        Effect::Resubmit { .. } => {
            Finding::new("the program resubmits packets, and nothing of a pipeline goes back to its parser")
        }
        Effect::Recirculate { .. } => {
            Finding::new("the program recirculates packets, and nothing of a pipeline goes back to its parser")
        }
        Effect::Truncate { .. } => {
            Finding::new("the program truncates packets, and a pipeline sends what the parser left as it came")
        }
        Effect::Digest { digest, .. } => {
            let name = &program.digests[digest.index()].name;
            let message =
                format!("the program sends the digest `{name}`, and a pipeline has no way to the control plane");
            Finding::new(message)
        }
    }
}
