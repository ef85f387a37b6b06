//! Wireshark decrypts what a switch sends, and finds that its integrity check value is right.
//!
//! Without the command `tshark` nothing is tested, and the test says so.

use std::process::Command;

use wire::LinkLayer;
use wire::capture::{PcapWriter, Resolution, Timestamp};

use crate::encryption::{encrypted, material};
use crate::frames::udp;

#[test]
fn wireshark_decrypts_what_is_sent() {
    if !Command::new("tshark").arg("--version").output().is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED: there is no tshark; nothing was decrypted by somebody else");
        return;
    }
    let mut site = encrypted(false);
    let one = site.guest(1);
    let payloads: Vec<Vec<u8>> = (0..20_u8).map(|number| vec![number; 1 + 7 * usize::from(number)]).collect();
    let path = std::env::temp_dir().join(format!("polyplane-esp-{}.pcap", std::process::id()));
    let file = std::fs::File::create(&path).expect("a file can be made");
    let mut writer = PcapWriter::new(file, LinkLayer::Ethernet, Resolution::Microseconds).expect("it can be written");
    for payload in &payloads {
        site.passes(1, 3, udp(&one, "10.0.1.3", [40_000, 40_001], payload));
        let sent = site.between.pop().expect("a packet on the underlay");
        writer.write(Timestamp::default(), &sent).expect("it can be written");
    }
    writer.finish().expect("it can be written");
    let digits: String = material(0, 300).iter().map(|byte| format!("{byte:02x}")).collect();
    let association = format!(
        "uat:esp_sa:\"IPv4\",\"192.0.2.1\",\"192.0.2.2\",\"0x0000012c\",\"AES-GCM with 16 octet ICV [RFC4106]\",\
         \"0x{digits}\",\"NULL\",\"\""
    );
    let mut command = Command::new("tshark");
    command
        .args([
            "-n",
            "-o",
            "esp.enable_encryption_decode:TRUE",
            "-o",
            "esp.enable_authentication_check:TRUE",
            "-o",
            &association,
            "-r",
        ])
        .arg(&path);
    command.args(["-T", "fields", "-E", "occurrence=a", "-e", "esp.icv_good", "-e", "vxlan.vni", "-e", "ip.dst"]);
    let output = command.args(["-e", "data.data"]).output().expect("tshark was there a moment ago");
    std::fs::remove_file(&path).expect("it is there");
    let [text, errors] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success(), "{errors}");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), payloads.len(), "{text}{errors}");
    for (line, payload) in lines.iter().zip(&payloads) {
        let digits: String = payload.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(*line, format!("1\t7001\t192.0.2.2,10.0.1.3\t{digits}"), "{errors}");
    }
}
