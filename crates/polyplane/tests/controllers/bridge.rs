//! `ptf` against `polyplane live` on real interfaces: entries, packet-ins and packet-outs of a controller.

use std::path::Path;
use std::process::Command;

use crate::namespace::{self, ip};
use crate::server::Server;

/// Runs every test of the folder `bridge` on a machine, in a network namespace of its own.
fn test_on(machine: &str, name: &str) {
    let Some(python) = crate::python("ptf") else { return };
    namespace::within(name, || {
        // The kernel sends nothing by itself on the ports then.
        namespace::set("ipv6/conf/default/disable_ipv6", "1");
        ip("link set lo up");
        for port in 1..=3 {
            ip(&format!("link add port{port} type veth peer name far{port}"));
            ip(&format!("link set port{port} up"));
            ip(&format!("link set far{port} up"));
        }
        let server = Server::live(machine, &["1=port1", "2=port2", "3=port3"]);
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/controllers/bridge");
        let files = server.controller_files(&tests.join("bridge.p4"));
        let parameters = format!("address='{}';files='{}'", server.address, files.join("bridge").display());
        let mut ptf = Command::new(python.with_file_name("ptf"));
        ptf.arg("--test-dir").arg(tests).args(["--test-params", &parameters, "--test-case-timeout", "20"]);
        ptf.args(["-i", "1@far1", "-i", "2@far2", "-i", "3@far3"]);
        // Its logs lie where the files of the test do, and its modules leave nothing in ours.
        ptf.current_dir(&files).env("PYTHONDONTWRITEBYTECODE", "1");
        let output = ptf.output().expect("ptf starts");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{text}");
        for test in ["EntriesDecideWhereFramesGo", "UnknownStationsAreTheControllers", "ControllersSendByAnyPort"] {
            assert!(text.contains(&format!("forwarding.{test} ... ok")), "{test} was not run: {text}");
        }
    });
}

#[test]
fn ptf_tests_a_bridge_of_the_interpreter() {
    test_on("v1model", "bridge::ptf_tests_a_bridge_of_the_interpreter");
}

#[test]
fn ptf_tests_a_bridge_of_machine_code() {
    test_on("native", "bridge::ptf_tests_a_bridge_of_machine_code");
}
