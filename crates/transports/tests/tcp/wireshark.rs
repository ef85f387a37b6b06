//! Wireshark's analysis of TCP connections reports nothing except what the faults of the network cause.
//!
//! Wireshark has its own implementation of sequence numbers, windows, options and checksums, and so finds errors that
//! our sender and receiver share. Without the command `tshark` nothing is tested, and the tests say so.

use std::collections::BTreeMap;
use std::process::Command;

use basis::{Instant, Random};
use transports::tcp::{Algorithm, TcpParameters};
use wire::capture::{PcapngWriter, Timestamp};
use wire::{LinkLayer, Packet};

use crate::network::{Fate, Network, Seen, microseconds, parameters};

/// The findings of its analysis (`tcp.analysis.*`).
const FINDINGS: [&str; 15] = [
    "retransmission",
    "fast_retransmission",
    "spurious_retransmission",
    "out_of_order",
    "reused_ports",
    "lost_segment",
    "ack_lost_segment",
    "window_update",
    "window_full",
    "keep_alive",
    "keep_alive_ack",
    "duplicate_ack",
    "zero_window_probe",
    "zero_window",
    "zero_window_probe_ack",
];

/// The value of `tcp.completeness` for SYN, SYN-ACK, ACK, data and FIN.
const COMPLETE: &str = "31";

/// The analysis of a capture.
#[derive(Debug, Default)]
struct Analysis {
    packets: usize,
    /// The number of packets with each finding.
    findings: BTreeMap<&'static str, u64>,
    /// The number of packets of the capturing host that count as retransmissions, under any name.
    sent_again: u64,
    /// The number of packets whose TCP and IPv4 checksums were verified and correct.
    right: usize,
    /// The expert messages that are warnings or errors.
    warnings: Vec<String>,
    completeness: String,
}

fn has_tshark() -> bool {
    let has = Command::new("tshark").arg("--version").output().is_ok_and(|output| output.status.success());
    if !has {
        eprintln!("SKIPPED: tshark is not installed; captures were not analysed");
    }
    has
}

/// Analyses the packets captured at a host, written with all their bytes.
fn analyse(captured: &[(Instant, Packet)], host: usize, name: &str) -> Analysis {
    let path = std::env::temp_dir().join(format!("polyplane-{}-{name}-{host}.pcapng", std::process::id()));
    let file = std::fs::File::create(&path).unwrap();
    let mut writer = PcapngWriter::new(std::io::BufWriter::new(file), LinkLayer::Ethernet).unwrap();
    for (at, packet) in captured {
        let mut bytes = Vec::new();
        packet.append_to(&mut bytes);
        let at = at.picoseconds();
        let time = Timestamp::new((at / 1_000_000_000_000) as i64, at % 1_000_000_000_000);
        writer.write(time, &Packet::of_bytes(&bytes)).unwrap();
    }
    drop(writer.finish().unwrap());
    let mut command = Command::new("tshark");
    command.arg("-r").arg(&path).args(["-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"]);
    command.args(["-T", "fields", "-E", "separator=|", "-E", "aggregator=;"]);
    for field in ["tcp.checksum.status", "ip.checksum.status", "tcp.completeness", "ip.src"] {
        command.args(["-e", field]);
    }
    command.args(["-e", "_ws.expert.severity", "-e", "_ws.expert.message", "-e", "_ws.malformed"]);
    for finding in FINDINGS {
        command.arg("-e").arg(format!("tcp.analysis.{finding}"));
    }
    let output = command.output().unwrap();
    std::fs::remove_file(&path).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut analysis = Analysis::default();
    let ours = format!("10.0.0.{host}");
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let fields: Vec<_> = line.split('|').collect();
        let [tcp, ip, completeness, source, severities, messages, malformed, findings @ ..] = &fields[..] else {
            panic!("tshark says {line:?}");
        };
        analysis.packets += 1;
        analysis.right += usize::from((*tcp, *ip) == ("1", "1"));
        analysis.completeness = (*completeness).to_owned();
        // 0x600000 is a warning, 0x800000 an error.
        let is_bad = severities.split(';').filter_map(|severity| severity.parse::<u32>().ok()).any(|s| s >= 0x60_0000);
        if is_bad || !malformed.is_empty() {
            analysis.warnings.push(format!("{}: {messages} {malformed}", analysis.packets));
        }
        let found: Vec<_> = FINDINGS.iter().zip(findings).filter(|(_, value)| !value.is_empty()).collect();
        let is_again = |name: &str| name.ends_with("retransmission") || name == "out_of_order";
        analysis.sent_again += u64::from(*source == ours && found.iter().any(|(name, _)| is_again(name)));
        for (name, _) in found {
            *analysis.findings.entry(name).or_default() += 1;
        }
    }
    analysis
}

