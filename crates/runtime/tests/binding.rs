//! Bindings: which values fields get from packets, and what packets get from fields.

use basis::Instant;
use diagnostics::Sources;
use proptest::prelude::*;
use runtime::binding::{Binding, Departure, FieldShape};
use wire::{Icmp, Ipv4, Ipv6, Layers, Network, Packet, Tail, Tcp, Udp, checksum, protocol};

/// Makes a packet with correct checksums: Ethernet, VLAN tag 7 if `tagged`, IPv4 or IPv6, the protocol, and a payload.
fn packet(version: u8, number: u8, tagged: bool, payload: &[u8]) -> Packet {
    let mut transport = match number {
        protocol::TCP => {
            let mut bytes = [vec![0; 20], payload.to_vec()].concat();
            let mut tcp = Tcp::new(&mut bytes[..]).unwrap();
            tcp.set_source_port(1234);
            tcp.set_destination_port(443);
            tcp.set_sequence(0x8000_0001);
            tcp.set_offset_and_flags(0x5012);
            tcp.set_window(512);
            bytes
        }
        protocol::UDP => {
            let mut bytes = [vec![0; 8], payload.to_vec()].concat();
            let length = bytes.len() as u16;
            let mut udp = Udp::new(&mut bytes[..]).unwrap();
            udp.set_source_port(1234);
            udp.set_destination_port(53);
            udp.set_length(length);
            bytes
        }
        // An echo request of the version's kind. If all data were zero, either form of zero would be a correct
        // checksum.
        _ => [vec![if number == protocol::ICMP { 8 } else { 128 }, 0, 0, 0, 0, 0, 0, 0], payload.to_vec()].concat(),
    };
    let length = transport.len() as u16;
    let mut network = if version == 4 { vec![0; 20] } else { vec![0; 40] };
    if version == 4 {
        let mut ip = Ipv4::new(&mut network[..]).unwrap();
        ip.set_version_and_length(0x45);
        ip.set_traffic_class(10 << 2 | 1);
        ip.set_total_length(20 + length);
        ip.set_time_to_live(64);
        ip.set_protocol(number);
        ip.set_source_bits(0x0A00_0001);
        ip.set_destination_bits(0x0A00_0002);
        ip.fill_checksum();
    } else {
        let mut ip = Ipv6::new(&mut network[..]).unwrap();
        ip.set_version_class_flow(6 << 28 | (10 << 2 | 1) << 20 | 0x12345);
        ip.set_payload_length(length);
        ip.set_next_header(number);
        ip.set_hop_limit(64);
        ip.set_source_bits(0xFD00_0000_0000_0000_0000_0000_0000_0001);
        ip.set_destination_bits(0xFD00_0000_0000_0000_0000_0000_0000_0002);
    }
    if let Some(at) = transport_checksum_place(number) {
        let sum = transport_checksum(&network, version, number, &transport);
        // RFC 768: a UDP checksum that is computed as zero is transmitted as all ones.
        let sum = if number == protocol::UDP && sum == 0 { 0xFFFF } else { sum };
        transport[at..at + 2].copy_from_slice(&sum.to_be_bytes());
    }
    let mut bytes = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2];
    if tagged {
        bytes.extend_from_slice(&[0x81, 0, 0x60, 7]);
    }
    bytes.extend_from_slice(if version == 4 { &[8, 0] } else { &[0x86, 0xDD] });
    bytes.extend_from_slice(&network);
    bytes.extend_from_slice(&transport);
    let mut packet = Packet::of_bytes(&bytes);
    packet.sidecar.arrival = Instant::from_microseconds((1 << 32) + 77);
    packet
}

fn transport_checksum_place(number: u8) -> Option<usize> {
    match number {
        protocol::TCP => Some(16),
        protocol::UDP => Some(6),
        protocol::ICMP | protocol::ICMPV6 => Some(2),
        _ => None,
    }
}

