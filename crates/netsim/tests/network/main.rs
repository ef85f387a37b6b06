//! Whole networks in virtual time, with real hosts, queues and topologies.

mod blaster;
mod circle;
mod dead_paths;
mod determinism;
mod everywhere;
mod faults;
mod incast;
mod late_reports;
mod lossless;
mod order;
mod permutation;
mod programs;
mod returning;
mod rocev2;
mod silence;
mod tcp;
mod test_network;
mod watch;
