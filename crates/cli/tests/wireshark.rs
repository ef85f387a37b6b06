//! Captures of `polyplane sim` as Wireshark's analysis of TCP sees them. How each rule of the sender and the receiver
//! looks to it is tested beside them, in `crates/transports/tests/tcp/wireshark.rs`; here is what a person opens.
//!
//! Without the command `tshark` nothing is tested, and the test says so.

mod common;

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
        hosts = 9
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

/// Some fields of the packets of a capture that a display filter lets through.
fn tshark(capture: &Path, filter: &str, fields: &[&str]) -> Vec<String> {
    let mut command = Command::new("tshark");
    command.arg("-r").arg(capture).args(["-Y", filter, "-T", "fields"]);
    command.args(["-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"]);
    fields.iter().for_each(|field| drop(command.args(["-e", field])));
    let output = command.output().expect("tshark was there a moment ago");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("tshark prints text").lines().map(str::to_owned).collect()
}

#[test]
fn captures_of_simulated_tcp_show_what_was_lost_and_nothing_else() {
    if !Command::new("tshark").arg("--version").output().is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED: there is no tshark; captures were not held against its analysis");
        return;
    }
    for (queue, senders, has_losses) in [("200 packets", 1, false), ("10 packets", 8, true)] {
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
        for host in 0..9 {
            let capture = results.join(format!("host-{host}-port-0.pcapng"));
            // What Wireshark does not see of a packet it does not sum up (2: unverified); 0 is wrong.
            let wrong = "_ws.malformed || tcp.checksum.status == 0 || ip.checksum.status != 1";
            assert_eq!(tshark(&capture, wrong, &["frame.number"]), [""; 0], "host {host}");
            let incomplete = "tcp.flags.syn == 1 && tcp.completeness != 31";
            assert_eq!(tshark(&capture, incomplete, &["frame.number"]), [""; 0], "host {host}");
            let found = tshark(&capture, "tcp.analysis.flags", &["_ws.expert.message"]);
            let caused = ["retransmission", "out-of-order", "Previous segment(s) not captured", "Duplicate ACK"];
            let is_caused = |message: &&String| has_losses && caused.iter().any(|cause| message.contains(cause));
            let others: Vec<_> = found.iter().filter(|message| !is_caused(message)).collect();
            assert!(others.is_empty(), "host {host}: {others:?}");
            if host > 0 {
                let again = "(tcp.analysis.retransmission || tcp.analysis.out_of_order) && tcp.len > 0";
                let count = tshark(&capture, again, &["frame.number"]).len();
                assert_eq!(count, counter(host), "host {host}");
                sent_again += count;
            }
        }
        assert_eq!(sent_again > 0, has_losses);
    }
}
