//! iperf3: bytes through one connection, in both directions.

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
        // The server takes a client when it has parted from the one before, whose last packets may be late.
        site.soon("iperf3 takes another client", || {
            let mut client = site.left.command("iperf3");
            let output = client.args(["-c", RIGHT, "-J"]).args(way).output().expect("nsenter is there");
            result = serde_json::from_slice(&output.stdout).expect("it prints JSON");
            !result["error"].as_str().is_some_and(|error| error.contains("busy"))
        });
        let received = result["end"]["sum_received"]["bytes"].as_u64();
        assert!(received > Some(100_000), "{way:?}: {:?} {:?}", result["error"], result["end"]);
    }
}