fn variants() -> Vec<(&'static str, TcpParameters)> {
    let dctcp = TcpParameters::data_center(Algorithm::DCTCP);
    let cubic = TcpParameters::data_center(Algorithm::CUBIC);
    vec![
        ("newreno", parameters()),
        ("cubic", cubic),
        ("dctcp", dctcp),
        ("ecn", TcpParameters { ecn: true, ..parameters() }),
        ("paced", TcpParameters { pacing: true, ..cubic }),
        ("without-sack", TcpParameters { sack: false, ..parameters() }),
        ("without-timestamps", TcpParameters { timestamps: false, ..parameters() }),
        ("jumbo", TcpParameters { packet_bytes: 9000, ..parameters() }),
    ]
}

#[test]
fn wireshark_finds_nothing_without_faults() {
    if !has_tshark() {
        return;
    }
    for (name, parameters) in variants() {
        let mut network = Network::new(2, parameters, &[(0, 0, 1, 300_000)], |_| Fate::Pass);
        network.run();
        let analysis = analyse(&network.captured[1], 1, name);
        assert!(analysis.findings.is_empty() && analysis.warnings.is_empty(), "{name}: {analysis:?}");
        assert_eq!(analysis.right, network.captured[1].len(), "{name}: {analysis:?}");
        assert_eq!(analysis.completeness, COMPLETE);
    }
}

/// The findings that losses and delays cause: segments that are missing, early or retransmitted, and the
/// acknowledgements that report them. The first acknowledgement of the handshake may count as a window update, because
/// its window is scaled and that of the SYN-ACK, for the same byte, is not.
const CAUSED: [&str; 7] = [
    "retransmission",
    "fast_retransmission",
    "spurious_retransmission",
    "out_of_order",
    "lost_segment",
    "duplicate_ack",
    "window_update",
];

#[test]
fn wireshark_finds_only_losses_and_delays() {
    if !has_tshark() {
        return;
    }
    for (seed, (name, parameters)) in (1..).zip(variants()) {
        let mut random = Random::new(seed);
        let rule = move |_: &Seen| match random.below(100) {
            0..4 => Fate::Drop,
            4..6 => Fate::Late(microseconds(200)),
            _ => Fate::Pass,
        };
        let mut network = Network::new(2, parameters, &[(0, 0, 1, 300_000)], rule);
        network.run();
        assert!(network.is_completed());
        for host in 0..2 {
            let analysis = analyse(&network.captured[host], host, &format!("{name}-faults"));
            assert!(analysis.findings.keys().all(|finding| CAUSED.contains(finding)), "{name} {host}: {analysis:?}");
            let is_caused = |warning: &String| {
                warning.contains("Previous segment(s) not captured") || warning.contains("out-of-order segment")
            };
            assert!(analysis.warnings.iter().all(is_caused), "{name} {host}: {analysis:?}");
            // At the sender, Wireshark must recognize exactly the retransmissions.
            assert_eq!(analysis.sent_again, network.counter(host, "retransmissions"), "{name} {host}");
            assert!(analysis.sent_again > 0 || host == 1, "{name}: nothing was lost");
            assert_eq!(analysis.right, network.captured[host].len(), "{name} {host}: {analysis:?}");
            assert_eq!(analysis.completeness, COMPLETE);
        }
    }
}
