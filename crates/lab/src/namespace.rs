//! Network namespaces with names (ip-netns(8)).

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::state::Namespace;

/// The folder of the names of network namespaces.
pub const NAMES: &str = "/run/netns";

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