/// Computes the checksum over a transport header and payload, including the checksum field; it is 0 if that field is
/// correct.
fn transport_checksum(network: &[u8], version: u8, number: u8, transport: &[u8]) -> u16 {
    let mut sum = checksum::Sum::default();
    sum.add(transport);
    if number != protocol::ICMP {
        sum.add(if version == 4 { &network[12..20] } else { &network[8..40] });
        sum.add_word(u16::from(number));
        sum.add_word(transport.len() as u16);
    }
    sum.checksum()
}

/// Returns whether every checksum of a packet is correct, computed from scratch.
fn checksums_are_right(packet: &Packet) -> bool {
    let (bytes, layers) = (packet.head.bytes(), Layers::of(packet));
    let network = &bytes[layers.network_start..];
    let version = if layers.network == Network::Ipv4 { 4 } else { 6 };
    let transport = &bytes[layers.transport.unwrap()..];
    (version == 6 || Ipv4::new(network).unwrap().is_checksum_right() == Some(true))
        && transport_checksum(network, version, layers.protocol, transport) == 0
}

fn resolve(fields: &[&str], toml: &str) -> Result<Binding, String> {
    let shapes: Vec<FieldShape<'_>> = fields.iter().map(|name| FieldShape { name, width: 32 }).collect();
    let mut sources = Sources::new();
    let id = sources.add("program.toml", toml);
    Binding::resolve(&shapes, Some((&sources, id))).map_err(|found| found.render(&sources, false))
}

fn load(binding: &Binding, packet: &Packet, fields: usize) -> Option<Vec<u64>> {
    let mut values = vec![99; fields];
    binding.load(packet, 5, &mut values).then_some(values)
}

#[test]
fn usual_names_are_bound_and_other_fields_are_zero() {
    let fields =
        ["sport", "dport", "src", "dst", "proto", "length", "arrival", "ttl", "dscp", "port", "next_hop", "id"];
    let binding = resolve(&fields, "").unwrap();
    let tcp = packet(4, protocol::TCP, true, b"payload");
    assert_eq!(
        load(&binding, &tcp, fields.len()).unwrap(),
        [1234, 443, 0x0A00_0001, 0x0A00_0002, 6, 18 + 40 + 7, 77, 64, 10, 5, 0, 0]
    );
    let udp = packet(6, protocol::UDP, false, b"");
    assert_eq!(
        load(&binding, &udp, fields.len()).unwrap(),
        [1234, 53, 0xFD00_0001, 0xFD00_0002, 17, 14 + 48, 77, 64, 10, 5, 0, 0]
    );
    assert_eq!(load(&binding, &packet(4, protocol::ICMP, false, b""), fields.len()), None, "ICMP has no ports");
}

#[test]
fn programs_without_headers_apply_to_all_packets() {
    let binding = resolve(&["size_bytes", "now", "count"], "").unwrap();
    assert_eq!(load(&binding, &Packet::of_bytes(&[1, 2, 3]), 3).unwrap(), [3, 0, 0]);
}

#[test]
fn a_file_binds_fields_and_states_a_condition() {
    let toml = r#"
        applies = "udp.dport == 53 && ip.src == 10.0.0.1 && ip.ecn & 0x1 != 0"
        [fields]
        rdata = "payload[2:4]"
        ttl = "payload[6:1]"
        server = "ether.src"
        id = "vlan.id"
        four = -4
    "#;
    let binding = resolve(&["rdata", "ttl", "server", "id", "four"], toml).unwrap();
    let values = |packet: &Packet| load(&binding, packet, 5);
    let dns = packet(4, protocol::UDP, true, &[0, 0, 1, 2, 3, 4, 9]);
    assert_eq!(values(&dns).unwrap(), [0x0102_0304, 9, 2, 7, 0xFFFF_FFFC]);
    assert_eq!(values(&packet(4, protocol::UDP, true, &[0; 6])), None, "one byte of the payload is missing");
    assert_eq!(values(&packet(4, protocol::UDP, false, &[0; 7])), None, "no VLAN tag");
    assert_eq!(values(&packet(4, protocol::TCP, true, &[0; 7])), None, "not UDP");
    assert_eq!(values(&packet(6, protocol::UDP, true, &[0; 7])), None, "from another source");
}

