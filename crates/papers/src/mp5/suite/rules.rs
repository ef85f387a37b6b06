//! Which rules a machine keeps, by the words of a plan; the only place of this suite that knows how they are read.

use machines::mp5::{Departure, Rules};

/// The rules of a text: `paper` or `artifact`, then departures that are added or taken away (`artifact,-retry`).
///
/// # Errors
/// What would be right.
pub(super) fn parse(text: &str) -> Result<Rules, String> {
    text.parse()
}

/// Every departure of the published simulator from the paper, by name.
pub(super) fn departures() -> Vec<&'static str> {
    Departure::ALL.into_iter().map(Departure::name).collect()
}

/// What the published simulator does, and what the paper says, by departure.
pub(super) fn explanations() -> Vec<(String, String)> {
    let both = |departure: Departure| (departure.name().to_owned(), departure.description().to_owned());
    Departure::ALL.into_iter().map(both).collect()
}

/// The text for rules with a departure turned the other way: on over the paper's, off from the artifact's.
pub(super) fn turned(base: &str, departure: &str) -> String {
    if base == "paper" { format!("{base},{departure}") } else { format!("{base},-{departure}") }
}
