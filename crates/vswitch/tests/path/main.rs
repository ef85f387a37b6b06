//! The path of packets through virtual switches, stated as frames.

mod frames;
mod site;

mod delivery;
mod overlay;
mod responder;
mod security;
