//! Generated flows to the world outside, from an address of a pool.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use vswitch::configuration::{Nat, Route, RouteTarget};
use wire::tcp::flag::{ACK, SYN};

use crate::frames::{echo, tcp, udp};
use crate::kernel::has_nftables;
use crate::namespace::within;
use crate::rules::chains;
use crate::site::{Guest, address, prefix};
use crate::{Pair, host, stranger};

/// The addresses of the pool, and those of a server in the world.
const POOL: [&str; 2] = ["198.51.100.1", "2001:db8:100::1"];
const SERVER: [&str; 2] = ["203.0.113.9", "2001:db8::9"];
/// What is done with what leaves: the guest's own port is kept where it is free.
pub const TRANSLATE: &str = "oifname \"world\" meta l4proto { tcp, udp } snat ip to 198.51.100.1:1024-65535\n\
    oifname \"world\" ip protocol icmp snat ip to 198.51.100.1\n\
    oifname \"world\" meta l4proto { tcp, udp } snat ip6 to [2001:db8:100::1]:1024-65535\n\
    oifname \"world\" ip6 nexthdr icmpv6 snat ip6 to 2001:db8:100::1";

/// A packet, and whether it is one of a guest or an answer from the world, perhaps to nobody.
#[derive(Clone, Debug)]
struct Sent {
    guest: usize,
    kind: u8,
    /// The guest's port, of which each guest has others: then nothing is chosen.
    port: u16,
    is_answer: bool,
    is_ipv6: bool,
}

fn sent() -> impl Strategy<Value = Sent> {
    (0..2usize, 0..3u8, 0..2u16, any::<bool>(), any::<bool>()).prop_map(|(guest, kind, port, is_answer, is_ipv6)| {
        Sent { guest, kind, port: 2000 + 2 * port + guest as u16, is_answer, is_ipv6 }
    })
}

fn frame(guests: &[Guest; 2], sent: &Sent) -> wire::Packet {
    let Sent { guest, kind, port, is_answer, is_ipv6 } = *sent;
    let world = stranger();
    let (from, to, ports) = if is_answer {
        (&world, POOL[usize::from(is_ipv6)], [53, port])
    } else {
        (&guests[guest], SERVER[usize::from(is_ipv6)], [port, 53])
    };
    match kind {
        0 => udp(from, to, ports, b"data"),
        1 => tcp(from, to, ports, if is_answer { SYN | ACK } else { SYN }, if is_answer { [7, 2] } else { [1, 0] }),
        _ => echo(from, to, !is_answer, port),
    }
}

#[test]
fn generated_flows_are_translated_as_nftables_translates_them() {
    within("translation::generated_flows_are_translated_as_nftables_translates_them", || {
        if !has_nftables() {
            return;
        }
        let mut own = host();
        own.nats =
            vec![Nat { name: "world".to_owned(), addresses: POOL.map(address).to_vec(), ports: 1024..=u16::MAX }];
        let route = |text| Route { prefix: prefix(text), target: RouteTarget::Nat(0), mtu: None };
        own.vpcs[0].routes.extend(["0.0.0.0/0", "::/0"].map(route));
        let pair = std::cell::RefCell::new(Pair::new(own.clone()));
        let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(40) });
        let back = std::cell::Cell::new(0);
        let result = runner.run(&prop::collection::vec(sent(), 20..60), |packets| {
            let mut pair = pair.borrow_mut();
            pair.restart(own.clone(), &chains([None, None]), TRANSLATE);
            let guests = pair.guests.clone();
            for sent in &packets {
                let side = if sent.is_answer { 2 } else { sent.guest };
                let [switch, kernel] = pair.sends(side, &frame(&guests, sent));
                back.set(back.get() + usize::from(sent.is_answer && !switch.is_empty()));
                prop_assert_eq!(switch, kernel, "{:?}", sent);
            }
            Ok(())
        });
        result.unwrap_or_else(|failure| panic!("{failure}"));
        assert!(back.get() > 20, "answers come back: {}", back.get());
    });
}
