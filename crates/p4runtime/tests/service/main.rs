//! The server over TCP, with a controller of ours on the other side and a switch that has no other ports.

mod idle;
mod machines;
mod packets;
mod pipeline;
mod pipes;
mod sessions;
mod switch;
mod tls;
mod trouble;
