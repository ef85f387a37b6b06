//! Programs of `programs/p4` as switches between two hosts of Linux, by `polyplane live`, and the tools that people use
//! between hosts: ping, iperf3, nginx with wrk, redis with its benchmark. Where a tool is missing, a test says so.

#![cfg(target_os = "linux")]

#[path = "../common/mod.rs"]
mod common;
mod flaps;
mod host;
#[path = "../../../live/tests/linux/namespace.rs"]
mod namespace;
mod offloads;
mod programs;
mod site;
mod throughput;
mod tool;
mod values;
mod web;
