//! A virtual switch that runs, asked from other threads.

#![cfg(unix)]

mod apply;
mod ask;
mod bindings;
mod cores;
mod host;
mod keys;
mod socket;
mod topology;
mod trace;
