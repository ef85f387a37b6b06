//! The path of packets through virtual switches, stated as frames.

mod frames;
#[path = "../common/interpreter.rs"]
mod interpreter;
mod site;

mod apply;
mod asked;
mod bindings;
mod congestion;
mod cores;
mod damaged;
mod decrypted;
mod delivery;
mod encryption;
mod errors;
mod events;
mod flow_log;
mod handover;
mod headers;
mod lengths;
mod limiters;
mod midstream;
mod mirrors;
mod nowhere;
mod options;
mod overlay;
mod refused;
mod reliable;
mod responder;
mod rings;
mod security;
mod session_rate;
mod translation;
mod tunnels_of_guests;
mod underlay;
mod upgrade;
