//! Configurations that say what cannot be, one mistake each: one message, at its place.

use super::{GUESTS, good, mistakes};

/// A configuration with everything that the mistakes below are about.
fn site() -> String {
    GUESTS.to_owned()
        + r#"
[underlay]
interface = "eth1"
mac = "02:00:00:00:01:01"
addresses = ["192.0.2.1", "2001:db8::1"]
mtu = 1600
[[nat]]
name = "world"
addresses = ["198.51.100.1"]
[[load_balancer]]
name = "web"
vpc = "red"
address = "10.0.1.100"
port = 80
[[load_balancer.back_end]]
address = "10.0.1.2"
"#
}

/// Checks that a configuration with some texts in the place of others has one mistake.
#[track_caller]
fn is_refused(replaced: &[(&str, &str)], message: &str) {
    let mut text = site();
    for (before, after) in replaced {
        assert!(text.contains(before), "{before}");
        text = text.replacen(before, after, 1);
    }
    let found = mistakes(&text);
    assert!(found.len() == 1 && found[0].ends_with(&format!(": {message}")), "{message}: {found:?}");
}

/// Checks that a configuration with a further section has one mistake, in the line of that section with this number.
#[track_caller]
fn is_refused_at(section: &str, line: usize, message: &str) {
    let found = mistakes(&format!("{}{section}", site()));
    let line = site().lines().count() + line;
    assert_eq!(found, [format!("{line}: {message}")]);
}

/// The end of the section of the VPC in [`GUESTS`], where further subnets and routes have their places.
const END_OF_VPC: &str = "gateway = \"10.0.1.254\"\n";

#[track_caller]
fn vpc_is_refused(entries: &str, message: &str) {
    is_refused(&[(END_OF_VPC, &format!("{END_OF_VPC}{entries}"))], message);
}

#[test]
fn the_site_itself_is_accepted() {
    good(&site());
}

#[test]
fn subnets_have_no_address_in_common() {
    let subnet =
        |prefix: &str, gateway: &str| format!("[[vpc.subnet]]\nprefix = \"{prefix}\"\ngateway = \"{gateway}\"\n");
    vpc_is_refused(&subnet("10.0.1.0/24", "10.0.1.253"), "a second subnet 10.0.1.0/24");
    vpc_is_refused(
        &subnet("10.0.0.0/16", "10.0.2.1"),
        "the subnet 10.0.0.0/16 has addresses of the subnet 10.0.1.0/24",
    );
    vpc_is_refused(
        &subnet("10.0.1.128/25", "10.0.1.200"),
        "the subnet 10.0.1.128/25 has addresses of the subnet 10.0.1.0/24",
    );
    // IPv4 and IPv6 have nothing in common.
    good(&site().replace(END_OF_VPC, &format!("{END_OF_VPC}{}", subnet("fd00::/64", "fd00::"))));
}

#[test]
fn gateways_and_guests_have_addresses_of_hosts() {
    is_refused(&[(END_OF_VPC, "gateway = \"10.0.1.0\"\n")], "10.0.1.0 is the address of the network of 10.0.1.0/24");
    is_refused(&[(END_OF_VPC, "gateway = \"10.0.1.255\"\n")], "10.0.1.255 is the broadcast address of 10.0.1.0/24");
    let addresses = "addresses = [\"10.0.1.1\"]";
    let with = |other: &str| addresses.replace("10.0.1.1", other);
    is_refused(&[(addresses, &with("10.0.1.255"))], "10.0.1.255 is the broadcast address of 10.0.1.0/24");
    let ipv6 = format!("{END_OF_VPC}[[vpc.subnet]]\nprefix = \"fd00::/64\"\ngateway = \"fd00::fe\"\n");
    is_refused(
        &[(END_OF_VPC, &ipv6), (addresses, &with("fd00::"))],
        "fd00:: is the subnet-router anycast address of fd00::/64",
    );
    // Links of two addresses (RFC 3021).
    let pair = "[[vpc.subnet]]\nprefix = \"10.0.2.0/31\"\ngateway = \"10.0.2.0\"\n";
    good(&site().replace(END_OF_VPC, &format!("{END_OF_VPC}{pair}")).replace(addresses, &with("10.0.2.1")));
}

#[test]
fn vnics_have_addresses_each_once() {
    is_refused(&[("addresses = [\"10.0.1.1\"]", "addresses = []")], "the vNIC has no address");
    let twice = "addresses = [\"10.0.1.1\", \"10.0.1.1\"]";
    is_refused(&[("addresses = [\"10.0.1.1\"]", twice)], "10.0.1.1 is there twice");
    is_refused(&[("addresses = [\"192.0.2.1\", \"2001:db8::1\"]", "addresses = []")], "the underlay has no address");
}

