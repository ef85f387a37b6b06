//! The virtual switch with what people run beside it: containers of podman, a systemd, virtual machines of QEMU, and ping, iperf3, nginx with
//! wrk, redis with its benchmark and memcached between two guests, through every feature. Where something is missing on a computer, a test
//! says so.

#![cfg(target_os = "linux")]

#[path = "../../../vswitchd/tests/linux/guest.rs"]
#[expect(dead_code, reason = "other tests use the rest")]
mod guest;
mod hosts;
mod machines;
#[path = "../../../live/tests/linux/namespace.rs"]
mod namespace;
mod process;
mod tools;
