//! Programs of `programs/p4` as switches between hosts of Linux, by `polyplane live`, with the tables of their READMEs:
//! pings, datagrams, connections, and errors that the hosts understand.

#![cfg(target_os = "linux")]

#[path = "../common/mod.rs"]
mod common;
mod exchanges;
mod host;
mod ipv6_router;
mod live;
#[path = "../../../live/tests/linux/namespace.rs"]
mod namespace;
mod nat;
