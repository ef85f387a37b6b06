//! Network namespaces with names (ip-netns(8)).

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::state::Namespace;

/// The folder of the names of network namespaces.
pub const NAMES: &str = "/run/netns";

/// The mark of namespaces that a lab has made, in front of the lab's name: the alias of their loopback interface
/// (ip-link(8)). By it they are found if the lab's file has gone.
const MARK: &str = "polyplane lab ";

/// Returns the commands for `ip` that take the loopback interface of a lab's namespace up and mark the namespace.
pub fn marked_loopback(lab: &str) -> String {
    format!("link set lo alias \"{MARK}{lab}\" up")
}

/// Returns all network namespaces that have names of nodes of labs, with the names of lab and node.
pub fn of_labs() -> Vec<(Namespace, String, String)> {
    let names =
        fs::read_dir(NAMES).into_iter().flatten().flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut found: Vec<_> = names
        .filter_map(|name| {
            let (lab, node) = name.split_once('.')?;
            let (lab, node) = (lab.to_owned(), node.to_owned());
            Some((Namespace { name, identity: None }, lab, node))
        })
        .collect();
    found.sort_by(|(one, ..), (other, ..)| one.name.cmp(&other.name));
    found
}

impl Namespace {
    /// Returns the namespace of a node of a lab, which is not made yet.
    pub(crate) fn of(lab: &str, node: &str) -> Self {
        Self { name: format!("{lab}.{node}"), identity: None }
    }

    fn path(&self) -> PathBuf {
        Path::new(NAMES).join(&self.name)
    }

    /// Returns the device and number of the namespace that has this name now.
    pub(crate) fn present(&self) -> Option<(u64, u64)> {
        identity(&self.path()).ok()
    }

    /// Returns whether the namespace of this name is ours: that which was made, or that which was going to be made when no
    /// other had its name.
    pub(crate) fn is_ours(&self) -> bool {
        self.present().is_some_and(|present| self.identity.is_none_or(|made| made == present))
    }

    /// Returns the lab that has left its mark in the namespace.
    pub(crate) fn marked_by(&self) -> Option<String> {
        let interfaces = crate::ip::links(self);
        let loopback = interfaces.iter().find(|link| link["ifname"] == "lo")?;
        Some(loopback["ifalias"].as_str()?.strip_prefix(MARK)?.to_owned())
    }

    /// Writes a setting of the namespace's network, such as `ipv6/conf/all/disable_ipv6`.
    pub(crate) fn set(&self, setting: &str, value: &str) -> io::Result<()> {
        // A thread in the namespace sees its settings in the one tree of them.
        live::namespace::within(Some(&self.name), || fs::write(format!("/proc/sys/net/{setting}"), value))
    }

    /// Returns the processes in the namespace.
    pub(crate) fn processes(&self) -> Vec<u32> {
        let Some(own) = self.identity.filter(|own| self.present() == Some(*own)).or_else(|| self.present()) else {
            return Vec::new();
        };
        let is_inside =
            |process: &u32| identity(Path::new(&format!("/proc/{process}/ns/net"))).is_ok_and(|its| its == own);
        crate::process::all().filter(is_inside).collect()
    }
}

/// Returns the device and number of a namespace's file.
fn identity(path: &Path) -> io::Result<(u64, u64)> {
    fs::metadata(path).map(|metadata| (metadata.dev(), metadata.ino()))
}