#[test]
fn pools_have_addresses_of_their_own() {
    let pool = "addresses = [\"198.51.100.1\"]";
    let with = |other: &str| pool.replace("198.51.100.1", other);
    is_refused(&[(pool, "addresses = []")], "the pool has no address");
    is_refused(&[(pool, &with("10.0.1.1"))], "10.0.1.1 is the address of the vNIC `one`");
    is_refused(&[(pool, &with("10.0.1.254"))], "10.0.1.254 is the address of a gateway");
    is_refused(&[(pool, &with("10.0.1.100"))], "10.0.1.100 is the address of the load balancer `web`");
    let route = format!("{END_OF_VPC}[[vpc.route]]\nprefix = \"10.0.9.0/24\"\nendpoint = \"192.0.2.2\"\n");
    let message = "192.0.2.2 is the address of another host of the underlay";
    is_refused(&[(END_OF_VPC, &route), (pool, &with("192.0.2.2"))], message);
    let mac = "mac = \"02:00:00:00:01:01\"\n";
    is_refused(&[(mac, &format!("{mac}next_hop = \"192.0.2.2\"\n")), (pool, &with("192.0.2.2"))], message);
    vpc_is_refused("[[vpc.route]]\nprefix = \"::/0\"\nnat = \"world\"\n", "the pool `world` has no address of IPv6");
}

#[test]
fn back_ends_are_hosts() {
    let back_end = "[[load_balancer.back_end]]\naddress = \"10.0.1.2\"";
    let with = |other: &str| back_end.replace("10.0.1.2", other);
    is_refused(&[(back_end, &with("10.0.1.100"))], "10.0.1.100 is the address of the load balancer `web`");
    is_refused(&[(back_end, &with("10.0.1.254"))], "10.0.1.254 is the address of a gateway");
    // It may be a guest of another host.
    good(&site().replace(back_end, &with("10.0.1.7")));
}

#[test]
fn ways_of_ipv6_carry_1280_bytes() {
    let ipv6 = format!("{END_OF_VPC}[[vpc.subnet]]\nprefix = \"fd00::/64\"\ngateway = \"fd00::fe\"\n");
    let vnic = "addresses = [\"10.0.1.1\"]";
    let short = "addresses = [\"fd00::1\"]\nmtu = 1279";
    is_refused(&[(END_OF_VPC, &ipv6), (vnic, short)], "a vNIC with an address of IPv6 takes packets of 1279 bytes");
    let route = |prefix: &str, more: &str| {
        format!("{END_OF_VPC}[[vpc.route]]\nprefix = \"{prefix}\"\nendpoint = \"192.0.2.2\"\n{more}")
    };
    let message = "a route of IPv6 that carries packets of 1279 bytes";
    is_refused(&[(END_OF_VPC, &route("fd09::/64", "mtu = 1279\n"))], message);
    // 20 bytes of IPv4, 8 of UDP, 8 of VXLAN, and 14 of Ethernet.
    let message = "the tunnel to 192.0.2.2 carries packets of 1279 bytes, and IPv6 needs 1280";
    is_refused(&[(END_OF_VPC, &route("fd09::/64", "")), ("mtu = 1600", "mtu = 1329")], message);
    good(&site().replace(END_OF_VPC, &route("fd09::/64", "")).replace("mtu = 1600", "mtu = 1330"));
    good(&site().replace(END_OF_VPC, &route("10.0.9.0/24", "mtu = 600\n")).replace("mtu = 1600", "mtu = 1280"));
}

#[test]
fn flow_logs_have_fields_each_once_and_files_each_of_one_vnic() {
    is_refused_at("[flow_log]\nfields = []\n", 2, "records without fields");
    is_refused_at("[flow_log]\nfields = [\"srcaddr\", \"srcaddr\"]\n", 2, "the field `srcaddr` is there twice");
    is_refused(
        &[
            ("name = \"one\"", "name = \"a/b\""),
            ("name = \"two\"", "name = \"a_b\""),
            ("[[nat]]", "[flow_log]\n[[nat]]"),
        ],
        "in flow logs, the vNICs `a/b` and `a_b` are both called `a_b`",
    );
    let other = site().replace("name = \"one\"", "name = \"a/b\"").replace("name = \"two\"", "name = \"a_b\"");
    good(&other);
    good(&(other + "[flow_log]\nvnics = [\"a/b\"]\n"));
}

