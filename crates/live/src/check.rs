//! Whether an interface can be opened, as far as that is known without touching it.

use std::fmt;
use std::fs::OpenOptions;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};

use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};

use crate::kinds::{KINDS, Kind, Options, split};
use crate::tun_link::tap_link;
use crate::{PacketSocket, namespace};

/// The longest name of an interface of Linux: IFNAMSIZ, with the NUL at its end.
const LONGEST_NAME: usize = 15;
/// The number of the capability CAP_NET_ADMIN (linux/capability.h).
const NET_ADMIN: u32 = 12;
/// What is missing where interfaces cannot be used.
pub const RIGHTS: &str = "this needs Linux and CAP_NET_RAW, or /dev/net/tun and CAP_NET_ADMIN to make a TAP interface: run as root, \
                          or in a namespace made by `unshare --user --map-root-user --net`";

/// The reason why an interface cannot be opened, with what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable {
    /// The reason.
    pub message: String,
    /// What to do about it; empty if there is no more to say.
    pub hint: String,
}

impl Unusable {
    /// Returns a reason with what to do about it.
    pub fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into() }
    }
}

/// A thing that an interface takes: two interfaces that take one thing are one, or disturb each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The description, as people name it.
    what: String,
    /// The network namespace in which the name has its meaning; `None` if it has one everywhere.
    namespace: Option<PathBuf>,
    /// Whether others may have it, too, who only share it.
    is_shared: bool,
}

impl Claim {
    /// Returns the claim to an interface of Linux in the network namespace of this thread.
    pub fn interface(name: &str) -> Self {
        Self { what: format!("the interface `{name}`"), namespace: own_namespace(), is_shared: false }
    }

    /// Returns the claim to a local address of UDP in the network namespace of this thread.
    pub fn udp(address: SocketAddr) -> Self {
        Self { what: format!("the UDP address {address}"), namespace: own_namespace(), is_shared: false }
    }

    /// Returns the claim to a file that is written. It need not exist.
    pub fn written_file(path: &Path) -> Self {
        Self { what: format!("the file `{}`", canonical(path).display()), namespace: None, is_shared: false }
    }

    /// Returns the claim to a file that is read, as others may do, too.
    pub fn read_file(path: &Path) -> Self {
        Self { is_shared: true, ..Self::written_file(path) }
    }

    /// Returns true if both cannot be had at once.
    pub fn conflicts_with(&self, other: &Self) -> bool {
        self.what == other.what && self.namespace == other.namespace && !(self.is_shared && other.is_shared)
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.what)
    }
}

/// Returns what identifies the network namespace of this thread.
fn own_namespace() -> Option<PathBuf> {
    std::fs::read_link("/proc/thread-self/ns/net").ok()
}

/// Returns the folder of a file; `.` if the path names none.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns the one path by which a file is known, even if only its folder exists.
fn canonical(path: &Path) -> PathBuf {
    let folder = folder_of(path);
    path.canonicalize()
        .or_else(|_| folder.canonicalize().map(|folder| folder.join(path.file_name().unwrap_or_default())))
        .unwrap_or_else(|_| path.to_owned())
}

/// Checks that [`crate::open`] can open the interface of a name, as far as that is known without touching it. Returns what it
/// takes.
///
/// # Errors
///
/// Returns the reason if it cannot: there is no such kind, namespace or interface, the name is not of its kind's form, an
/// address or file cannot be used, or this process has not the right.
pub fn check(name: &str, options: &Options) -> Result<Vec<Claim>, Unusable> {
    let (kind, rest) = split(name, options).map_err(|error| {
        let forms: Vec<String> = KINDS.iter().map(|kind| format!("{}:{}", kind.name, kind.form)).collect();
        Unusable::new(error.to_string(), format!("the kinds are {}", forms.join(", ")))
    })?;
    let check = || match kind {
        Some(kind) => (kind.check)(rest).map_err(|Unusable { message, hint }| {
            let form = || format!("such an interface is called {}:{}", kind.name, kind.form);
            Unusable { message, hint: if hint.is_empty() { form() } else { hint } }
        }),
        None => what_fits(rest),
    };
    if let Some(namespace) = &options.namespace
        && !namespace::path(namespace).exists()
    {
        let message = format!("there is no network namespace `{namespace}`");
        return Err(Unusable::new(message, format!("`ip netns add {namespace}` makes one")));
    }
    let entered = namespace::within(options.namespace.as_deref(), || Ok(check()));
    entered.unwrap_or_else(|error| {
        let namespace = options.namespace.as_deref().unwrap_or_default();
        let message = format!("the network namespace `{namespace}` cannot be entered: {error}");
        Err(Unusable::new(message, "this needs CAP_SYS_ADMIN, as the superuser has it"))
    })
}

/// Checks the name of an interface of Linux that is used by a packet socket if it exists, and made otherwise.
fn what_fits(name: &str) -> Result<Vec<Claim>, Unusable> {
    named(name)?;
    // The driver of TAP interfaces alone knows which are its own, so that an interface is one or the other.
    if PacketSocket::exists(name) && tap_link(name).is_none() {
        return packet(name);
    }
    tap(name)
}

/// Checks a name for a packet socket.
pub(crate) fn packet(name: &str) -> Result<Vec<Claim>, Unusable> {
    named(name)?;
    if !PacketSocket::exists(name) {
        return Err(Unusable::new(format!("there is no interface `{name}`"), format!("there are {}", existing())));
    }
    // Of no protocol: such a socket receives nothing.
    socket_with(AddressFamily::PACKET, SocketType::RAW, SocketFlags::CLOEXEC, None)
        .map_err(|error| Unusable::new(format!("the interface `{name}` cannot be opened: {error}"), RIGHTS))?;
    Ok(vec![Claim::interface(name)])
}

