//! The files that the project ships for the paper: the plans of experiments, those of the networks that
//! they run, and the connection matrices that these name. The folder `shipped/trimming` of this crate has links to
//! them.

use networks::method::Embedded;

/// Files of `experiments/trimming`, with their texts.
macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../shipped/trimming/", $name)))),*]
    };
}

/// The plans of experiments.
pub(super) const PLANS: &[Embedded] = files!(
    "section-3.toml",
    "section-3-tofino-2.toml",
    "section-4.toml",
    "figure-5.toml",
    "figure-6.toml",
    "figure-7.toml",
    "figure-8.toml",
    "figure-9.toml",
    "open-questions.toml",
    "variants.toml",
    "section-6.4.toml",
    "figure-11.toml",
    "figure-12.toml",
    "first-test.toml",
    "figure-13.toml",
    "figure-14.toml",
);

/// The networks of the method `switches`.
pub(super) const SWITCHES: &[Embedded] = files!("ideal.toml", "tofino.toml");

/// The program of the chip among these networks, and what fills it.
pub(super) const CHIP: &[Embedded] = &[
    ("../../programs/p4/ndp/ndp.p4", include_str!("../../shipped/trimming/ndp.p4")),
    ("tofino/chip.toml", include_str!("../../shipped/trimming/tofino/chip.toml")),
    ("tofino/entries.txt", include_str!("../../shipped/trimming/tofino/entries.txt")),
    ("tofino/marks.txt", include_str!("../../shipped/trimming/tofino/marks.txt")),
];

/// The network of the method `depths`.
pub(super) const DEPTHS: &[Embedded] = files!("tofino-2.toml");

/// The program of Tofino 2, and what fills it.
pub(super) const CHIP_2: &[Embedded] = &[
    ("../../programs/p4/ndp/ndp.p4", include_str!("../../shipped/trimming/ndp.p4")),
    ("../../programs/p4/ndp_tofino2/ndp_tofino2.p4", include_str!("../../shipped/trimming/ndp_tofino2.p4")),
    ("../../programs/p4/ndp_tofino2/entries.txt", include_str!("../../shipped/trimming/ndp_tofino2.txt")),
    ("tofino/chip-2.toml", include_str!("../../shipped/trimming/tofino/chip-2.toml")),
];

/// The networks of the method `validation`.
pub(super) const VALIDATION: &[Embedded] = files!("validation.toml", "validation-ideal.toml", "validation.cm");

/// The networks of the method `pings`.
pub(super) const PINGS: &[Embedded] = files!("ping-tcp.toml", "ping-eqds.toml", "ping.cm");

/// The networks of the method `requests`.
pub(super) const REQUESTS: &[Embedded] = files!("memcached-tcp.toml", "memcached-eqds.toml");

/// The networks of the method `three-flows`.
pub(super) const THREE_FLOWS: &[Embedded] = files!("bisection-tcp.toml", "bisection-eqds.toml", "bisection.cm");

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use super::*;

    /// The files in the folder that belong to no experiment of the paper.
    const OTHERS: [&str; 3] = ["README.md", "incast.toml", "tofino"];

    #[test]
    fn every_file_of_the_folder_is_within_the_program() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments/trimming");
        let entries = fs::read_dir(folder).expect("the project has its experiments");
        let names = entries.map(|entry| entry.expect("a readable folder").file_name().into_string());
        let names: BTreeSet<String> = names.map(|name| name.expect("names are ASCII")).collect();
        let known = [PLANS, SWITCHES, DEPTHS, VALIDATION, PINGS, REQUESTS, THREE_FLOWS].concat();
        let known = known.iter().map(|(name, _)| *name).chain(OTHERS).map(str::to_owned);
        assert_eq!(names, known.collect());
    }
}
