//! What is left of a lab: nothing, and of others everything.

use crate::site::{LINE, Site};

#[test]
fn after_everything_was_killed_what_the_lab_made_is_removed_and_nothing_else() {
    Site::new("killed").succeeds(
        r#"
        ip netns add line.h9; ip netns add other
        lab up line.toml > /dev/null || fail "up"
        lab exec h1 -- sleep 1000 & sleep 0.3
        kill -9 $(lab status | awk '$1 == "s1" || $1 == "s2" { print $2 }')
        ip netns delete line.s1; ip netns add line.s1
        lab down > down.txt 2>&1 || fail "$(cat down.txt)"
        grep -q "line.s1 is not the one that the lab made" down.txt || fail "$(cat down.txt)"
        test "$(ls /run/netns | tr '\n' ' ')" = "line.h9 line.s1 other " || fail "$(ls /run/netns)"
        ! pgrep -x sleep > /dev/null || fail "a process in a host is left"
        ip netns delete line.h9; ip netns delete line.s1; ip netns delete other
        nothing_is_left
        "#,
    );
}

#[test]
fn a_lab_that_was_killed_while_it_was_made_is_removed() {
    Site::new("half").succeeds(
        r#"
        for after in 0.01 0.03 0.06 0.1 0.2; do
            polyplane lab up line.toml > /dev/null 2>&1 & making=$!
            sleep $after; kill -9 $making; wait $making 2> /dev/null
            if test -n "$(ls /run/polyplane/lab 2> /dev/null)"; then lab down > /dev/null || fail "down after $after s"; fi
            test -z "$(ls /run/netns 2> /dev/null)" || fail "after $after s $(ls /run/netns) is left"
        done
        lab up line.toml > /dev/null && pings h1 10.0.0.2 && lab down && nothing_is_left
        "#,
    );
}

#[test]
fn two_labs_live_side_by_side() {
    let site = Site::new("two");
    site.write("other.toml", &LINE.replace("name = \"line\"", "name = \"other\""));
    site.succeeds(
        r#"
        lab up line.toml > /dev/null && lab up other.toml > /dev/null || fail "up"
        pings h1 10.0.0.2 line && pings h1 10.0.0.2 other || fail "ping"
        lab status 2>&1 | grep -q "name one by \`--lab\`: line, other" || fail "which lab is meant is not asked"
        lab down line || fail "down"
        pings h1 10.0.0.2 || fail "the other lab goes on, and is the only one"
        lab up line.toml > /dev/null || fail "up again"
        lab down --all && nothing_is_left
        "#,
    );
}

#[test]
fn a_lab_that_cannot_be_made_leaves_nothing() {
    let site = Site::new("undone");
    site.write("broken.stf", "add nothing\n");
    site.write("broken.toml", &LINE.replace("[\"commands.txt\"] },\n]", "[\"broken.stf\"] },\n]"));
    site.write("port.toml", &LINE.replace("s1-p0", "s1-p60000"));
    site.succeeds(
        r#"
        mkdir -p /run/netns /run/polyplane/lab
        lab up broken.toml > broken.txt 2>&1; test $? = 2 || fail "$(cat broken.txt)"
        grep -q "broken.stf:1" broken.txt || fail "the place of the mistake: $(cat broken.txt)"
        nothing_is_left
        lab up port.toml > port.txt 2>&1; test $? = 2 || fail "$(cat port.txt)"
        grep -q "the switch s1 has ended" port.txt && grep -q "60000" port.txt || fail "$(cat port.txt)"
        nothing_is_left
        ip netns add line.h2
        lab up line.toml 2>&1 | grep -q "there are network namespaces called line.h2 already" || fail "a namespace is taken"
        ip netns delete line.h2; nothing_is_left
        "#,
    );
}
