//! Bytes through one connection, both ways at once, each of which must arrive as it was sent.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv6Addr, Shutdown, TcpListener, TcpStream};
use std::time::Duration;

use polyplane::rooms::live::namespace::within;

use crate::tools::site::Site;

/// The number of bytes in each direction.
const LENGTH: u32 = 4_000_000;
const PORT: u16 = 7000;
/// How long an end waits for the other one before the connection is considered hung.
const PATIENCE: Duration = Duration::from_secs(10);

/// Sends bytes from the client to an address of the server and back.
pub fn crosses(site: &Site, address: &str) {
    let address: IpAddr = address.parse().expect("an address");
    let listener = within(Some(&site.server.path()), || TcpListener::bind((Ipv6Addr::UNSPECIFIED, PORT)));
    let listener = listener.expect("the port is free");
    let client = within(Some(&site.client.path()), || TcpStream::connect_timeout(&(address, PORT).into(), PATIENCE));
    let client = client.unwrap_or_else(|error| panic!("{address}: {error}"));
    let (server, _) = listener.accept().expect("the client has connected");
    std::thread::scope(|scope| {
        for (end, own, other) in [(&client, 3, 5), (&server, 5, 3)] {
            for limit in [TcpStream::set_read_timeout, TcpStream::set_write_timeout] {
                limit(end, Some(PATIENCE)).expect("a timeout can be set");
            }
            scope.spawn(move || sends(end, own));
            scope.spawn(move || hears(end, other));
        }
    });
}

fn bytes(seed: u32) -> Vec<u8> {
    (0..LENGTH).map(|at| (at.wrapping_mul(2_654_435_761).wrapping_add(seed) >> 21) as u8).collect()
}

fn sends(mut end: &TcpStream, seed: u32) {
    end.write_all(&bytes(seed)).expect("the connection goes on");
    end.shutdown(Shutdown::Write).expect("the connection is there");
}

fn hears(mut end: &TcpStream, seed: u32) {
    let mut heard = Vec::new();
    end.read_to_end(&mut heard).expect("the connection goes on");
    assert!(heard == bytes(seed), "{} bytes came, of {LENGTH}", heard.len());
}