#[test]
fn padding_and_truncated_bytes_are_not_payload() {
    let binding = resolve(&["x"], "fields.x = \"payload[0:4]\"").unwrap();
    let whole = packet(4, protocol::UDP, false, &[1, 2, 3]);
    let mut padded = Packet::of_bytes(&[whole.head.bytes(), &[0xEE; 20]].concat());
    assert_eq!(load(&binding, &padded, 1), None);
    padded.tail = Tail::Length(100);
    assert_eq!(load(&binding, &padded, 1), None);
    assert_eq!(load(&binding, &packet(4, protocol::UDP, false, &[1, 2, 3, 4]), 1).unwrap(), [0x0102_0304]);
}

#[test]
fn only_results_change_a_packet() {
    let toml = "[results]\nnext_hop = \"port\"\nbad = \"drop\"\nmark = \"ecn\"\n";
    let binding = resolve(&["sport", "next_hop", "bad", "mark"], toml).unwrap();
    let mut changed = packet(4, protocol::UDP, false, b"");
    let departure = binding.store(&[9999, 12, 0, 3], &mut changed);
    assert_eq!(departure, Departure { port: Some(12), drop: false });
    let mut expected = packet(4, protocol::UDP, false, b"");
    let mut ip = Ipv4::new(&mut expected.head.bytes_mut()[14..]).unwrap();
    ip.set_traffic_class(10 << 2 | 3);
    ip.fill_checksum();
    assert_eq!(changed, expected, "sport has no result, so the packet keeps its own");
    assert!(binding.store(&[0, 0, u64::from(u32::MAX), 0], &mut changed).drop);
    let bound = binding.describe();
    assert_eq!((bound[0].source.as_deref(), bound[0].result.as_deref()), (Some("transport.sport"), None));
    assert_eq!((bound[3].source.as_deref(), bound[3].result.as_deref()), (None, Some("ip.ecn")));
    assert!(load(&binding, &packet(4, protocol::UDP, false, b""), 4).is_some());
    let no_ip = resolve(&["mark"], "[results]\nmark = \"ecn\"\n").unwrap();
    assert_eq!(load(&no_ip, &Packet::of_bytes(&[0; 60]), 1), None, "there is no IP header to mark");
}

#[test]
fn udp_checksums_keep_both_forms_of_zero() {
    let binding = resolve(&["x"], "results.x = \"udp.dport\"").unwrap();
    let mut without = packet(4, protocol::UDP, false, b"");
    without.head.bytes_mut()[40..42].copy_from_slice(&[0, 0]);
    binding.store(&[99], &mut without);
    assert_eq!(Udp::new(&without.head.bytes()[34..]).unwrap().checksum(), 0, "an absent checksum stays absent");
    // This port makes the checksum come out as zero: the old port plus the old checksum.
    let mut with = packet(4, protocol::UDP, false, b"");
    let sum = Udp::new(&with.head.bytes()[34..]).unwrap().checksum();
    let mut wanted = checksum::Sum::default();
    wanted.add_word(53);
    wanted.add_word(sum);
    binding.store(&[u64::from(wanted.folded())], &mut with);
    assert_eq!(Udp::new(&with.head.bytes()[34..]).unwrap().checksum(), 0xFFFF);
    assert!(checksums_are_right(&with));
}

/// Returns a packet of which so many bytes are in its head, as an interface receives it.
fn with_head(packet: &Packet, length: usize) -> Packet {
    let bytes = packet.head.bytes();
    let (head, tail) = bytes.split_at(length.min(bytes.len()));
    Packet::new(head, Tail::Bytes(tail.into()), packet.sidecar)
}

