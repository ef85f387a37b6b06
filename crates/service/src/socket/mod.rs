//! A control socket: a Unix socket, JSON, one message a line.

mod client;
mod connection;
mod lines;
mod place;
mod server;

pub use client::Client;
pub use lines::{LONGEST_LINE, LineReader};
pub use place::{Claim, Places, SocketFile};
pub use server::{Answers, Begun, Manner, Server, Stream, serve};
