//! What the fuzzers have found here, each described, so that it does not come back.

use diagnostics::{Diagnostic, Diagnostics, Severity};

/// Found beside `fuzz/fuzz_targets/capture.rs`: a hundred warnings filled the list, the error after them was not kept,
/// and an input that has to be refused was used. Mended in `Diagnostics::push`, which keeps the first error always.
#[test]
fn warnings_never_push_out_the_error_that_refuses_an_input() {
    let warning = || Diagnostic { severity: Severity::Warning, ..Diagnostic::without_place("odd") };
    let mut found = Diagnostics::new();
    found.extend((0..1000).map(|_| warning()));
    assert_eq!(found.iter().count(), 100);
    assert!(!found.has_errors());
    found.push(Diagnostic::without_place("wrong"));
    found.push(Diagnostic::without_place("wrong too, which is one too many"));
    assert!(found.has_errors());
    assert_eq!(found.iter().count(), 101);
    assert!(found.into_result(()).is_err());
}
