//! Encrypted tunnels between two switches, and between a switch and the kernel's `vxlan` behind IPsec.

use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use crate::guest::{Guest, pings_from_here};
use crate::namespace::{ip, within};
use crate::{Started, cable, host, route, underlay};

const KEYS: [&str; 2] = ["000102030405060708090a0b0c0d0e0f10111213", "202122232425262728292a2b2c2d2e2f30313233"];

/// Writes the keys of one of two hosts, 1 or 2, and returns the section that names them.
fn secret(folder: &std::path::Path, own: usize, is_extended: bool) -> String {
    let other = 3 - own;
    let path = folder.join(format!("{own}.keys"));
    let key = |number: usize| {
        format!("index = {}\nkey = \"{}\"\nextended = {is_extended}\n", 4096 + number, KEYS[number - 1])
    };
    let text = format!("[out]\n{}[[in]]\npeer = \"192.0.2.{other}\"\n{}", key(own), key(other));
    std::fs::write(&path, text).expect("a file can be written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).expect("it is ours");
    format!("[[encryption]]\nvpc = \"red\"\nkeys = \"{}\"\n", path.display())
}

#[test]
fn guests_reach_each_other_through_an_encrypted_tunnel() {
    within("encrypted::guests_reach_each_other_through_an_encrypted_tunnel", || {
        cable();
        let folder = tempfile::tempdir().expect("a folder can be made");
        let [one, _three] = [1, 3].map(Guest::new);
        let text = |own: usize, guest: u8, routes: String| {
            host(&format!("host-{own}"), &[guest], &(underlay(own as u8) + &routes + &secret(folder.path(), own, true)))
        };
        let near = Started::new(&text(1, 1, route(3, 2)));
        let far_text = text(2, 3, route(1, 1));
        let far = Started::new(&far_text);
        for address in ["10.0.1.3", "fd00::3"] {
            assert!(one.pings(address), "{address}");
        }
        assert!(one.pings_with("10.0.1.3", &["-s", "4000"]), "in fragments");
        // One of the two is started again, and does not know where the other one is.
        far.end();
        let far = Started::new(&far_text);
        assert!(one.pings("10.0.1.3"));
        for totals in [near.end(), far.end()] {
            let foreign = totals.discarded.keys().filter(|reason| {
                [vswitch::reasons::UNVERIFIED, vswitch::reasons::REPLAYED, vswitch::reasons::UNKNOWN_KEY]
                    .contains(reason)
            });
            assert_eq!(foreign.count(), 0, "{totals:?}");
        }
    });
}

#[test]
fn the_kernels_vxlan_behind_ipsec_speaks_to_a_guest() {
    within("encrypted::the_kernels_vxlan_behind_ipsec_speaks_to_a_guest", || {
        cable();
        let folder = tempfile::tempdir().expect("a folder can be made");
        let one = Guest::new(1);
        ip("address add 192.0.2.2/24 dev underlay2");
        ip("neighbor add 192.0.2.1 lladdr 02:00:00:01:00:01 dev underlay2 nud permanent");
        for (number, source, destination) in [(1, "192.0.2.1", "192.0.2.2"), (2, "192.0.2.2", "192.0.2.1")] {
            let state = format!(
                "xfrm state add src {source} dst {destination} proto esp spi {} mode transport replay-window 32 aead rfc4106(gcm(aes)) 0x{} 128",
                4096 + number,
                KEYS[number - 1]
            );
            let added = Command::new("ip").args(state.split(' ')).stderr(Stdio::null()).status();
            if !added.is_ok_and(|status| status.success()) {
                eprintln!("SKIPPED: this kernel has no ESP with AES-GCM; encryption was not held against it");
                return;
            }
            let direction = if number == 1 { "in" } else { "out" };
            ip(&format!(
                "xfrm policy add src {source} dst {destination} proto udp dport 4789 dir {direction} tmpl proto esp mode transport"
            ));
        }
        ip(
            "link add kernel0 address 02:00:00:00:00:09 mtu 1400 type vxlan id 7001 local 192.0.2.2 remote 192.0.2.1 dstport 4789 dev underlay2",
        );
        ip("address add 10.0.1.9/24 dev kernel0");
        ip("link set kernel0 up");
        ip("neighbor add 10.0.1.1 lladdr 02:00:00:00:00:fe dev kernel0 nud permanent");
        let to_kernel = "[[vpc.route]]\nprefix = \"10.0.1.9\"\nendpoint = \"192.0.2.2\"\nmac = \"02:00:00:00:00:09\"\n";
        let switch = Started::new(&host("near", &[1], &(underlay(1) + to_kernel + &secret(folder.path(), 1, false))));
        assert!(one.pings("10.0.1.9"));
        assert!(pings_from_here("10.0.1.1"), "the kernel begins");
        let totals = switch.end();
        assert!(totals.vnics[0].1.received.packets >= 3, "{totals:?}");
        assert!(!totals.discarded.contains_key(&vswitch::reasons::UNVERIFIED), "{totals:?}");
    });
}
