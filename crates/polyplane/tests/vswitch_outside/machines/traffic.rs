//! Bytes and packets between machines and a namespace, each of which is checked.

use std::io::{Read, Write};
use std::net::{IpAddr, Shutdown, TcpStream, UdpSocket};
use std::time::Duration;

use polyplane::rooms::live::namespace::within;
use serde_json::Value;

use crate::guest::Guest;
use crate::machines::machine::Machine;
use crate::process::{said, soon};
use crate::tools::report::seconds;

/// Opens a connection from a namespace to the echo server of a machine.
pub fn connects(guest: &Guest, address: &str) -> TcpStream {
    let address: IpAddr = address.parse().expect("an address");
    let connect = || TcpStream::connect_timeout(&(address, 7).into(), Duration::from_secs(5));
    let mut stream = None;
    soon("a machine answers", || {
        stream = within(Some(&guest.path()), connect).ok();
        stream.is_some()
    });
    let stream = stream.expect("it is there");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout can be set");
    stream.set_nodelay(true).expect("an option can be set");
    stream
}

/// Sends bytes to the echo server of a machine, and waits until they come back.
pub fn echoes(mut stream: &TcpStream, what: &[u8]) {
    stream.write_all(what).expect("the connection is there");
    let mut heard = vec![0; what.len()];
    stream.read_exact(&mut heard).expect("the connection goes on");
    assert_eq!(heard, what);
}

/// Sends a million bytes from a namespace to a machine, which sends them back.
pub fn many_echoes(guest: &Guest, address: &str) {
    let bytes: Vec<u8> = (0..1_000_000u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 21) as u8).collect();
    let mut stream = connects(guest, address);
    let mut sending = stream.try_clone().expect("a descriptor");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            sending.write_all(&bytes).expect("the connection goes on");
            sending.shutdown(Shutdown::Write).expect("the connection is there");
        });
        let mut heard = vec![0; bytes.len()];
        stream.read_exact(&mut heard).unwrap_or_else(|error| panic!("{address}: {error}"));
        assert!(heard == bytes, "{address}: every byte comes back");
    });
}

/// Sends two million random bytes from one machine to an address of another one, and compares what arrives.
pub fn crosses(one: &mut Machine, two: &mut Machine, address: &str) {
    one.runs("dd if=/dev/urandom of=/tmp/bytes bs=1M count=2 2> /dev/null");
    let sum = one.runs("md5sum < /tmp/bytes");
    two.runs("rm -f /tmp/sum; { nc -l -p 7000 <&9 | md5sum > /tmp/sum; } &");
    let send = format!("timeout 30 nc {address} 7000 < /tmp/bytes");
    one.runs(&format!("for try in 1 2 3 4 5 6 7 8; do {send} && break; sleep 0.3; done"));
    let heard = two.runs("for try in 1 2 3 4 5 6 7 8 9; do [ -s /tmp/sum ] && break; sleep 0.3; done; cat /tmp/sum");
    assert_eq!(heard.trim(), sum.trim(), "{address}: every byte arrives");
}

/// Pings an address from a namespace, with so many bytes in packets that nobody may cut. Returns the mean round trip.
pub fn pings(guest: &Guest, address: &str, length: u32) -> String {
    soon("pings come back", || guest.pings_with(address, &["-c", "1"]));
    let mut ping = guest.command("ping");
    ping.args(["-c", "10", "-i", "0.05", "-W", "2", "-M", "do", "-s", &length.to_string(), address]);
    let text = said(ping);
    assert!(text.contains(" 10 received"), "{text}");
    let times = text.lines().find_map(|line| line.strip_prefix("rtt min/avg/max/mdev = ")).expect("times");
    format!("{} ms", times.split('/').nth(1).expect("a mean"))
}

/// The two directions of iperf3: to a machine, whose server runs, and from it.
const DIRECTIONS: [&[&str]; 2] = [&[], &["-R"]];

/// Runs iperf3 in a namespace, and returns what it says of the receiving end.
fn iperf(guest: &Guest, address: &str, arguments: &[&str], sum: &str) -> Value {
    let mut result = Value::Null;
    soon("the server of iperf3 listens", || {
        let mut iperf = guest.command("iperf3");
        iperf.args(["-c", address, "-J", "-t", &seconds().unwrap_or(1).to_string()]).args(arguments);
        let output = iperf.output().expect("nsenter is there");
        result = serde_json::from_slice(&output.stdout).expect("it prints JSON");
        // Between two clients, the server does not listen for a moment, and resets who has come just before.
        !result["error"].as_str().is_some_and(|error| error.contains("unable to connect to server"))
    });
    assert_eq!(result["error"].as_str(), None, "iperf3 {address} {arguments:?}");
    let sum = &result["end"][sum];
    assert!(sum["bytes"].as_u64() > Some(100_000), "{address} {arguments:?}: {result}");
    sum.clone()
}

/// Sends bytes over a connection in both directions. Returns the rates.
pub fn transfers(guest: &Guest, address: &str) -> [String; 2] {
    DIRECTIONS.map(|direction| {
        let received = iperf(guest, address, direction, "sum_received");
        format!("{:.2} Gb/s", received["bits_per_second"].as_f64().unwrap_or(0.0) / 1e9)
    })
}

/// Sends datagrams in both directions. Returns how many were lost, which nobody promises to be none.
pub fn datagrams(guest: &Guest, address: &str) -> [String; 2] {
    DIRECTIONS.map(|direction| {
        let sum = iperf(guest, address, &[&["-u", "-b", "20M", "-l", "1200"], direction].concat(), "sum");
        format!("iperf3 -u -b 20M {}: {} of {} datagrams lost", direction.concat(), sum["lost_packets"], sum["packets"])
    })
}

/// Sends datagrams from a namespace to a port of a machine at which nobody listens.
pub fn floods(guest: &Guest, address: &str, count: u32) {
    let socket = within(Some(&guest.path()), || UdpSocket::bind("0.0.0.0:0")).expect("a port is free");
    for _ in 0..count {
        // Some may be refused, by a reset of the machine or for want of memory.
        let _ = socket.send_to(&[0; 1000], (address, 9));
    }
}
