//! The kernel as a router with nftables, between the same guests as the switch.

use std::collections::VecDeque;
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use live::{Interface, Options};
use node::Burst;
use wire::Packet;

use crate::frames::{GATEWAY, udp};
use crate::namespace::{ip, set};
use crate::site::Guest;

/// The port of datagrams that say that everything before them has come through.
const MARK: u16 = 65_001;
/// The Ethernet address of the kernel on its way to the world, and that of its next hop there.
const OWN: &str = "02:00:00:01:00:00";
const NEXT_HOP: &str = "02:00:00:01:00:01";
/// The time after which a mark is considered lost.
const LONGEST: Duration = Duration::from_secs(10);

/// A router between guest 1 (side 0), guest 2 (side 1) and the world outside (side 2), whose packets come and go by the other
/// ends of its interfaces.
pub struct Kernel {
    ends: Vec<Box<dyn Interface>>,
    guests: [Guest; 2],
    /// The number of the zone of connection tracking, which is another one for every set of rules: so they begin without
    /// connections.
    zone: u16,
}

/// Returns true if nftables can be asked for, and says so if not.
pub fn has_nftables() -> bool {
    let answer = Command::new("nft").args(["list", "ruleset"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let is_there = answer.is_ok_and(|status| status.success());
    if !is_there {
        eprintln!("SKIPPED: there is no command nft (nftables) that works; nothing was held against the kernel");
    }
    is_there
}

impl Kernel {
    pub fn new(guests: [Guest; 2]) -> Self {
        let gateway = GATEWAY.map(|byte| format!("{byte:02x}")).join(":");
        for (side, mac) in [("one", gateway.as_str()), ("two", gateway.as_str()), ("world", OWN)] {
            ip(&format!("link add {side} address {mac} type veth peer name {side}-end"));
            set(&format!("ipv6/conf/{side}-end/disable_ipv6"), "1");
            for end in [side.to_owned(), format!("{side}-end")] {
                ip(&format!("link set {end} up"));
                set(&format!("ipv4/conf/{end}/rp_filter"), "0");
            }
        }
        for (guest, side) in guests.iter().zip(["one", "two"]) {
            let mac = guest.mac.map(|byte| format!("{byte:02x}")).join(":");
            for address in &guest.addresses {
                let own = match address {
                    IpAddr::V4(address) => {
                        let gateway = Ipv4Addr::from_bits(address.to_bits() & 0xFFFF_FF00 | 254);
                        format!("address add {gateway}/24 dev {side}")
                    }
                    IpAddr::V6(address) => {
                        let gateway = Ipv6Addr::from_bits(address.to_bits() >> 64 << 64 | 0xFE);
                        format!("-6 address add {gateway}/64 dev {side} nodad")
                    }
                };
                ip(&own);
                ip(&format!("neighbor add {address} lladdr {mac} dev {side} nud permanent"));
            }
        }
        ip("address add 192.0.2.1/24 dev world");
        ip(&format!("neighbor add 192.0.2.254 lladdr {NEXT_HOP} dev world nud permanent"));
        ip("route add default via 192.0.2.254");
        ip(&format!("-6 neighbor add fe80::1 lladdr {NEXT_HOP} dev world nud permanent"));
        ip("-6 route add default via fe80::1 dev world");
        set("ipv4/ip_forward", "1");
        set("ipv6/conf/all/forwarding", "1");
        set("ipv4/conf/all/rp_filter", "0");
        let open = |side| live::open(&format!("packet:{side}-end"), &Options::default()).expect("it was made");
        Self { ends: ["one", "two", "world"].map(open).into(), guests, zone: 0 }
    }

    /// Puts rules into the place of the present ones, and forgets all connections. `filter` are the chains of a table of the
    /// family inet, without that of marks; `translate` is that of postrouting.
    pub fn rules(&mut self, filter: &str, translate: &str) {
        self.zone += 1;
        let zone = self.zone;
        let text = format!(
            "flush ruleset\ntable inet test {{\n\
             chain before {{ type filter hook prerouting priority -300; udp dport {MARK} notrack accept; ct zone set {zone}; }}\n\
             chain sieve {{ type filter hook forward priority 0; policy drop;\n\
             udp dport {MARK} accept\nct state invalid drop\nct state established,related accept\n\
             iifname \"one\" goto out0\niifname \"two\" goto out1\n}}\n{filter}\n\
             chain behind {{ type nat hook postrouting priority 100;\n{translate}\n}}\n}}\n"
        );
        let mut nft =
            Command::new("nft").args(["-f", "-"]).stdin(Stdio::piped()).spawn().expect("nft was found before");
        nft.stdin.take().expect("it is piped").write_all(text.as_bytes()).expect("nft reads");
        assert!(nft.wait().expect("nft ends").success(), "{text}");
    }

    /// Sends a frame from a side, and returns what comes out, each with its side.
    pub fn send(&mut self, side: usize, mut packet: Packet) -> Vec<(usize, Packet)> {
        let to = if side == 1 { 0 } else { 1 };
        let mut mark = udp(&self.guests[1 - to], &self.guests[to].addresses[0].to_string(), [1, MARK], b"");
        if side == 2 {
            let own = [2, 0, 0, 1, 0, 0];
            for packet in [&mut packet, &mut mark] {
                packet.head.bytes_mut()[..6].copy_from_slice(&own);
            }
        }
        let mut waiting = VecDeque::from([packet, mark]);
        self.ends[side].send(&mut waiting, &mut Burst::new(), &mut Vec::new()).expect("the interface is there");
        assert!(waiting.is_empty(), "there is room for two frames");
        let (mut came, started) = (Vec::new(), Instant::now());
        loop {
            let mut is_marked = false;
            for (side, end) in self.ends.iter_mut().enumerate() {
                let mut burst = Burst::new();
                end.receive(64, &mut burst, &mut Vec::new()).expect("the interface is there");
                for packet in burst {
                    let flow = wire::FiveTuple::of(&packet);
                    let is_mark = flow.is_some_and(|flow| flow.ports.is_some_and(|ports| ports.1 == MARK));
                    is_marked |= is_mark;
                    // The kernel says things of its own: about neighbours and groups.
                    let is_own = flow.is_none_or(|flow| flow.destination.is_multicast());
                    if !is_mark && !is_own {
                        came.push((side, packet));
                    }
                }
            }
            if is_marked {
                return came;
            }
            assert!(started.elapsed() < LONGEST, "the mark does not come through");
            std::thread::sleep(Duration::from_micros(50));
        }
    }
}
