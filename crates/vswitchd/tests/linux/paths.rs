//! Two paths of the underlay to the kernel, whose Ethernet addresses are resolved, and of which one goes down.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use vswitchd::{Answer, PathRow, Request};

use crate::guest::Guest;
use crate::namespace::{ip, set, within};
use crate::{Started, VPC, host};

/// Makes the path of a number, 1 or 2: from `pathN`, which is the switch's, over a bridge, on which the kernel is the router
/// 192.0.2.25N. The kernel prefers the first path to the switch.
fn make_path(number: u8) {
    ip(&format!("link add path{number} address 02:00:00:01:00:0{number} type veth peer name port{number}"));
    ip(&format!("link add bridge{number} address 02:00:00:02:00:0{number} type bridge"));
    ip(&format!("link set port{number} master bridge{number}"));
    for interface in ["path", "port", "bridge"] {
        ip(&format!("link set {interface}{number} mtu 1600 up"));
    }
    ip(&format!("address add 192.0.2.25{number}/32 dev bridge{number}"));
    add_route(number);
}

fn add_route(number: u8) {
    ip(&format!("route add 192.0.2.1 dev bridge{number} metric 1{number}"));
}

fn rows(switch: &Started) -> Vec<PathRow> {
    match switch.handle.ask(Request::Underlay {}) {
        Ok(Answer::Underlay(rows)) => rows,
        other => panic!("{other:?}"),
    }
}

/// Waits until the paths are alive or dead as expected.
fn wait_for(switch: &Started, expected: [bool; 2]) {
    let began = Instant::now();
    while rows(switch).iter().map(|row| row.alive).collect::<Vec<_>>() != expected {
        assert!(began.elapsed() < Duration::from_secs(20), "{expected:?}: {:?}", rows(switch));
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Begins to send 150 echo requests to the kernel, 20 ms apart.
fn begin_to_ping(guest: &Guest) -> Child {
    let mut command = guest.command("ping");
    command.args(["-c", "150", "-i", "0.02", "-W", "1", "10.0.1.9"]);
    command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("nsenter is there")
}

#[test]
fn flows_leave_a_path_to_the_kernel_that_goes_down_and_come_back() {
    within("paths::flows_leave_a_path_to_the_kernel_that_goes_down_and_come_back", || {
        set("ipv6/conf/default/disable_ipv6", "1");
        ip("link set lo up");
        ip("address add 192.0.2.2/32 dev lo");
        (1..=2).for_each(make_path);
        let one = Guest::new(1);
        // 10.0.1.9 is an address of this namespace, and its kernel would say so wherever somebody asks: the guest would send to
        // both, and have two answers.
        ip("link set guest1 arp off");
        ip(
            "link add kernel0 address 02:00:00:00:00:09 type vxlan id 7001 local 192.0.2.2 remote 192.0.2.1 dstport 4789",
        );
        ip("address add 10.0.1.9/24 dev kernel0");
        ip("link set kernel0 up");
        ip("neighbor add 10.0.1.1 lladdr 02:00:00:00:00:fe dev kernel0 nud permanent");
        let path = |number: u8| {
            format!(
                "[[underlay.path]]\ninterface = \"path{number}\"\nmac = \"02:00:00:01:00:0{number}\"\nnext_hop = \"192.0.2.25{number}\"\n"
            )
        };
        let underlay = format!(
            "[underlay]\naddresses = [\"192.0.2.1\"]\nmtu = 1600\nprobe_interval = \"50 ms\"\n{}{}{VPC}\
             [[vpc.route]]\nprefix = \"10.0.1.9\"\nendpoint = \"192.0.2.2\"\nmac = \"02:00:00:00:00:09\"\n",
            path(1),
            path(2)
        );
        let switch = Started::new(&host("near", &[1], &underlay));
        // Each ping is a flow of its own, so that both paths have some.
        let pings = |what: &str| (0..6).for_each(|number| assert!(one.pings("10.0.1.9"), "{what}, flow {number}"));
        wait_for(&switch, [true; 2]);
        pings("both paths");
        let resolved: Vec<Option<String>> = rows(&switch).into_iter().map(|row| row.mac).collect();
        assert_eq!(resolved, [1, 2].map(|number| Some(format!("02:00:00:02:00:0{number}"))));
        // The link of the switch's interface stays; the router behind the bridge is gone. Flows that were under way go on.
        let under_way: Vec<_> = (0..6).map(|_| begin_to_ping(&one)).collect();
        std::thread::sleep(Duration::from_millis(500));
        ip("link set bridge1 down");
        wait_for(&switch, [false, true]);
        for ping in under_way {
            let output = ping.wait_with_output().expect("ping ends");
            let answers = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(answers.contains("icmp_seq=150 ") && !answers.contains("DUP!"), "{answers}");
        }
        assert!(rows(&switch)[0].carrier);
        pings("without the first router");
        ip("link set bridge1 up");
        add_route(1);
        wait_for(&switch, [true; 2]);
        // The link itself.
        ip("link set port2 down");
        wait_for(&switch, [true, false]);
        assert!(!rows(&switch)[1].carrier);
        pings("without the second link");
        let rows = rows(&switch);
        assert_eq!(rows.iter().map(|row| row.changes).collect::<Vec<_>>(), [2, 1]);
        switch.end();
    });
}
