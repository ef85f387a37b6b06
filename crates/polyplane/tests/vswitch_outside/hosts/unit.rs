//! The unit of `contrib/systemd`, started, reloaded, killed and stopped by a systemd that runs in a container of its own.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::missing;
use crate::namespace::within;
use crate::tools::site::{VPC, vnic};

/// Boots a container whose root is this computer's with another layer above it, in which everything that is written stays.
const BOOT: &str = "set -e\n\
    mount -t tmpfs none layer && mkdir layer/upper layer/work\n\
    mount -t overlay overlay -o lowerdir=/,upperdir=layer/upper,workdir=layer/work root\n\
    mkdir -p root/etc/polyplane root/result && cp host.toml root/etc/polyplane/host.toml\n\
    cp polyplane-vswitch@.service probe.service root/etc/systemd/system/\n\
    exec timeout -k 5 50 systemd-nspawn -q -D root -b --register=no --keep-unit --private-network \
    --bind-ro=$POLYPLANE:/usr/bin/polyplane --bind=$PWD/result:/result --bind-ro=$PWD/probe.sh:/probe.sh systemd.unit=probe.service\n";

/// What the container boots for.
const PROBE: &str = "[Unit]\nSuccessAction=poweroff-force\nFailureAction=poweroff-force\n\
    [Service]\nType=oneshot\nExecStart=/bin/sh /probe.sh\nTimeoutStartSec=45\n";

#[test]
fn systemd_starts_reloads_restarts_and_stops_a_switch() {
    let name = "hosts::unit::systemd_starts_reloads_restarts_and_stops_a_switch";
    if let Some(missing) = missing(&["systemd-nspawn", "systemctl", "ping"]) {
        return eprintln!("SKIPPED {name}: {missing}");
    }
    within(name, || {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path();
        for name in ["layer", "root", "result"] {
            fs::create_dir(path.join(name)).expect("a folder can be made");
        }
        let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contrib/systemd/polyplane-vswitch@.service");
        fs::copy(shipped, path.join("polyplane-vswitch@.service")).expect("it is there");
        let configuration = format!("name = \"host\"\n{VPC}{}{}", vnic(1, ""), vnic(2, ""));
        for (name, text) in
            [("host.toml", configuration.as_str()), ("probe.service", PROBE), ("probe.sh", include_str!("probe.sh"))]
        {
            fs::write(path.join(name), text).expect("a file can be written");
        }
        let mut boot = Command::new("unshare");
        boot.args(["--mount", "sh", "-c", BOOT]).env("POLYPLANE", env!("CARGO_BIN_EXE_polyplane"));
        let output = boot.current_dir(path).stdin(Stdio::null()).output().expect("unshare is there");
        let Ok(log) = fs::read_to_string(path.join("result/log")) else {
            let [text, errors] =
                [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            eprintln!("SKIPPED {name}: systemd does not boot in a container here\n{text}\n{errors}");
            return;
        };
        assert!(log.ends_with("everything is as it should be\n"), "{log}");
    });
}
