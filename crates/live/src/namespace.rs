//! Interfaces of other network namespaces (network_namespaces(7)).

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

/// The directory in which `ip netns` keeps the names of network namespaces.
const NAMES: &str = "/run/netns";

/// Returns the path of a network namespace: a text with a `/` is one, and others are names of `ip netns`.
pub fn path(namespace: &str) -> PathBuf {
    if namespace.contains('/') { PathBuf::from(namespace) } else { Path::new(NAMES).join(namespace) }
}

/// Calls `open` in a network namespace: on a thread of its own that enters it, or on this thread if `namespace` is `None`.
/// What is opened belongs to the namespace, wherever it is used. A name with a `/` is the path of a namespace, such as
/// `/proc/1/ns/net`; others are those of `ip netns`.
///
/// # Errors
///
/// Returns the error of the system if there is no such namespace or it may not be entered, and that of `open`.
pub fn within<T: Send>(namespace: Option<&str>, open: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
    let Some(namespace) = namespace else { return open() };
    let path = path(namespace);
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().spawn_scoped(scope, || {
            let file = File::open(&path)?;
            move_into_link_name_space(file.as_fd(), Some(LinkNameSpaceType::Network))?;
            open()
        })?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
