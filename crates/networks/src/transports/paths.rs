//! The entries that transports with several paths have in common.

use plans::Section;
use transports::PathChoice;

/// Reads how a path is chosen for each packet.
pub(super) fn path_choice(section: &Section<'_>) -> PathChoice {
    let choices = [
        ("permutation", PathChoice::Permutation),
        ("random", PathChoice::Random),
        ("one-per-message", PathChoice::OnePerMessage),
    ];
    section.choice("path_choice", &choices, "permutation")
}

/// Reads the number of paths that a host chooses from, if the plan gives one.
pub(super) fn paths(section: &Section<'_>) -> Option<u16> {
    section.optional_count("paths", 1..=u64::from(wire::path::PATHS)).map(|paths| paths as u16)
}
