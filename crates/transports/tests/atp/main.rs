//! Workers, servers and switches of ATP, alone and together, in virtual time.

mod check;
mod gradients;
mod network;
mod packets;
mod plan;
mod switches;

mod bytes;
mod clean;
mod defects;
mod harm;
mod server;
mod worker;
