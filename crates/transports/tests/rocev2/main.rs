//! RoCEv2: hosts and a scripted network in virtual time.

mod bytes;
mod congestion;
mod content;
mod failing;
mod go_back_n;
mod network;
mod properties;
mod selective_repeat;
