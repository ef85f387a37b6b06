//! The same file in a lab and in a simulated network.

use crate::site::Site;

#[test]
fn the_file_of_a_lab_is_a_topology_of_simulated_networks() {
    let site = Site::new("simulated");
    site.succeeds(
        r#"

        polyplane sim --topology lab:line.toml --link 10Gb/s,delay=1us --workload permutation:100kB > said.txt 2>&1 ||
            fail "$(cat said.txt)"
        sed -i 's|10.0.0.2/24|2001:db8::2/64|' line.toml
        polyplane sim --topology lab:line.toml --workload permutation:100kB > said.txt 2>&1
        test $? = 2 || fail "$(cat said.txt)"
        grep -q "line.toml:5:" said.txt && grep -q "no address of IPv4" said.txt || fail "$(cat said.txt)"
        "#,
    );
}
