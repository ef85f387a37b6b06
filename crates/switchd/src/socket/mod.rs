//! The control socket: a Unix socket, JSON, one message a line (`docs/live-control.md`).

mod client;
mod connection;
mod lines;
mod place;
mod server;

pub use client::Client;
pub use lines::{LONGEST_LINE, LineReader};
pub use place::{SocketFile, find, usual};
pub use server::{Server, serve};