/// A program that read its packets' heads alone would take a packet with long headers, or a payload behind them, for one that lacks them.
#[test]
fn what_lies_behind_the_head_is_read_and_written() {
    let payload: Vec<u8> = (0..200).collect();
    let toml = "[fields]\nkey = \"payload[150:4]\"\n[results]\nkey = \"payload[150:4]\"\nsource = \"ipv4.src\"\n";
    let binding = resolve(&["key", "source"], toml).unwrap();
    let whole = packet(4, protocol::UDP, false, &payload);
    let mut expected = whole.clone();
    binding.store(&[7, 0x0A09_0807], &mut expected);
    assert!(checksums_are_right(&expected));
    for length in 0..whole.head.len() {
        let mut split = with_head(&whole, length);
        assert_eq!(load(&binding, &split, 2).unwrap(), [0x9697_9899, 0x0A00_0001], "{length}");
        assert_eq!(split, with_head(&whole, length), "reading changes nothing");
        binding.store(&[7, 0x0A09_0807], &mut split);
        let mut bytes = Vec::new();
        split.append_to(&mut bytes);
        assert_eq!(bytes, expected.head.bytes(), "{length}");
    }
    assert_eq!(load(&binding, &packet(4, protocol::UDP, false, &payload[..153]), 2), None, "a byte is missing");
}

#[test]
fn records_hold_one_word_per_field() {
    let toml = "applies = \"tcp\"\n[results]\nhop = \"port\"\nmark = \"ecn\"";
    let binding = resolve(&["sport", "hop", "mark"], toml).unwrap().for_records();
    let mut record = Packet::of_bytes(&[0, 0, 0, 7, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 1, 0xAA]);
    assert_eq!(load(&binding, &record, 3).unwrap(), [7, 0xFFFF_FFFF, 1]);
    assert_eq!(binding.store(&[8, 2, 0], &mut record), Departure { port: Some(2), drop: false });
    assert_eq!(record.head.bytes(), [0, 0, 0, 8, 0, 0, 0, 2, 0, 0, 0, 0, 0xAA]);
    assert_eq!(load(&binding, &Packet::of_bytes(&[0; 11]), 3), None, "a word is missing");
}

#[test]
fn errors_in_a_file_are_reported_with_their_location() {
    let toml = r#"applies = "udp.dprt == 53 && tcp.flags & two != 0 && what"
color = "red"
[fields]
sprt = "udp.sport"
dport = "udp[0:9]"
sport = 5_000_000_000
[results]
next_hop = "ip.src"
sport = "port"
dport = "port"
id = "ipv4[10:2]"
size = 3
"#;
    let text = resolve(&["sport", "dport", "next_hop", "id", "size"], toml).unwrap_err();
    let expected = [
        ("program.toml:1:12", "`udp.dprt` is not a part of a packet", "did you mean `udp.dport`?"),
        ("program.toml:1:30", "`two` is not a number", "numbers are decimal"),
        ("program.toml:1:54", "`what` is not a test", "a test is a layer"),
        ("program.toml:2:1", "unknown entry `color`", "a binding file has `applies`"),
        ("program.toml:4:1", "the program has no field `sprt`", "did you mean `sport`?"),
        ("program.toml:5:9", "`udp[0:9]` cannot be read", "a part is 1 to 8 bytes long"),
        ("program.toml:6:9", "this number does not fit the field's 32 bits", "give a number that fits"),
        ("program.toml:8:12", "`ip.src` cannot be written", "write `ipv4.src`"),
        ("program.toml:10:1", "two fields are bound to `port` on the way out", "leave one of them out"),
        (
            "program.toml:11:6",
            "`ipv4[10:2]` holds a checksum and cannot be written",
            "checksums are updated automatically",
        ),
        ("program.toml:12:8", "a result must be a string", "a result is \"port\""),
    ];
    let findings: Vec<&str> = text.split("\n\n").filter(|finding| !finding.trim().is_empty()).collect();
    assert_eq!(findings.len(), expected.len(), "{text}");
    for (finding, (place, message, hint)) in findings.iter().zip(expected) {
        assert!([place, message, hint].iter().all(|part| finding.contains(part)), "{place}: {finding}");
    }
}

#[test]
fn syntax_errors_are_reported_too() {
    let text = resolve(&["x"], "[fields\nx = \n").unwrap_err();
    assert!(text.contains("program.toml:1:") && text.contains("program.toml:2:"), "{text}");
}

