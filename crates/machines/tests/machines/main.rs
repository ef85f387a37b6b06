//! The behaviour of pipelined machines, stated as packets.

mod chip;
mod edges;
mod equality;
mod generate;
mod mutants;
mod options;
mod recirculation;
mod support;
mod tables;
mod traces;
