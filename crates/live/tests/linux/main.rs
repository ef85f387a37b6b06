//! Against the Linux kernel, in network namespaces: TCP over a TAP interface, and packet sockets between two kernels.
//! What one side sends arrives at the other, whatever happens to packets between them.

#![cfg(target_os = "linux")]

mod events;
mod faults;
mod host;
mod linux;
mod namespace;
mod peers;
mod ticker;
mod transfers;
mod veth;
