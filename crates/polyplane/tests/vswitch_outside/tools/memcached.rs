//! Clients of memcached: each stores values of its own, reads them again, and compares them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{IpAddr, TcpStream};
use std::time::{Duration, Instant};

use polyplane::rooms::live::namespace::within;

use crate::guest::Guest;
use crate::tools::report::seconds;

/// The number of connections at once.
const CLIENTS: usize = 8;
/// The lengths of values in bytes: one that fits a packet, and one of several.
const LENGTHS: [usize; 2] = [100, 10_000];

/// Runs clients for as long as tools run, and returns the requests a second.
pub fn requests(guest: &Guest, address: &str) -> String {
    let address: IpAddr = address.parse().expect("an address");
    let began = Instant::now();
    let is_over = |done: u64| match seconds() {
        Some(seconds) => began.elapsed() >= Duration::from_secs(seconds),
        None => done >= 100,
    };
    let counts: Vec<u64> = std::thread::scope(|scope| {
        let client = |number: usize| {
            let connect = || TcpStream::connect_timeout(&(address, 11211).into(), Duration::from_secs(10));
            let stream = within(Some(&guest.path()), connect).expect("memcached listens");
            stream.set_read_timeout(Some(Duration::from_secs(10))).expect("a timeout can be set");
            stream.set_nodelay(true).expect("an option can be set");
            let mut stream = BufReader::new(stream);
            let mut done = 0;
            while !is_over(done) {
                stores_and_reads(&mut stream, number, done);
                done += 2;
            }
            done
        };
        let threads: Vec<_> = (0..CLIENTS).map(|number| scope.spawn(move || client(number))).collect();
        threads.into_iter().map(|thread| thread.join().expect("every value is right")).collect()
    });
    format!("{:.1} k/s", counts.iter().sum::<u64>() as f64 / began.elapsed().as_secs_f64() / 1000.0)
}

fn stores_and_reads(stream: &mut BufReader<TcpStream>, client: usize, round: u64) {
    let value = vec![b'a' + (round % 26) as u8; LENGTHS[round as usize / 2 % 2]];
    let mut request = format!("set {client} 0 0 {}\r\n", value.len()).into_bytes();
    request.extend_from_slice(&value);
    request.extend_from_slice(b"\r\n");
    stream.get_mut().write_all(&request).expect("the connection goes on");
    assert_eq!(line(stream), "STORED\r\n");
    stream.get_mut().write_all(format!("get {client}\r\n").as_bytes()).expect("the connection goes on");
    assert_eq!(line(stream), format!("VALUE {client} 0 {}\r\n", value.len()));
    let mut heard = vec![0; value.len() + 2];
    stream.read_exact(&mut heard).expect("the connection goes on");
    assert!(heard[..value.len()] == value, "another value came back");
    assert_eq!(line(stream), "END\r\n");
}

fn line(stream: &mut BufReader<TcpStream>) -> String {
    let mut line = String::new();
    stream.read_line(&mut line).expect("memcached answers");
    line
}
