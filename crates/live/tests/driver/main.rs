//! The driver of a node, over sockets instead of interfaces.
#![cfg(unix)]

mod binding;
mod callers;
mod captures;
mod memory;
mod requests;
mod room;
mod sockets;
mod spinning;
mod superframes;
mod turns;
