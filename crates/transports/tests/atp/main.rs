//! Workers, servers and switches of ATP together, in virtual time: whatever happens, every sum is right.

mod check;
mod gradients;
mod network;
mod plan;

mod clean;
mod harm;
