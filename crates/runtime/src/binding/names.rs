//! The usual names of fields, and the parts of packets to which they are bound by default.

use super::path;
use super::source::Source;

/// The usual names of fields for each part of a packet. A name is in this table only if authors hardly use it for
/// anything else, because a bound field makes the program require a header. So the table does not contain `id`, which
/// is often a table index, or `flow`, `seq` and `flags`, which are results as often as headers; such names are bound by
/// the binding file.
const NAMES: &[(&str, &[&str])] = &[
    ("transport.sport", &["sport", "srcport", "src_port", "source_port", "l4_sport", "tcp_sport", "udp_sport"]),
    ("transport.dport", &["dport", "dstport", "dst_port", "destination_port", "l4_dport", "tcp_dport", "udp_dport"]),
    ("ip.src", &["src", "srcip", "src_ip", "ip_src", "saddr", "src_addr", "source", "source_ip", "sip"]),
    ("ip.dst", &["dst", "dstip", "dst_ip", "ip_dst", "daddr", "dst_addr", "destination", "destination_ip", "dip"]),
    ("ip.protocol", &["proto", "protocol", "ip_proto", "ip_protocol"]),
    ("packet.length", &["length", "len", "bytes", "size", "size_bytes", "pkt_len", "packet_length", "packet_size"]),
    ("packet.arrival", &["arrival", "arrival_time", "time", "now", "cur_time", "current_time", "timestamp"]),
    ("packet.port", &["port", "in_port", "inport", "ingress_port", "input_port"]),
    ("ip.ttl", &["ttl", "ip_ttl", "hop_limit"]),
    ("ip.dscp", &["dscp", "ip_dscp"]),
    ("ip.ecn", &["ecn", "ip_ecn"]),
    ("ip.tos", &["tos", "ip_tos"]),
    ("ipv4.id", &["ip_id", "ipid"]),
    ("tcp.seq", &["tcp_seq", "seqno", "tcp_seqno"]),
    ("tcp.ack", &["tcp_ack", "ackno", "tcp_ackno"]),
    ("tcp.flags", &["tcp_flags"]),
    ("tcp.window", &["tcp_window"]),
    ("vlan.id", &["vlan", "vlan_id", "vid"]),
    ("ether.type", &["ethertype", "ether_type", "eth_type"]),
];

/// Returns the part of a packet to which a field of this name is bound unless a binding file says otherwise; `None` is
/// 0 on arrival.
pub fn default_source(name: &str) -> Option<Source> {
    let (path, _) = NAMES.iter().find(|(_, names)| names.contains(&name))?;
    path::parse(path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_exists_and_names_are_unique() {
        let mut all: Vec<&str> = NAMES.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        assert!(NAMES.iter().all(|(path, _)| path::parse(path).is_ok()));
        all.sort_unstable();
        assert!(all.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
