//! Helpers for the wording of reports.

/// Returns a count with its noun, in the singular or plural.
pub(crate) fn counted(count: u64, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}
