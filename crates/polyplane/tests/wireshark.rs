//! Captures of `polyplane sim` as Wireshark's analysis of TCP sees them. How each rule of the sender and the receiver
//! looks to it is tested beside them, in `crates/transports/tests/tcp/wireshark.rs`; here is what a person opens.
//!
//! Without the command `tshark` nothing is tested, and the test says so.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use common::{absent_folder, run};

/// A plan whose first host receives and whose second sends.
fn plan(queue: &str, senders: u32) -> String {
    format!(
        r#"
        [topology]
        kind = "single-switch"
        hosts = 5
        [transport]
        kind = "cubic"
        [switch]
        queue = "drop-tail"
        limit = "{queue}"
        [[workload]]
        kind = "incast"
        senders = {senders}
        bytes = "300 kB"
        receiver = 0
        [probes]
        captures = ["host-*"]
        "#
    )
}

/// What is asked of each packet, in this order.
const FIELDS: [&str; 9] = [
    "tcp.stream",
    "tcp.completeness",
    "tcp.dstport",
    "tcp.checksum.status",
    "ip.checksum.status",
    "_ws.malformed",
    "tcp.analysis.flags",
    "tcp.analysis.retransmission",
    "tcp.analysis.out_of_order",
];

/// The packets of a capture: the fields, and what the experts say.
fn tshark(capture: &Path) -> Vec<([String; FIELDS.len()], String)> {
    let mut command = Command::new("tshark");
    command.arg("-r").arg(capture).args(["-T", "fields", "-E", "separator=|"]);
    command.args(["-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"]);
    for field in FIELDS.iter().chain(&["_ws.expert.message"]) {
        command.args(["-e", field]);
    }
    let output = command.output().expect("tshark was there a moment ago");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let packet = |line: &str| {
        let mut fields = line.splitn(FIELDS.len() + 1, '|').map(str::to_owned);
        let known = std::array::from_fn(|_| fields.next().expect("tshark prints every field"));
        (known, fields.next().unwrap_or_default())
    };
    String::from_utf8(output.stdout).expect("tshark prints text").lines().map(packet).collect()
}

#[test]
fn captures_of_simulated_tcp_show_what_was_lost_and_nothing_else() {
    if !Command::new("tshark").arg("--version").output().is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED: there is no tshark; captures were not held against its analysis");
        return;
    }
    for (queue, senders, has_losses) in [("200 packets", 1, false), ("10 packets", 4, true)] {
        let out = absent_folder();
        fs::create_dir_all(&*out).unwrap();
        let file = out.join("plan.toml");
        fs::write(&file, plan(queue, senders)).unwrap();
        let results = out.join("results");
        let ran = run(&["sim".as_ref(), file.as_os_str(), "--out-dir".as_ref(), results.as_os_str()]);
        assert_eq!(ran.status, 0, "{ran:?}");
        let counters = fs::read_to_string(results.join("counters.csv")).unwrap();
        let counter = |host: u32| {
            let line = format!("host-{host},,retransmissions,");
            let value = counters.lines().find_map(|counted| counted.strip_prefix(&line));
            value.map_or(0, |value| value.parse::<usize>().unwrap())
        };
        let mut sent_again = 0;
        for host in 0..5 {
            let mut known = BTreeMap::new();
            let mut again = 0;
            for (fields, message) in tshark(&results.join(format!("host-{host}-port-0.pcapng"))) {
                let [stream, completeness, port, tcp, ip, malformed, flags, is_again, is_out_of_order] = fields;
                // What Wireshark does not see of a packet it does not sum up (2: unverified); 0 is wrong, 1 is right.
                assert!(tcp != "0" && ip == "1" && malformed.is_empty(), "host {host}: {message}");
                let causes = ["retransmission", "out-of-order", "Previous segment(s) not captured", "Duplicate ACK"];
                let is_caused = has_losses && causes.iter().any(|cause| message.contains(cause));
                assert!(flags.is_empty() || is_caused, "host {host}: {message}");
                // Services have the ports below those from which connections are opened.
                let is_to_service = port.parse::<u16>().is_ok_and(|port| port < 32_768);
                again += usize::from(is_to_service && !(is_again.is_empty() && is_out_of_order.is_empty()));
                known.insert(stream, completeness);
            }
            // What a connection is known to have had by its last packet: SYN, SYN-ACK, ACK, data, FIN.
            assert!(known.values().all(|completeness| completeness == "31"), "host {host}: {known:?}");
            if host > 0 {
                assert_eq!(again, counter(host), "host {host}");
                sent_again += again;
            }
        }
        assert_eq!(sent_again > 0, has_losses);
    }
}
