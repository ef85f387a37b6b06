//! The files that the project ships for the paper: the plans of experiments, and those of the networks that they run. The
//! folder `shipped/atp` of this crate has links to them.

use networks::method::Embedded;

/// Files of `experiments/atp`, with their texts.
macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../shipped/atp/", $name)))),*]
    };
}

/// The plans of experiments.
pub(super) const PLANS: &[Embedded] = files!("figure-14.toml");

/// The network of the method `sharing`.
pub(super) const SHARING: &[Embedded] = files!("sharing.toml");
