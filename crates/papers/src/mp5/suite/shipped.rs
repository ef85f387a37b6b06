//! The files of MP5's evaluation that are part of the project: plans, published numbers, and the first stream's traces.
//! They are compiled into the program, so that the command works in any folder. The folder `shipped` of this crate has
//! links to them, so that a package of the crate contains them.

use traffic::Input;

use super::traces::{Origin, TraceSource};
use crate::mp5::streams::{Pattern, PublishedShape};
use files::fingerprint;

/// The files of `experiments/mp5` with their texts.
macro_rules! files {
    ($folder:literal, $($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../shipped/", $folder, $name)))),*]
    };
}

/// The file names and texts of the plans.
pub(super) const PLANS: &[(&str, &str)] = files!(
    "",
    "first-stream.toml",
    "departures.toml",
    "figure-7a.toml",
    "figure-7b.toml",
    "figure-7c.toml",
    "figure-7d.toml",
    "principles-sharding.toml",
    "principles-order.toml",
    "principles-steering.toml",
    "figure-8.toml",
    "figure-8-queues.toml",
    "figure-8-predicates.toml",
    "figure-8-programs.toml",
    "figure-8-line-rate.toml",
);

/// The published numbers.
pub(super) const FILES: &[(&str, &str)] = files!("", "published.json");

/// The artifact's name for the folder of the first stream.
const FOLDER: &str = "pipelines0";

const TRACES: &[(&str, &str)] = files!(
    "traces/",
    "flows_64_1_16_4_512_64.csv",
    "flows_64_2_16_4_512_64.csv",
    "flows_64_4_16_4_512_64.csv",
    "flows_64_8_16_4_512_64.csv",
    "flows_60_12_16_4_512_64.csv",
    "flows_64_16_16_4_512_64.csv",
    "uniform_64_1_16_4_512_64.csv",
    "uniform_64_2_16_4_512_64.csv",
    "uniform_64_4_16_4_512_64.csv",
    "uniform_64_8_16_4_512_64.csv",
    "uniform_60_12_16_4_512_64.csv",
    "uniform_64_16_16_4_512_64.csv",
    "heavytail_64_1_16_4_512_64.csv",
    "heavytail_64_2_16_4_512_64.csv",
    "heavytail_64_4_16_4_512_64.csv",
    "heavytail_64_8_16_4_512_64.csv",
    "heavytail_60_12_16_4_512_64.csv",
    "heavytail_64_16_16_4_512_64.csv",
);

/// The shipped traces.
pub(super) fn traces() -> Vec<TraceSource> {
    let text = |name: &str| TRACES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text);
    let source = |&(name, packets): &(&str, &str)| {
        let (kind, _) = name.split_once('_')?;
        let pattern = Pattern::from_name(kind)?;
        let shape = PublishedShape::from_name(name)?;
        let flows_name = shape.file_name("flows");
        let flows = text(&flows_name)?;
        Some(TraceSource {
            folder: FOLDER.to_owned(),
            shape,
            pattern,
            origin: Origin::Files {
                fingerprint: fingerprint(&[flows.as_bytes(), packets.as_bytes()].concat()),
                flows: Input::of_bytes(flows_name, flows.as_bytes()),
                packets: Input::of_bytes(name, packets.as_bytes()),
            },
        })
    };
    TRACES.iter().filter_map(source).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use super::*;

    #[test]
    fn the_program_contains_every_file_of_the_folder() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments/mp5");
        let names = |folder: &str| -> BTreeSet<String> {
            let entries = fs::read_dir(folder).expect("the project has its experiments");
            let names = entries.map(|entry| entry.expect("a readable folder").file_name().into_string());
            names
                .map(|name| name.expect("names are ASCII"))
                .filter(|name| name.contains('.') && name != "README.md")
                .collect()
        };
        let of = |files: &[(&str, &str)]| files.iter().map(|(name, _)| (*name).to_owned()).collect::<BTreeSet<_>>();
        assert_eq!(names(folder), of(&[PLANS, FILES].concat()));
        assert_eq!(names(&format!("{folder}/traces")), of(TRACES));
        assert_eq!(traces().len(), 12, "a uniform and a skewed trace for each number of pipelines");
    }
}