const WRITABLE: [&str; 17] = [
    "dscp",
    "ecn",
    "ttl",
    "ip.tos",
    "ipv4.src",
    "ipv4.dst",
    "ipv4.id",
    "ipv4[13:2]",
    "ipv6[7:3]",
    "ipv6[23:2]",
    "ipv6.flow_label",
    "tcp.window",
    "tcp[13:3]",
    "udp.sport",
    "icmp.id",
    "payload[1:3]",
    "payload[0:8]",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn written_values_read_back_and_checksums_stay_correct(
        target in prop::sample::select(&WRITABLE[..]),
        version in prop::sample::select(vec![4u8, 6]),
        number in prop::sample::select(vec![protocol::TCP, protocol::UDP, protocol::ICMP]),
        tagged in any::<bool>(),
        value in any::<u64>(),
        payload in proptest::collection::vec(any::<u8>(), 0..12),
    ) {
        let number = if version == 6 && number == protocol::ICMP { protocol::ICMPV6 } else { number };
        let path = match target { "dscp" => "ip.dscp", "ecn" => "ip.ecn", "ttl" => "ip.ttl", other => other };
        let shapes = [FieldShape { name: "x", width: 64 }];
        let mut sources = Sources::new();
        let id = sources.add("x.toml", format!("fields.x = \"{path}\"\nresults.x = \"{target}\"\n"));
        let binding = Binding::resolve(&shapes, Some((&sources, id))).unwrap();
        let before = packet(version, number, tagged, &payload);
        prop_assert!(checksums_are_right(&before));
        let mut values = [0];
        if binding.load(&before, 0, &mut values) {
            let mut after = before.clone();
            binding.store(&values, &mut after);
            prop_assert_eq!(&before, &after, "writing the old value changes nothing");
            binding.store(&[value], &mut after);
            prop_assert!(checksums_are_right(&after));
            let written = values[0];
            prop_assert!(binding.load(&after, 0, &mut values));
            // Writing all ones shows which bits the field has; these bits, and only these, must hold the value now.
            let mut ones = before.clone();
            binding.store(&[u64::MAX], &mut ones);
            let mut mask = [0];
            binding.load(&ones, 0, &mut mask);
            prop_assert!(written <= mask[0]);
            prop_assert_eq!(values[0], value & mask[0]);
            // Writing the old value restores every byte.
            binding.store(&[written], &mut after);
            prop_assert_eq!(before, after);
        } else {
            let mut after = before.clone();
            binding.store(&[value], &mut after);
            prop_assert_eq!(before, after, "nothing is written if the packet lacks the part");
        }
    }

    #[test]
    fn no_file_makes_the_reader_panic(
        text in prop_oneof![
            any::<String>(),
            "(applies|fields|results|\\[|\\]|\\.|x|y| = |\"|ip\\.src|udp\\[0:4\\]|payload\\[|:|port|drop|&&| & |==|[0-9]{1,22}|0x|-|\\{|\\}|,|\n|\\\\|'){0,40}",
        ],
    ) {
        let _ = resolve(&["x", "y"], &text);
    }
}

#[test]
fn writing_icmp_updates_its_checksum() {
    let binding = resolve(&["x"], "results.x = \"icmp.id\"").unwrap();
    let mut ping = packet(4, protocol::ICMP, false, b"ping");
    binding.store(&[0x1234], &mut ping);
    assert_eq!(Icmp::new(&ping.head.bytes()[34..]).unwrap().identifier(), 0x1234);
    assert!(checksums_are_right(&ping));
}

/// Found by review while fuzzing: results used to conflict only if they were spelled the same.
#[test]
fn results_that_write_common_bits_are_refused() {
    let pair =
        |first: &str, second: &str| resolve(&["a", "b"], &format!("[results]\na = \"{first}\"\nb = \"{second}\"\n"));
    for (first, second) in
        [("tcp.seq", "tcp[4:4]"), ("ip.ttl", "ipv4.ttl"), ("tcp[4:2]", "tcp[5:3]"), ("ttl", "ip.ttl")]
    {
        let text = pair(first, second).unwrap_err();
        assert!(text.contains("two fields are bound"), "{first} {second}: {text}");
    }
    for (first, second) in [("dscp", "ecn"), ("tcp[4:2]", "tcp[6:2]"), ("ipv4[8:1]", "ipv6[8:1]"), ("port", "drop")] {
        assert!(pair(first, second).is_ok(), "{first} {second}");
    }
}
