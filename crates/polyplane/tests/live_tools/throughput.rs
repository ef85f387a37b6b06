//! iperf3: bytes through one connection, in both directions.

use std::time::Duration;

use serde_json::Value;

use crate::site::{RIGHT, Site};
use crate::tool::Server;

/// Transfers bytes for about a second in each direction.
pub fn transfers(site: &Site) {
    let mut server = site.right.command("iperf3");
    server.args(["-s", "-B", RIGHT]);
    let _server = Server::start(server);
    site.soon("iperf3 listens", || {
        let mut probe = site.left.command("iperf3");
        probe.args(["-c", RIGHT, "-n", "1K"]).output().is_ok_and(|output| output.status.success())
    });
    for way in [&["-t", "1"][..], &["-t", "1", "-R"]] {
        let mut result = Value::Null;
        // The server takes a client when it has parted from the one before, whose last packets may be late; a client
        // that comes too early is told that it is busy, or is not answered.
        for _ in 0..3 {
            let mut client = site.left.command("iperf3");
            let output = client.args(["-c", RIGHT, "-J"]).args(way).output().expect("nsenter is there");
            result = serde_json::from_slice(&output.stdout).expect("it prints JSON");
            let Some(error) = result["error"].as_str() else { break };
            let may_pass = ["busy", "unable to connect", "Connection refused", "unable to receive control message"];
            assert!(may_pass.iter().any(|other| error.contains(other)), "iperf3 {way:?}: {error}");
            eprintln!("iperf3 {way:?}: {error}");
            std::thread::sleep(Duration::from_millis(500));
        }
        let received = result["end"]["sum_received"]["bytes"].as_u64();
        assert!(received > Some(100_000), "{way:?}: {:?} {:?}", result["error"], result["end"]);
    }
}
