//! What two hosts say to each other.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::time::Duration;

use rustix::net::{AddressFamily, SocketType, ipproto, socket};

use crate::host::Host;
use crate::namespace::set;

const PATIENCE: Option<Duration> = Some(Duration::from_secs(10));

/// Returns true if a ping, sent twice at most, comes back within two seconds. The addresses are of one family.
pub fn ping(from: &Host, to: SocketAddr) -> bool {
    from.run(|| {
        // Any group may send pings without a raw socket (icmp(7)).
        assert!(set("ipv4/ping_group_range", "0 0"), "pings can be allowed");
        let (family, protocol, request) = match to {
            SocketAddr::V4(_) => (AddressFamily::INET, ipproto::ICMP, 8),
            SocketAddr::V6(_) => (AddressFamily::INET6, ipproto::ICMPV6, 128),
        };
        let socket = UdpSocket::from(socket(family, SocketType::DGRAM, Some(protocol)).expect("a socket for pings"));
        socket.set_read_timeout(Some(Duration::from_secs(1))).expect("a time");
        // The kernel fills in the checksum and the identifier.
        let message = [request, 0, 0, 0, 0, 0, 0, 1, b'p', b'o', b'l', b'y'];
        (0..2).any(|_| {
            let mut reply = [0; 64];
            let _ = socket.send_to(&message, to);
            socket.recv(&mut reply).is_ok_and(|length| reply[6..length] == message[6..])
        })
    })
}

/// Sends bytes over a connection and receives them back, and returns the address that the server saw.
pub fn connection(client: &Host, server: &Host, address: SocketAddr) -> SocketAddr {
    let listener = server.run(|| TcpListener::bind(address).expect("the address is the host's"));
    let echo = std::thread::spawn(move || {
        let (mut stream, peer) = listener.accept().expect("the client connects");
        stream.set_read_timeout(PATIENCE).expect("a time");
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("the client ends");
        stream.write_all(&bytes).expect("the client receives");
        peer
    });
    client.run(|| {
        let sent: Vec<u8> = (0..1u32 << 18).flat_map(u32::to_be_bytes).collect();
        let mut stream = TcpStream::connect_timeout(&address, Duration::from_secs(10)).expect("the server accepts");
        stream.set_read_timeout(PATIENCE).expect("a time");
        stream.write_all(&sent).expect("the server receives");
        stream.shutdown(Shutdown::Write).expect("the connection is open");
        let mut received = Vec::new();
        stream.read_to_end(&mut received).expect("the server ends");
        assert!(received == sent, "{} bytes came back of {}", received.len(), sent.len());
    });
    echo.join().expect("the server has not panicked")
}

/// Sends datagrams of several lengths there and back, and returns the address that the server saw.
pub fn datagrams(client: &Host, server: &Host, own: SocketAddr, address: SocketAddr) -> SocketAddr {
    let bind = |to| UdpSocket::bind(to).expect("the address is the host's");
    let (ours, theirs) = (client.run(|| bind(own)), server.run(|| bind(address)));
    for socket in [&ours, &theirs] {
        socket.set_read_timeout(PATIENCE).expect("a time");
    }
    let (mut buffer, mut seen) = ([0; 2048], own);
    for length in [0, 1, 18, 1000, 1400] {
        let sent: Vec<u8> = (0..length).map(|at| at as u8).collect();
        ours.send_to(&sent, address).expect("it is sent");
        let (there, peer) = theirs.recv_from(&mut buffer).expect("it arrives");
        assert!(buffer[..there] == sent[..], "a datagram of {length} bytes arrives");
        theirs.send_to(&buffer[..there], peer).expect("it is sent");
        let (back, from) = ours.recv_from(&mut buffer).expect("it comes back");
        assert!(buffer[..back] == sent[..] && from == address, "a datagram of {length} bytes comes back");
        seen = peer;
    }
    seen
}

/// Returns how the host's kernel understands what comes back for a datagram to a port where nobody listens.
pub fn refused(client: &Host, address: SocketAddr) -> Option<ErrorKind> {
    client.run(|| {
        let any: SocketAddr = if address.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" }.parse().expect("an address");
        let socket = UdpSocket::bind(any).expect("any port");
        socket.connect(address).expect("there is a route");
        socket.set_read_timeout(PATIENCE).expect("a time");
        socket.send(b"polyplane").expect("it is sent");
        socket.recv(&mut [0; 16]).err().map(|error| error.kind())
    })
}

/// Returns why a connection is not opened.
pub fn unreachable(client: &Host, address: SocketAddr) -> Option<ErrorKind> {
    client.run(|| TcpStream::connect_timeout(&address, Duration::from_secs(10)).err().map(|error| error.kind()))
}
