//! A virtual switch that runs, asked from other threads.

#![cfg(unix)]

mod apply;
mod ask;
mod host;
mod keys;
mod socket;
