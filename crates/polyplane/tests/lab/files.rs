//! A topology of the form that the P4 tutorials have.

use crate::site::Site;

#[test]
fn a_topology_in_json_runs_its_commands_and_tells_of_those_that_fail() {
    let site = Site::new("json");
    site.write(
        "topology.json",
        r#"{
            "hosts": {
                "h1": { "ip": "10.0.1.1/24", "mac": "08:00:00:00:01:11", "commands": [
                    "ip route add 10.0.2.0/24 dev eth0", "ip neighbour add 10.0.2.2 lladdr 08:00:00:00:02:22 dev eth0",
                    "ip route add 10.0.1.0/24 dev eth0"
                ] },
                "h2": { "ip": "10.0.2.2/24", "mac": "08:00:00:00:02:22", "commands": [
                    "ip route add 10.0.1.0/24 dev eth0", "pwd > pwd.txt"
                ] }
            },
            "switches": { "s1": { "cli_input": "commands.txt", "program": "build/learning_switch.json" } },
            "links": [["h1", "s1-p0"], ["h2", "s1-p1", 0]]
        }"#,
    );
    site.succeeds(
        r#"
        lab up topology.json --name json > up.txt 2> said.txt || fail "$(cat said.txt)"
        grep -q "10.0.1.0/24 dev eth0\` failed on h1: RTNETLINK answers: File exists" said.txt || fail "$(cat said.txt)"
        grep -q "learning_switch.p4 *native" up.txt || fail "$(cat up.txt)"
        test "$(cat pwd.txt)" = "$(pwd)" || fail "commands run in $(cat pwd.txt)"
        pings h1 10.0.2.2 || fail "h1 does not reach h2"
        lab up topology.json --check --name json | grep -qx "json: 2 hosts, 1 switches, 2 links" || fail "--check"
        lab down && nothing_is_left
        "#,
    );
}
