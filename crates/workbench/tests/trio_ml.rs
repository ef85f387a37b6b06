//! Trio-ML: the Microcode program on the chip and the plain aggregator treat the same traffic alike, and no fault of a network
//! makes either of them give a wrong sum to the workers.

#[path = "trio_ml/agreement.rs"]
mod agreement;
#[path = "trio_ml/at_once.rs"]
mod at_once;
#[path = "trio_ml/driven.rs"]
mod driven;
#[path = "trio_ml/network.rs"]
mod network;
#[path = "trio_ml/workers.rs"]
mod workers;
