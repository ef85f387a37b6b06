//! What is said where a lab cannot be made.

use crate::site::Site;

#[test]
fn without_rights_everything_that_is_missing_is_said() {
    let site = Site::new("rights");
    site.write(
        "tool.toml",
        &crate::site::LINE
            .replace("\"02:00:00:00:00:01\"", "\"02:00:00:00:00:01\", commands = [\"no-such-tool --now\"]"),
    );
    site.succeeds(
        r#"
        command -v setpriv > /dev/null || exit 0
        setpriv --bounding-set=-all --inh-caps=-all polyplane lab up tool.toml > said.txt 2>&1
        test $? = 2 || fail "$(cat said.txt)"
        for word in CAP_SYS_ADMIN CAP_NET_ADMIN CAP_NET_RAW unshare "no-such-tool"; do
            grep -q -- "$word" said.txt || fail "no $word in: $(cat said.txt)"
        done
        for what in "down" "status" "exec h1 -- true" "shell h1" "link down h1-s1" "restart s1"; do
            setpriv --bounding-set=-all --inh-caps=-all polyplane lab $what > said.txt 2>&1
            test $? = 2 && grep -q CAP_NET_ADMIN said.txt || fail "$what: $(cat said.txt)"
        done
        mount -o remount,ro /run
        lab up line.toml 2>&1 | grep -q "cannot be written" || fail "a /run that cannot be written"
        "#,
    );
}
