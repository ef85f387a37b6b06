//! TCP: hosts and a scripted network in virtual time.

mod acknowledging;
mod closing;
mod content;
mod growth;
mod marking;
mod network;
mod opening;
mod pair;
mod properties;
mod recovery;
mod sockets;
mod wireshark;
