//! Compares this build of the benchmark with another one, pair by pair.
//!
//! A computer's speed changes within minutes by more than a change of the code does. So both builds measure the same parts
//! in turn, the ratio is taken within each pair, and the median of the ratios counts, with the interval in which it lies.

mod figures;
mod table;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::ValueEnum;
use diagnostics::Failure;
use files::console;
use serde::Serialize;
use serde_json::Value;

use crate::arguments::Arguments;
use crate::statistics::{Interval, interval, median};
use figures::{Direction, Figure, differences, figures};

pub use table::as_text;

/// The two builds, compared.
#[derive(Debug, Serialize)]
pub struct Comparison {
    /// The binary of the other build.
    pub other: PathBuf,
    /// The number of pairs.
    pub pairs: u32,
    /// The figures that both builds have measured in every pair.
    pub figures: Vec<ComparedFigure>,
    /// The results other than speeds that the builds do not have in common, by name: this build's and the other's.
    pub different_results: Vec<(String, Value, Value)>,
}

/// A figure of both builds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComparedFigure {
    /// The part, the row and the figure.
    pub name: String,
    /// The median of this build.
    pub this: f64,
    /// The median of the other build.
    pub other: f64,
    /// The median over the pairs of how many times as fast this build is.
    pub ratio: f64,
    /// The interval in which the ratio lies with a confidence of 95%, or all ratios if there are fewer than six pairs.
    pub interval: Interval,
}

impl ComparedFigure {
    /// Returns `faster` or `slower` if the interval says so, and nothing otherwise.
    pub fn verdict(&self) -> &'static str {
        match self.interval {
            Interval { low, .. } if low > 1.0 => "faster",
            Interval { high, .. } if high < 1.0 => "slower",
            _ => "",
        }
    }
}

/// Runs this build and the other one in turn, as often as the arguments say, and compares what they measure.
///
/// # Errors
/// If the folder has no build of the benchmark, or one of the two fails.
pub fn compare(arguments: &Arguments, folder: &Path) -> Result<Comparison, Failure> {
    let other = binary_in(folder)?;
    let this =
        std::env::current_exe().map_err(|error| Failure::plain(format!("cannot locate this executable: {error}")))?;
    let mut pairs: Vec<[Value; 2]> = Vec::new();
    for pair in 0..arguments.rounds {
        console::tell(&format!("pair {} of {} …\n", pair + 1, arguments.rounds));
        // Who comes first changes, so that neither always meets the warmer processor.
        let both = if pair % 2 == 0 {
            let first = measured(&this, arguments)?;
            [first, measured(&other, arguments)?]
        } else {
            let first = measured(&other, arguments)?;
            [measured(&this, arguments)?, first]
        };
        pairs.push(both);
    }
    let different_results = pairs.last().map_or_else(Vec::new, |[this, other]| differences(this, other));
    Ok(Comparison { other, pairs: arguments.rounds, figures: compared(&pairs), different_results })
}

/// Returns the binary of the benchmark in a folder: beside its sources, or the folder of the binary itself.
fn binary_in(folder: &Path) -> Result<PathBuf, Failure> {
    let places = [folder.join("target/release/polyplane-bench"), folder.join("polyplane-bench")];
    places.into_iter().find(|place| place.is_file()).map_or_else(
        || {
            Err(Failure::plain(format!(
                "{} has no build of the benchmark: there is neither target/release/polyplane-bench nor polyplane-bench in \
                 it; build it there with `cargo build --release --package polyplane-benchmarks`",
                folder.display()
            )))
        },
        |place| place.canonicalize().map_err(|error| Failure::plain(format!("{}: {error}", place.display()))),
    )
}

/// Runs a build of the benchmark, and returns what it has measured.
fn measured(binary: &Path, arguments: &Arguments) -> Result<Value, Failure> {
    let mut command = Command::new(binary);
    command.arg("--json").args(["--packets", &arguments.packets.to_string()]);
    if arguments.quick {
        command.arg("--quick");
    }
    let parts = arguments.only.iter().filter_map(|part| Some(part.to_possible_value()?.get_name().to_owned()));
    let parts: Vec<String> = parts.collect();
    if !parts.is_empty() {
        // One round of live switches; the pairs are the rounds.
        command.args(["--only", &parts.join(","), "--rounds", "1"]);
    }
    // Other programs that can be compared with are no part of the two builds.
    for name in ["HTSIM", "SWITCHML", "BMV2"] {
        command.env_remove(name);
    }
    let fault = |why: &dyn std::fmt::Display| Failure::plain(format!("{} failed: {why}", binary.display()));
    let ran = command.stdin(Stdio::null()).output().map_err(|error| fault(&error))?;
    if !ran.status.success() {
        return Err(fault(&String::from_utf8_lossy(&ran.stderr).trim()));
    }
    serde_json::from_slice(&ran.stdout).map_err(|error| fault(&format!("what it printed is no JSON: {error}")))
}

/// Returns the figures that all measurements have, compared pair by pair.
fn compared(pairs: &[[Value; 2]]) -> Vec<ComparedFigure> {
    let measured: Vec<[Vec<Figure>; 2]> = pairs.iter().map(|[this, other]| [figures(this), figures(other)]).collect();
    let Some([first, _]) = measured.first() else { return Vec::new() };
    let of = |all: &[Figure], name: &str| all.iter().find(|figure| figure.name == name).map(|figure| figure.value);
    let row = |Figure { name, direction, .. }: &Figure| {
        let values: Option<Vec<[f64; 2]>> =
            measured.iter().map(|[this, other]| Some([of(this, name)?, of(other, name)?])).collect();
        let values = values?;
        let ratio = |[this, other]: &[f64; 2]| match direction {
            Direction::HigherIsFaster => this / other,
            Direction::LowerIsFaster => other / this,
        };
        let ratios: Vec<f64> = values.iter().map(ratio).collect();
        let medians = [0, 1].map(|side| median(values.iter().map(|both| both[side]).collect()));
        let (ratio, interval) = (median(ratios.clone()), interval(ratios));
        Some(ComparedFigure { name: name.clone(), this: medians[0], other: medians[1], ratio, interval })
    };
    first.iter().filter_map(row).collect()
}