#[test]
fn numbers_have_no_signs() {
    is_refused(&[("02:00:00:00:00:01", "+2:00:00:00:00:01")], "`+2:00:00:00:00:01` is not an Ethernet address");
    is_refused(&[("10.0.1.0/24", "10.0.1.0/+24")], "`10.0.1.0/+24` is not a prefix");
    let rule = |entry: &str| {
        let protocol = if entry.starts_with("ports") { "protocol = \"tcp\"\n" } else { "" };
        format!("[[security_group]]\nname = \"g\"\n[[security_group.rule]]\ndirection = \"in\"\n{protocol}{entry}\n")
    };
    is_refused_at(&rule("ports = \"+80\""), 6, "invalid value for `ports`");
    is_refused_at(&rule("protocol = \"+6\""), 5, "invalid value for `protocol`");
}

#[test]
fn next_hops_are_others() {
    let mac = "mac = \"02:00:00:00:01:01\"\n";
    is_refused(&[(mac, &format!("{mac}next_hop = \"02:00:00:00:01:01\"\n"))], "the next hop is this switch itself");
    let message = "`router` is neither an IP address nor an Ethernet address";
    is_refused(&[(mac, &format!("{mac}next_hop = \"router\"\n"))], message);
}

#[test]
fn routes_have_an_effect_and_what_belongs_to_them() {
    let route = |prefix: &str, entries: &str| format!("[[vpc.route]]\nprefix = \"{prefix}\"\n{entries}\n");
    let endpoint = "endpoint = \"192.0.2.2\"";
    for (address, owner) in
        [("10.0.1.254", "a gateway"), ("10.0.1.1", "the vNIC `one`"), ("10.0.1.100", "the load balancer `web`")]
    {
        let message = format!("no packet takes the route to {address}, which is the address of {owner}");
        vpc_is_refused(&route(&format!("{address}/32"), endpoint), &message);
    }
    // This is how a switch knows where the other guests of a subnet are.
    good(&site().replace(END_OF_VPC, &format!("{END_OF_VPC}{}", route("10.0.1.7/32", endpoint))));
    vpc_is_refused(&route("224.0.0.0/4", endpoint), "224.0.0.0/4 has addresses of groups alone");
    vpc_is_refused(&route("ff02::/16", endpoint), "ff02::/16 has addresses of groups alone");
    let mac = "mac = \"02:00:00:00:09:01\"";
    let message = "`mac` of a route without `endpoint`";
    vpc_is_refused(&route("0.0.0.0/0", &format!("nat = \"world\"\n{mac}")), message);
    vpc_is_refused(&route("10.0.9.0/24", &format!("blackhole = true\n{mac}")), message);
    vpc_is_refused(&route("10.0.9.0/24", "blackhole = true\nmtu = 1400"), "`mtu` of a route that leads nowhere");
    good(&site().replace(END_OF_VPC, &format!("{END_OF_VPC}{}", route("0.0.0.0/0", "nat = \"world\"\nmtu = 1400"))));
}

#[test]
fn the_name_of_a_switch_is_that_of_a_file() {
    for name in ["../x", "", ".", "..", "a/b", "a\\u0007b"] {
        let found = mistakes(&format!("name = \"{name}\"\n{}", site()));
        assert!(found.len() == 1 && found[0].contains("cannot be the name of a switch"), "{name}: {found:?}");
    }
    good(&format!("name = \"host a.1\"\n{}", site()));
}

#[test]
fn bursts_have_room_for_a_frame() {
    let limiter = |entries: &str| {
        format!("[[limiter]]\nname = \"slow\"\nvnic = \"one\"\ndirection = \"egress\"\nrate = \"10 Mb/s\"\n{entries}")
    };
    is_refused_at(
        &limiter("burst = \"1513 B\"\n"),
        6,
        "`burst` is 1513 bytes, and the frames of the vNIC `one` have up to 1514",
    );
    is_refused_at(
        &limiter("peak_rate = \"20 Mb/s\"\npeak_burst = \"10 B\"\n"),
        7,
        "`peak_burst` is 10 bytes, and the frames of the vNIC `one` have up to 1514",
    );
    // Two bursts of one rate are as large as each other, unless both are given.
    let rates = good(&(site() + &limiter("burst = \"20 kB\"\n"))).configuration.limiters[0].rates;
    assert_eq!((rates.committed_burst, rates.peak_burst), (20_000, 20_000));
    let rates =
        good(&(site() + &limiter("burst = \"20 kB\"\npeak_rate = \"20 Mb/s\"\n"))).configuration.limiters[0].rates;
    assert_eq!((rates.committed_burst, rates.peak_burst), (20_000, 250_000));
}