/// Checks a name for a TAP interface.
pub(crate) fn tap(name: &str) -> Result<Vec<Claim>, Unusable> {
    named(name)?;
    let exists = PacketSocket::exists(name);
    // What the device is asked for when it is opened is nothing yet.
    if let Err(error) = OpenOptions::new().read(true).write(true).open("/dev/net/tun") {
        let message = match exists {
            true => format!("the interface `{name}` cannot be opened as a TAP interface: /dev/net/tun: {error}"),
            false => format!("there is no interface `{name}`, and none can be made: /dev/net/tun: {error}"),
        };
        return Err(Unusable::new(message, format!("name one that exists: {}", existing())));
    }
    if !exists && has_capability(NET_ADMIN) == Some(false) {
        let message = format!("there is no interface `{name}`, and this process may not make one");
        return Err(Unusable::new(message, RIGHTS));
    }
    Ok(vec![Claim::interface(name)])
}

/// Checks the addresses of a UDP socket.
pub(crate) fn udp(addresses: &str) -> Result<Vec<Claim>, Unusable> {
    let of = |error: io::Error| Unusable::new(error.to_string(), "");
    let (local, remote) = crate::udp::addresses(addresses).map_err(of)?;
    if local.is_ipv4() != remote.is_ipv4() {
        let message = format!("`{local}` and `{remote}` are of different versions of IP");
        return Err(Unusable::new(message, "give two addresses of IPv4, or two of IPv6"));
    }
    UdpSocket::bind(local).map_err(|error| {
        let hint = "the address must be one of this computer, and no other socket may have the port";
        Unusable::new(format!("the UDP address {local} cannot be used: {error}"), hint)
    })?;
    // Everybody gets a port of their own by the number 0.
    Ok(if local.port() == 0 { Vec::new() } else { vec![Claim::udp(local)] })
}

/// Checks the paths of capture files.
pub(crate) fn capture_files(paths: &str) -> Result<Vec<Claim>, Unusable> {
    let of = |error: io::Error| Unusable::new(error.to_string(), "");
    let (input, output) = crate::capture_files::paths(paths).map_err(of)?;
    let mut claims = Vec::new();
    if let Some(input) = input {
        crate::CaptureFiles::check_input(input).map_err(|error| {
            let hint = "a capture file is pcap or pcapng, and its path relative to the folder of the command";
            Unusable::new(format!("the capture file `{}` cannot be read: {error}", input.display()), hint)
        })?;
        claims.push(Claim::read_file(input));
    }
    if let Some(output) = output {
        claims.push(written_file(output)?);
    }
    match &claims[..] {
        [input, output] if input.conflicts_with(output) => Err(Unusable::new(
            format!("{output} would be read and written at once"),
            "name another one for what is sent",
        )),
        _ => Ok(claims),
    }
}

/// Checks that a file can be made or written, without doing so. Returns the claim to it.
///
/// # Errors
///
/// Returns the reason if it cannot.
pub fn written_file(path: &Path) -> Result<Claim, Unusable> {
    use rustix::fs::{Access, access};
    let folder = folder_of(path);
    let cannot =
        |why: &str, hint: &str| Unusable::new(format!("the file `{}` cannot be written: {why}", path.display()), hint);
    if !folder.is_dir() {
        return Err(cannot(&format!("there is no folder `{}`", folder.display()), "make the folder first"));
    }
    if path.file_name().is_none() || path.is_dir() {
        return Err(cannot("it is a folder", "name a file in it"));
    }
    let asked = if path.exists() { path } else { folder };
    access(asked, Access::WRITE_OK).map_err(|error| cannot(&error.to_string(), ""))?;
    Ok(Claim::written_file(path))
}

/// Checks that an interface of Linux may have a name.
fn named(name: &str) -> Result<(), Unusable> {
    let is_wrong = |letter: char| letter == '/' || letter == ':' || letter.is_whitespace() || letter.is_control();
    if name.is_empty() || name.len() > LONGEST_NAME || name.contains(is_wrong) || name == "." || name == ".." {
        let hint = format!("1 to {LONGEST_NAME} bytes without `/`, `:` and spaces");
        return Err(Unusable::new(format!("`{name}` cannot be the name of an interface"), hint));
    }
    Ok(())
}

/// Returns the names of the interfaces that exist in the network namespace of this thread.
fn existing() -> String {
    let devices = std::fs::read_to_string("/proc/thread-self/net/dev").unwrap_or_default();
    let names = devices.lines().skip(2).filter_map(|line| line.split_once(':'));
    let mut names: Vec<&str> = names.map(|(name, _)| name.trim()).collect();
    names.sort_unstable();
    names.join(", ")
}

/// Returns whether this thread has a capability in its user namespace; `None` if that is not known.
fn has_capability(number: u32) -> Option<bool> {
    let status = std::fs::read_to_string("/proc/thread-self/status").ok()?;
    let set = status.lines().find_map(|line| line.strip_prefix("CapEff:"))?;
    Some(u64::from_str_radix(set.trim(), 16).ok()? >> number & 1 == 1)
}

impl Kind {
    /// Returns the kind of a name, if there is one.
    pub fn named(name: &str) -> Option<&'static Self> {
        KINDS.iter().find(|kind| kind.name == name)
    }
}
