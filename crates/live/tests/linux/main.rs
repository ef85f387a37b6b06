//! TCP against the Linux kernel, over a TAP interface in a network namespace: what one side sends arrives at the
//! other, whatever happens to packets between them.

#![cfg(target_os = "linux")]

mod faults;
mod host;
mod linux;
mod namespace;
mod peers;
mod transfers;
