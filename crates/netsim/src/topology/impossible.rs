//! Plans of topologies that cannot be built.

use std::fmt;

/// The reason why a plan cannot be built. The reader of the plan adds the position in its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Impossible {
    /// The field of the plan that is wrong.
    pub field: &'static str,
    /// The mistakes in the field.
    pub message: String,
    /// The correction.
    pub hint: String,
}

impl fmt::Display for Impossible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.hint)
    }
}

impl std::error::Error for Impossible {}

/// Checks that a field is a number within limits.
pub(super) fn within(field: &'static str, value: u32, least: u32, most: u32) -> Result<(), Impossible> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    let (message, hint) = (format!("`{field}` cannot be {value}"), format!("a number from {least} to {most}"));
    Err(Impossible { field, message, hint })
}

/// Checks that a switch has no more ports than can be numbered.
pub(super) fn ports_fit(field: &'static str, ports: u64) -> Result<(), Impossible> {
    if ports <= u64::from(u16::MAX) {
        return Ok(());
    }
    let message = format!("`{field}` gives a switch {ports} ports");
    Err(Impossible { field, message, hint: format!("a switch has at most {}", u16::MAX) })
}
