//! Addresses at which controllers reach the switches.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};

use diagnostics::{Diagnostic, Failure};

use crate::state::Labs;

/// The port of the first switch, which controllers of the tutorials know.
const FIRST: u16 = 50051;
/// The distance between the first ports of labs beside each other.
const BETWEEN_LABS: usize = 100;

/// Returns an address for each of so many switches: ports in a row of which none is in use or is meant for another lab. The
/// row begins at `first`, or where there is room.
///
/// # Errors
/// Fails if a port of the row that begins at `first` is in use, or no row is free.
pub fn addresses(labs: &Labs, count: usize, first: Option<u16>) -> Result<Vec<SocketAddr>, Failure> {
    let others = labs.names().into_iter().filter_map(|name| labs.find(Some(&name)).ok());
    let taken: BTreeSet<SocketAddr> =
        others.flat_map(|lab| lab.switches).filter_map(|switch| switch.p4runtime?.parse().ok()).collect();
    let is_free = |address: &SocketAddr| !taken.contains(address) && TcpListener::bind(address).is_ok();
    let row = |first: u16| -> Vec<SocketAddr> {
        let ports = (first..=u16::MAX).take(count);
        ports.map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port))).collect()
    };
    let is_possible = |row: &Vec<SocketAddr>| row.len() == count && row.iter().all(is_free);
    let found = match first {
        Some(first) => Some(row(first)).filter(is_possible),
        None => (FIRST..=u16::MAX).step_by(BETWEEN_LABS.max(count)).map(row).find(is_possible),
    };
    found.ok_or_else(|| {
        let message = match first {
            Some(first) => format!("of the {count} ports from {first} on, some are in use or do not exist"),
            None => format!("there are no {count} free ports in a row for controllers"),
        };
        Diagnostic::without_place(message).hint("`--p4runtime PORT` says where the row begins").into()
    })
}
