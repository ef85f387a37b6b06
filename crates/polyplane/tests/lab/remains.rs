//! Labs whose own records were damaged: what is theirs is still found, and nothing else.

use crate::site::{LINE, Site};

#[test]
fn a_lab_whose_file_is_gone_or_damaged_is_removed() {
    Site::new("records").succeeds(
        r#"
        ip netns add line.h9; ip netns add line
        for damage in 'rm $file' 'echo "{" > $file' ': > $file' 'rm -r ${file%/*}'; do
            lab up line.toml > /dev/null || fail "up before: $damage"
            lab exec h1 -- sleep 1000 & sleep 0.2
            file=/run/polyplane/lab/line/lab.json
            eval "$damage"
            ! lab up line.toml > said.txt 2>&1 && grep -q "lab down line" said.txt || fail "$damage: $(cat said.txt)"
            lab down > said.txt 2>&1 || fail "$damage: $(cat said.txt)"
            grep -q "removed the lab line" said.txt || fail "$damage: $(cat said.txt)"
            test "$(ls /run/netns | tr '\n' ' ')" = "line line.h9 " || fail "$damage: $(ls /run/netns)"
            ! pgrep -x sleep > /dev/null || fail "$damage: a process in a host is left"
            ! pgrep -f "^[^ ]*polyplane live /run" || fail "$damage: switches are left"
        done
        ip netns delete line.h9; ip netns delete line
        nothing_is_left
        "#,
    );
}

#[test]
fn after_a_kill_of_everything_and_a_damaged_file_another_lab_goes_on() {
    let site = Site::new("damaged");
    site.write("other.toml", &LINE.replace("name = \"line\"", "name = \"other\""));
    site.succeeds(
        r#"
        lab up line.toml > /dev/null && lab up other.toml > /dev/null || fail "up"
        kill -9 $(lab status --lab line | awk '$1 == "s1" || $1 == "s2" { print $2 }')
        echo broken > /run/polyplane/lab/line/lab.json
        lab status --lab line 2>&1 | grep -q "lab down line" || fail "what to do about the file is not said"
        lab down 2>&1 | grep -q "line, other" || fail "which lab is meant is not asked"
        lab down line || fail "down"
        pings h1 10.0.0.2 other || fail "the other lab does not go on"
        mkdir /run/polyplane/lab/third
        lab down --all > said.txt 2>&1 || fail "$(cat said.txt)"
        nothing_is_left
        "#,
    );
}

#[test]
fn only_the_name_of_a_lab_names_what_is_removed() {
    Site::new("names").succeeds(
        r#"
        lab up line.toml > /dev/null || fail "up"
        for name in .. . "" ../lab line/ lin; do
            ! lab down "$name" > said.txt 2>&1 && grep -q "there is no lab" said.txt || fail "$name: $(cat said.txt)"
        done
        pings h1 10.0.0.2 || fail "the lab does not go on"
        lab down && nothing_is_left
        "#,
    );
}

#[test]
fn a_lab_of_the_same_name_in_another_mount_namespace_stays() {
    Site::new("mounts").succeeds(
        r#"
        lab up line.toml > /dev/null || fail "up"
        unshare --mount sh -c '
            mount -t tmpfs tmpfs /run && polyplane lab up line.toml > inner.txt 2>&1; echo $? > inner.status
            while test -e inner.status; do sleep 0.05; done
            polyplane lab exec h1 -- ping -n -c 1 -W 5 10.0.0.2 > inner.txt 2>&1; echo $? > inner.ping
            polyplane lab down; echo $? > inner.down' & inner=$!
        for try in $(seq 600); do test -s inner.status && break; sleep 0.05; done
        test "$(cat inner.status)" = 0 || fail "$(cat inner.txt)"
        lab down && test -z "$(ls /run/netns)$(ls /run/polyplane/lab)" || fail "down"
        rm inner.status; wait $inner
        test "$(cat inner.ping)" = 0 || fail "the other lab does not go on: $(cat inner.txt)"
        test "$(cat inner.down)" = 0 && nothing_is_left
        "#,
    );
}

#[test]
fn labs_that_are_made_at_the_same_moment_have_addresses_of_their_own() {
    let site = Site::new("moment");
    for name in ["one", "two", "three", "four"] {
        site.write(&format!("{name}.toml"), &LINE.replace("name = \"line\"", &format!("name = \"{name}\"")));
    }
    site.succeeds(
        r#"
        for name in one two three four; do
            { polyplane lab up $name.toml > $name.txt 2>&1; echo $? > $name.status; } &
        done
        wait
        for name in one two three four; do test "$(cat $name.status)" = 0 || fail "$(cat $name.txt)"; done
        test $(grep -ho "127.0.0.1:[0-9]*" one.txt two.txt three.txt four.txt | sort -u | wc -l) = 8 || fail "$(cat *.txt)"
        for name in one two three four; do pings h1 10.0.0.2 $name || fail "ping in $name"; done
        lab down --all && nothing_is_left
        "#,
    );
}
