//! Regression tests for bugs found by fuzzing, each with a description of the bug.

use diagnostics::{Diagnostic, Diagnostics, Severity};

/// Found together with `fuzz/fuzz_targets/capture.rs`: a hundred warnings filled the list, the error after them was
/// discarded, and input that should have been rejected was used. Fixed in `Diagnostics::push`, which always keeps the
/// first error.
#[test]
fn a_full_list_of_warnings_keeps_the_first_error() {
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
