//! What a refusal is: reasons, each at a place inside the text.

use diagnostics::Failure;
use diagnostics::{Diagnostics, Sources};

/// Asserts that something was refused for a reason that a person can read.
pub fn is_refusal(failure: &Failure) {
    assert!(!failure.render(true).is_empty(), "refused without a reason");
    if let Failure::BadInput { sources, diagnostics } = failure {
        is_reasoned(sources, diagnostics);
    }
}

/// The same of findings.
pub fn is_reasoned(sources: &Sources, found: &Diagnostics) {
    assert!(found.has_errors(), "refused without a reason");
    found.render(sources, true);
    for span in found.iter().filter_map(|finding| finding.span) {
        assert!(sources.text(span.source).get(span.start as usize..span.end as usize).is_some(), "{span:?}");
    }
}
