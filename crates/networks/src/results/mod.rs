//! The results of a run of a network: flows, also over time and over windows of time, links, queues, registers, arrivals,
//! counters, drops, faults, captures and traces.

mod arrivals;
mod averages;
mod busiest;
mod cabled_ports;
mod captures;
mod checkpoint;
mod counters;
mod deadlock;
mod drops;
mod faults;
mod flow_series;
mod flows;
mod identity;
mod kinds;
mod links;
mod outcome;
mod recorder;
mod registers;
mod series;
mod streams;
mod summary;
mod trace;
mod unfinished;
mod windows;

pub use arrivals::{Arrival, Arrivals};
pub use averages::{ArrivalAverage, QueueAverage, RegisterAverage};
pub use busiest::Busy;
pub use cabled_ports::{CabledPort, CabledPorts};
pub use checkpoint::checkpoint_file;
pub use counters::Counters;
pub use drops::Drops;
pub use faults::{Faults, Struck};
pub use flow_series::{FlowSample, FlowSeries};
pub use flows::{Flow, NOWHERE};
pub use identity::{Identity, identity};
pub use kinds::{KINDS, kind};
pub use links::LinkUse;
pub use outcome::{Outcome, Ran, Running, run, run_to_the_end};
pub use recorder::{Next, Stage};
pub use registers::{Held, RegisterSample, RegisterSeries};
pub use series::Series;
pub use summary::{Packets, Quantiles, Summary, percentile};
pub use unfinished::Unfinished;
pub use windows::{WindowFlow, Windows};
