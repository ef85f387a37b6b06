//! The plain aggregator: routes, groups, and the rules of its protocols, packet by packet.

mod atp;
mod damaged;
mod packets;
mod routes;
