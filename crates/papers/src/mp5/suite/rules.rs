//! The rules of a machine in the words of a plan. No other file of this suite knows how they are read.

use machines::mp5::{Departure, Rules};

/// Parses rules: `paper` or `artifact`, then departures that are added or removed (`artifact,-retry`).
///
/// # Errors
/// Fails with a text that says what is accepted.
pub(super) fn parse(text: &str) -> Result<Rules, String> {
    text.parse()
}

/// Returns the names of all departures of the published simulator from the paper.
pub(super) fn departures() -> Vec<&'static str> {
    Departure::ALL.into_iter().map(Departure::name).collect()
}

/// Returns a description of each departure: what the published simulator does and what the paper says.
pub(super) fn explanations() -> Vec<(String, String)> {
    let both = |departure: Departure| (departure.name().to_owned(), departure.description().to_owned());
    Departure::ALL.into_iter().map(both).collect()
}

/// Returns the text of rules with a departure toggled: added to the paper's, or removed from the artifact's.
pub(super) fn turned(base: &str, departure: &str) -> String {
    if base == "paper" { format!("{base},{departure}") } else { format!("{base},-{departure}") }
}
