//! Hosts, switches and links of a lab while it runs.

use crate::site::{LINE, Site};

#[test]
fn hosts_reach_each_other_and_everything_can_be_asked() {
    Site::new("everything").succeeds(
        r#"
        lab up line.toml > up.txt || fail "up"
        pings h1 10.0.0.2 || fail "h1 does not reach h2"
        lab exec h1 -- cat /sys/class/net/eth0/address | grep -qx 02:00:00:00:00:01 || fail "the MAC address"
        lab exec h1 -- sh -c 'exit 7'; test $? = 7 || fail "the exit status"
        lab exec h1 -- ls /sys/class/net | grep -qx eth0 || fail "the host sees its own interfaces"
        lab exec s1 -- ls /sys/class/net | grep -qx s1-p1 || fail "the interfaces of a switch"
        lab tables s1 | grep -q 02:00:00:00:00:02 || lab tables s1 | grep -q "entries of at most" || fail "tables"
        lab status > now.txt; grep -q "h1-s1  *h1 eth0, s1-p0  *up" now.txt || fail "$(cat now.txt)"
        diff up.txt now.txt || fail "up prints another status"
        lab log s1 | grep -q "s1-p0 is port 0" || fail "$(lab log s1)"
        echo 'exit 5' | SHELL=/bin/sh lab shell h2; test $? = 5 || fail "the shell"
        lab pcap h1-s1 --write - > ping.pcapng & capturing=$!
        for try in $(seq 100); do test -s ping.pcapng && break; sleep 0.05; done
        pings h1 10.0.0.2; sleep 0.2; kill $capturing
        test $(wc -c < ping.pcapng) -gt 300 || fail "nothing was captured"
        lab up line.toml 2>&1 | grep -q "there is a lab \`line\` already" || fail "twice the same name"
        lab exec h3 -- true 2>&1 | grep -q "has no host or switch \`h3\`" || fail "an unknown host"
        lab link down s1-s9 2>&1 | grep -q "has no link \`s1-s9\`" || fail "an unknown link"
        lab down && nothing_is_left
        lab down 2>&1 | grep -q "no lab is there" || fail "there is still a lab"
        "#,
    );
}

#[test]
fn links_go_down_and_up_and_switches_are_restarted() {
    Site::new("links").succeeds(
        r#"
        lab up line.toml > /dev/null || fail "up"
        pings h1 10.0.0.2 || fail "before"
        lab link down s2-s1 || fail "a link is named from either end"
        lab status | grep -q "s1-s2 .*down" || fail "the status of the link"
        ! lab exec h1 -- ping -n -c 1 -W 1 10.0.0.2 > /dev/null || fail "a ping crosses a link that is down"
        lab link up s1-p1 || fail "a link is named by its port"
        pings h1 10.0.0.2 || fail "after the link is up again"
        before=$(lab status | awk '$1 == "s1" { print $2 }')
        lab restart s1 || fail "restart"
        test "$before" != "$(lab status | awk '$1 == "s1" { print $2 }')" || fail "it is the same process"
        pings h1 10.0.0.2 || fail "after the restart"
        kill -9 $(lab status | awk '$1 == "s2" { print $2 }')
        for try in $(seq 100); do lab status | grep -q "s2 .*has ended" && break; sleep 0.05; done
        lab status | grep -q "s2 .*has ended" || fail "the status of a switch that was killed"
        lab restart s2 && pings h1 10.0.0.2 || fail "a switch that was killed is restarted"
        lab down && nothing_is_left
        "#,
    );
}

/// Whether packets take their time is tested on simulated time (`crates/switchd/tests/links.rs`).
#[test]
fn links_with_rates_and_delays_carry_packets() {
    let site = Site::new("slow");
    let slow = LINE.replace("\"s2-p1\"] }", "\"s2-p1\"], rate = \"10 Mb/s\", delay = \"2 ms\" }");
    site.write(
        "slow.toml",
        &slow.replace("\"h2\", \"s2-p0\"] }", "\"h2\", \"s2-p0\"], rate = \"5 Mb/s\", delay = \"1 ms\" }"),
    );
    site.succeeds(
        r#"
        lab up slow.toml > up.txt || fail "up"
        grep -q "s1-s2 .*10 *Mb/s *2 ms" up.txt || fail "$(cat up.txt)"
        pings h1 10.0.0.2 || fail "no ping crosses"
        lab down && nothing_is_left
        "#,
    );
}
