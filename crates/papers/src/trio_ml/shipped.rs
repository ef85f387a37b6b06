//! The files that the project ships for the paper: the plans of experiments, those of the networks that they run, and the program of
//! their switches. The folder `shipped/trio-ml` of this crate has links to them.

use networks::method::Embedded;

/// Files of `experiments/trio-ml`, with their texts.
macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../shipped/trio-ml/", $name)))),*]
    };
}

/// Files of `programs/microcode/trio_ml` by their paths from the plans, with their texts.
macro_rules! program {
    ($($name:literal),* $(,)?) => {
        &[
            $((
                concat!("../../programs/microcode/trio_ml/", $name),
                include_str!(concat!("../../shipped/trio-ml/program/", $name)),
            ),)*
            ("../../programs/microcode/include/headers.mc", include_str!("../../shipped/trio-ml/headers.mc")),
            ("waiting.mc", include_str!("../../shipped/trio-ml/waiting.mc")),
            ("waiting.chip.toml", include_str!("../../shipped/trio-ml/waiting.chip.toml")),
        ]
    };
}

/// The plans of experiments.
pub(super) const PLANS: &[Embedded] = files!("figure-14.toml", "figure-15.toml");

/// The network of the method `recovery`.
pub(super) const RECOVERY: &[Embedded] = files!("recovery.toml");

/// The networks of the method `latency`.
pub(super) const LATENCY: &[Embedded] = files!("latency.toml", "latency-waiting.toml");

/// The program of their switch with what it includes, its variant that waits, and the chip of that.
pub(super) const PROGRAM: &[Embedded] = program!(
    "trio_ml.mc",
    "records.mc",
    "receive.mc",
    "begin.mc",
    "add.mc",
    "conclude.mc",
    "result.mc",
    "forward.mc",
    "remove.mc",
    "age.mc",
    "judge.mc",
);
