//! The tools of others, run by the client, each of which must succeed. Each returns what a table says of it.

use std::io::{Read, Write};
use std::net::{IpAddr, TcpStream};
use std::time::Duration;

use polyplane::rooms::live::namespace::within;
use serde_json::Value;

use crate::guest::Guest;
use crate::process::{Server, said};
use crate::tools::report::seconds;
use crate::tools::servers::page;
use crate::tools::site::Site;

/// Pings an address with packets of a frame, and with some that are sent in fragments. Returns the mean round trip.
pub fn pings(client: &Guest, address: &str) -> String {
    // The first one may be lost while somebody asks for an address.
    crate::process::soon("pings come back", || client.pings_with(address, &["-c", "1"]));
    let ping = |more: &[&str]| {
        let mut ping = client.command("ping");
        ping.args(["-c", "10", "-i", "0.02", "-W", "2"]).args(more).arg(address);
        said(ping)
    };
    let (small, long) = (ping(&[]), ping(&["-s", "4000"]));
    for text in [&small, &long] {
        assert!(text.contains(" 10 received"), "{text}");
    }
    let times = small.lines().find_map(|line| line.strip_prefix("rtt min/avg/max/mdev = ")).expect("times");
    format!("{} ms", times.split('/').nth(1).expect("a mean"))
}

/// Sends bytes by iperf3 in both directions. Returns the rates.
pub fn transfers(site: &Site, address: &str) -> [String; 2] {
    [&[][..], &["-R"]].map(|way| {
        let mut last = String::new();
        let mut server = site.server.command("iperf3");
        server.args(["-s", "-1"]);
        let _server = Server::start(server);
        // A client that comes before the server listens is refused.
        for _ in 0..20 {
            let mut command = site.client.command("iperf3");
            command.args(["-c", address, "-J"]).args(way);
            match seconds() {
                Some(seconds) => command.args(["-t", &seconds.to_string()]),
                None => command.args(["-n", "8M"]),
            };
            let output = command.output().expect("nsenter is there");
            let result: Value = serde_json::from_slice(&output.stdout).expect("it prints JSON");
            let Some(error) = result["error"].as_str() else {
                let received = &result["end"]["sum_received"];
                assert!(received["bytes"].as_u64() > Some(1_000_000), "{way:?}: {}", result["end"]);
                return format!("{:.2} Gb/s", received["bits_per_second"].as_f64().unwrap_or(0.0) / 1e9);
            };
            assert!(error.contains("refused"), "iperf3 {way:?}: {error}");
            last = error.to_owned();
            std::thread::sleep(Duration::from_millis(100));
        }
        panic!("iperf3 {way:?}: {last}");
    })
}

/// Asks nginx for pages: a long one over connections that stay, and a short one over a connection each. Returns the rates.
pub fn pages(client: &Guest, address: &str) -> [String; 2] {
    let address: IpAddr = address.parse().expect("an address");
    let host = if address.is_ipv6() { format!("[{address}]") } else { address.to_string() };
    gets_the_page(client, address);
    let ask = |(page, header, connections): (&str, &str, i32)| {
        let mut wrk = client.command("wrk");
        let (seconds, connections) = (seconds().unwrap_or(1).to_string(), connections.to_string());
        wrk.args(["-t", "1", "-c", &connections, "-d", &seconds, "-H", header]).arg(format!("http://{host}/{page}"));
        let text = said(wrk);
        assert!(!text.contains("Non-2xx") && !text.contains("Socket errors"), "{text}");
        let rate =
            text.lines().find_map(|line| line.strip_prefix("Requests/sec:")).map(|rate| rate.trim().parse::<f64>());
        let rate = rate.expect("a rate").expect("a number");
        assert!(rate > 1.0, "{text}");
        format!("{:.2} k/s", rate / 1000.0)
    };
    let ways = [("long", "Connection: keep-alive", 16), ("short", "Connection: close", 8)];
    match seconds() {
        Some(_) => ways.map(ask),
        // Nobody reads these rates, and wrk takes no less than a second.
        None => std::thread::scope(|scope| {
            let asking = ways.map(|way| scope.spawn(move || ask(way)));
            asking.map(|asking| asking.join().expect("every page comes"))
        }),
    }
}

/// Reads the long page once, and compares it.
fn gets_the_page(client: &Guest, address: IpAddr) {
    let connect = || TcpStream::connect_timeout(&(address, 80).into(), Duration::from_secs(10));
    let mut stream = within(Some(&client.path()), connect).expect("nginx listens");
    stream.set_read_timeout(Some(Duration::from_secs(10))).expect("a timeout can be set");
    stream.write_all(b"GET /long HTTP/1.0\r\n\r\n").expect("the connection is there");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("nginx answers");
    assert!(answer.ends_with(&page()), "every byte of the page");
}

/// Stores and reads values in redis by its benchmark. Returns the rate of the readings.
pub fn values(client: &Guest, address: &str) -> String {
    let mut benchmark = client.command("redis-benchmark");
    let requests = seconds().map_or(1_000, |seconds| 20_000 * seconds).to_string();
    benchmark.args(["-h", address, "-c", "20", "-n", &requests, "-d", "2000", "-t", "set,get", "--csv"]);
    let text = said(benchmark);
    let row = text.lines().find(|line| line.starts_with("\"GET\"")).unwrap_or_else(|| panic!("{text}"));
    let rate: f64 = row.split('"').nth(3).and_then(|rate| rate.parse().ok()).expect("a rate");
    let mut length = client.command("redis-cli");
    length.args(["-h", address, "strlen", "key:__rand_int__"]);
    assert_eq!(said(length), "2000\n");
    format!("{:.1} k/s", rate / 1000.0)
}
