//! Containers of podman on the switch, by its CNI plugin and the network of `contrib/cni`.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::missing;
use crate::guest::Guest;
use crate::namespace::{set, within};
use crate::process::{SwitchProcess, said, soon};
use crate::tools::site::{VPC, vnic};

/// The folder in which Debian has the plugins of others, of which `host-local` gives addresses.
const PLUGINS: &str = "/usr/lib/cni";

/// Podman with images, containers and networks of its own.
struct Podman {
    folder: TempDir,
    /// A process in a namespace for mounts, in which all commands run.
    mounts: Child,
}

impl Podman {
    /// Makes the configuration, with a network `red` on the switch at a socket, and an image of busybox.
    fn new(socket: &Path) -> Self {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path();
        for name in ["plugins", "networks", "root/bin", "storage", "run"] {
            fs::create_dir_all(path.join(name)).expect("a folder can be made");
        }
        symlink(env!("CARGO_BIN_EXE_polyplane"), path.join("plugins/polyplane-cni")).expect("a link can be made");
        let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contrib/cni/80-polyplane.conflist");
        let mut network: Value =
            serde_json::from_str(&fs::read_to_string(shipped).expect("it is there")).expect("it is JSON");
        network["plugins"][0]["switch"] = json!(socket);
        network["plugins"][0]["ipam"]["dataDir"] = json!(path.join("addresses"));
        fs::write(path.join("networks/80-polyplane.conflist"), network.to_string()).expect("a file can be written");
        let settings = format!(
            "[network]\nnetwork_backend = \"cni\"\ncni_plugin_dirs = [\"{0}/plugins\", \"{PLUGINS}\"]\n\
             network_config_dir = \"{0}/networks\"\n[engine]\ncgroup_manager = \"cgroupfs\"\nevents_logger = \"none\"\n\
             [containers]\ncgroups = \"disabled\"\ndefault_ulimits = [\"nofile=1024:1024\", \"nproc=1024:1024\"]\n",
            path.display()
        );
        fs::write(path.join("containers.conf"), settings).expect("a file can be written");
        // Runtimes refuse a second hierarchy of control groups with controllers in both; no container here has a group.
        let hold = "umount -l /sys/fs/cgroup/unified 2> /dev/null; echo ready; exec sleep 60";
        let mut command = Command::new("unshare");
        let mut mounts =
            command.args(["--mount", "sh", "-c", hold]).stdout(Stdio::piped()).spawn().expect("unshare is there");
        let ready = std::io::Read::read(mounts.stdout.as_mut().expect("a pipe"), &mut [0; 8]);
        assert!(ready.is_ok_and(|length| length > 0), "a namespace for mounts can be made");
        let podman = Self { folder, mounts };
        fs::copy("/bin/busybox", podman.folder.path().join("root/bin/busybox")).expect("busybox is there");
        for name in ["sh", "ip", "ping", "sleep"] {
            symlink("busybox", podman.folder.path().join("root/bin").join(name)).expect("a link can be made");
        }
        let image = podman.folder.path().join("image.tar");
        let mut tar = Command::new("tar");
        tar.arg("-cf").arg(&image).arg("-C").arg(podman.folder.path().join("root")).arg(".");
        said(tar);
        podman.runs(&["import", "-q", &image.display().to_string(), "guest"]);
        podman
    }

    fn command(&self, words: &[&str]) -> Command {
        let path = |name: &str| self.folder.path().join(name);
        let mut command = Command::new("nsenter");
        command.arg(format!("--mount=/proc/{}/ns/mnt", self.mounts.id())).args(["--", "timeout", "50", "podman"]);
        command.arg("--root").arg(path("storage")).arg("--runroot").arg(path("run"));
        command.args(["--storage-driver", "vfs"]).args(words).env("CONTAINERS_CONF", path("containers.conf"));
        command
    }

    /// Runs a subcommand, which must succeed, and returns what it prints.
    fn runs(&self, words: &[&str]) -> String {
        said(self.command(words))
    }
}

impl Drop for Podman {
    fn drop(&mut self) {
        let _ = self.command(&["rm", "--all", "--force", "-t", "0"]).output();
        let _ = self.mounts.kill();
        let _ = self.mounts.wait();
    }
}

/// Returns the names of the vNICs of containers that the switch has.
fn attached(switch: &SwitchProcess) -> Vec<String> {
    let shown = switch.asks(&["show", "ports"]);
    let rows = shown["ports"].as_array().or(shown.as_array()).cloned().unwrap_or_else(|| panic!("{shown}"));
    rows.iter()
        .filter_map(|row| row["vnic"].as_str())
        .filter(|name| name.starts_with("cni:"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn podman_runs_containers_as_guests() {
    let name = "hosts::containers::podman_runs_containers_as_guests";
    let missing = missing(&["podman", "busybox", "tar", &format!("{PLUGINS}/host-local")]);
    if let Some(missing) = missing {
        return eprintln!("SKIPPED {name}: {missing}");
    }
    within(name, || {
        set("ipv6/conf/default/disable_ipv6", "1");
        crate::namespace::ip("link set lo up");
        let guest = Guest::new(3);
        let switch = SwitchProcess::start(&format!("name = \"host\"\n{VPC}{}", vnic(3, "")));
        let podman = Podman::new(&switch.socket());
        for container in ["one", "two"] {
            podman.runs(&[
                "run",
                "-d",
                "-q",
                "--name",
                container,
                "--network",
                "red",
                "localhost/guest",
                "/bin/sleep",
                "50",
            ]);
        }
        let address = |container: &str| {
            let shown = podman.runs(&["exec", container, "/bin/ip", "-4", "addr", "show", "dev", "eth0"]);
            let word = shown.split_whitespace().skip_while(|word| *word != "inet").nth(1);
            word.and_then(|word| word.strip_suffix("/24")).unwrap_or_else(|| panic!("{shown}")).to_owned()
        };
        let [one, two] = ["one", "two"].map(address);
        assert_eq!([one.as_str(), two.as_str()], ["10.0.1.100", "10.0.1.101"], "as host-local gives them");
        for other in [&two, "10.0.1.3", "10.0.1.254"] {
            podman.runs(&["exec", "one", "/bin/ping", "-c", "2", "-W", "2", other]);
        }
        assert!(guest.pings(&two), "a guest of the file reaches a container");
        assert_eq!(attached(&switch).len(), 2);
        podman.runs(&["rm", "-f", "-t", "0", "one", "two"]);
        soon("nothing is left of the containers", || attached(&switch).is_empty());
        let mut show = Command::new("ip");
        show.args(["-o", "link", "show", "type", "veth"]);
        let links = said(show);
        assert!(!links.contains(": pp"), "no interface is left: {links}");
        let leases = fs::read_dir(podman.folder.path().join("addresses/red")).expect("host-local has made it");
        let leases =
            leases.filter_map(Result::ok).filter(|file| file.file_name().to_string_lossy().starts_with("10.")).count();
        assert_eq!(leases, 0, "the addresses are free again");
        drop(podman);
        switch.end();
    });
}
