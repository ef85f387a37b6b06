//! The interfaces of a plan: checked first, so that whatever is wrong is said before anything is touched, and then opened.

use std::io;
use std::path::Path;

use diagnostics::{Diagnostic, Failure};
use live::{KINDS, Options, PacketSocket};
use node::Port;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};

use crate::plan::{PortBinding, SwitchPlan};
use crate::switch::BoxedInterface;

/// What is missing where interfaces cannot be used.
const RIGHTS: &str = "this needs Linux and CAP_NET_RAW, or /dev/net/tun and CAP_NET_ADMIN to make a TAP interface: run as root, \
                      or in a namespace made by `unshare --user --map-root-user --net`";

/// The longest name of an interface of Linux: IFNAMSIZ, with the NUL at its end.
const LONGEST_NAME: usize = 15;

impl SwitchPlan {
    /// Returns what is wrong with the interface of a port, and a hint.
    fn wrong(binding: &PortBinding) -> Option<(String, String)> {
        let name = &binding.interface;
        if let Some(namespace) = &binding.namespace {
            let path = if namespace.contains('/') { namespace.into() } else { Path::new("/run/netns").join(namespace) };
            if !path.exists() {
                let message = format!("there is no network namespace `{namespace}`");
                return Some((message, format!("`ip netns add {namespace}` makes one")));
            }
        }
        let (kind, name) = match name.split_once(':') {
            Some((kind, rest)) if KINDS.iter().any(|known| known.name == kind) => (kind, rest),
            Some((kind, _)) => {
                let forms: Vec<String> = KINDS.iter().map(|kind| format!("{}:{}", kind.name, kind.form)).collect();
                return Some((format!("there is no kind of interfaces `{kind}`"), forms.join(", ")));
            }
            None => ("", name.as_str()),
        };
        if !matches!(kind, "" | "packet" | "tap") {
            return None;
        }
        if name.is_empty() || name.len() > LONGEST_NAME || name.contains(['/', ' ']) || name == "." || name == ".." {
            let message = format!("`{name}` cannot be the name of an interface");
            return Some((message, format!("1 to {LONGEST_NAME} characters without `/` and spaces")));
        }
        if binding.namespace.is_some() {
            return None;
        }
        let exists = PacketSocket::exists(name);
        if kind == "packet" && !exists {
            return Some((format!("there is no interface `{name}`"), format!("there are {}", existing())));
        }
        if exists && kind != "tap" {
            return no_right_to_sockets().map(|error| (cannot(name, &error), RIGHTS.to_owned()));
        }
        if !Path::new("/dev/net/tun").exists() {
            let message = format!("there is no interface `{name}`, and none can be made without /dev/net/tun");
            return Some((message, format!("name one that exists: {}", existing())));
        }
        None
    }
}

fn cannot(name: &str, error: &io::Error) -> String {
    format!("the interface `{name}` cannot be opened: {error}")
}

/// Returns the error with which the system refuses packet sockets, if it does.
fn no_right_to_sockets() -> Option<io::Error> {
    // Of no protocol: such a socket receives nothing.
    socket_with(AddressFamily::PACKET, SocketType::RAW, SocketFlags::CLOEXEC, None).err().map(io::Error::from)
}

/// Returns the names of the interfaces that exist.
fn existing() -> String {
    let names = std::fs::read_dir("/sys/class/net").into_iter().flatten().flatten();
    let mut names: Vec<String> = names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names.join(", ")
}

/// Checks that the interfaces of a plan can be opened, as far as that is known without touching them.
///
/// # Errors
/// Fails with everything that is wrong, each at its place.
pub fn check_interfaces(plan: &SwitchPlan) -> Result<(), Failure> {
    let wrong = |binding: &PortBinding| {
        let (message, hint) = SwitchPlan::wrong(binding)?;
        Some((binding.place.clone(), message, hint))
    };
    plan.refuse(plan.ports.iter().filter_map(wrong).collect())
}

/// Opens the interfaces of a plan. If one cannot be opened, those before it are closed again, and those that were made vanish.
///
/// # Errors
/// Fails with the first interface that cannot be opened.
pub fn open_interfaces(plan: &SwitchPlan) -> Result<Vec<(Port, BoxedInterface)>, Failure> {
    let open = |binding: &PortBinding| match open_one(binding) {
        Ok(interface) => Ok((Port(binding.port), interface)),
        Err(error) => {
            let hint = if error.raw_os_error() == Some(rustix::io::Errno::BUSY.raw_os_error()) {
                "another program holds it".to_owned()
            } else {
                RIGHTS.to_owned()
            };
            let found = vec![(binding.place.clone(), cannot(&binding.interface, &error), hint)];
            match plan.refuse(found) {
                Err(failure) => Err(failure),
                Ok(()) => Err(Diagnostic::without_place(cannot(&binding.interface, &error)).into()),
            }
        }
    };
    plan.ports.iter().map(open).collect()
}

fn open_one(binding: &PortBinding) -> io::Result<BoxedInterface> {
    live::open(&binding.interface, &Options { namespace: binding.namespace.clone(), kind: None })
}
