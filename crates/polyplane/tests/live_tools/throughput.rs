//! iperf3: bytes through one connection, in both directions.

use serde_json::Value;

use crate::site::{RIGHT, Site};
use crate::tool::{Server, said};

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
        let mut client = site.left.command("iperf3");
        client.args(["-c", RIGHT, "-J"]).args(way);
        let result: Value = serde_json::from_str(&said(client)).expect("it prints JSON");
        let end = &result["end"];
        let received = end["sum_received"]["bytes"].as_u64().or(end["sum"]["bytes"].as_u64());
        assert!(received > Some(100_000), "{way:?}: {received:?} bytes arrived");
    }
}
