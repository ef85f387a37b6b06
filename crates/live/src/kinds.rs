//! The kinds of interfaces that can be opened by name.

use std::io;

use crate::check::{self, Claim, Unusable};
use crate::{CaptureFiles, FrameProgram, Interface, PacketSocket, Tap, Udp, namespace};

/// How an interface is opened. The default is the kind that fits the name, in the network namespace of the thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The network namespace of the interface: a name of `ip netns`, or a path such as `/proc/1/ns/net`.
    pub namespace: Option<String>,
    /// The name of the kind, one of [`KINDS`].
    pub kind: Option<String>,
    /// A program that looks at each frame inside the kernel, for kinds that run one ([`Kind::runs_programs`]).
    pub program: Option<FrameProgram>,
}

/// A kind of interfaces.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// The name, which may stand in front of an interface's name with a colon.
    pub name: &'static str,
    /// The text that follows the colon.
    pub form: &'static str,
    /// The description of the kind, in a sentence.
    pub about: &'static str,
    /// Whether [`Options::program`] is run.
    pub runs_programs: bool,
    /// Checks a name without touching anything, in the network namespace of this thread.
    pub(crate) check: fn(&str) -> Result<Vec<Claim>, Unusable>,
    /// Returns the name of the interface of Linux that a name leads to; `None` if it leads to something else, such as a socket or files.
    pub(crate) link: fn(&str) -> Option<&str>,
    open: fn(&str, &Options) -> io::Result<Box<dyn Interface>>,
}

/// All kinds of interfaces.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "packet",
        form: "INTERFACE",
        about: "All frames of an interface that exists, by a packet socket.",
        runs_programs: false,
        check: check::packet,
        link: |name| Some(name),
        open: |name, _| Ok(Box::new(PacketSocket::open(name)?)),
    },
    Kind {
        name: "tap",
        form: "INTERFACE",
        about: "A TAP interface, which is made unless it exists.",
        runs_programs: false,
        check: check::tap,
        link: |name| Some(name),
        open: |name, options| Ok(Box::new(Tap::open(name)?.in_namespace(options.namespace.clone()))),
    },
    #[cfg(feature = "af_xdp")]
    Kind {
        name: "xdp",
        form: "INTERFACE[,mode=native|generic]",
        about: "All frames of an interface that exists, by AF_XDP sockets.",
        runs_programs: true,
        check: crate::xdp::check,
        // What follows a comma says how it is opened.
        link: |name| name.split(',').next(),
        open: |name, options| Ok(Box::new(crate::Xdp::open_with(name, options)?)),
    },
    #[cfg(feature = "vhost_user")]
    Kind {
        name: "vhost-user",
        form: "SOCKET",
        about: "The network card of a virtual machine, whose front end connects to a socket.",
        runs_programs: false,
        check: crate::vhost_user::check::listening,
        link: |_| None,
        open: |path, _| Ok(Box::new(crate::VhostUser::open(path)?)),
    },
    #[cfg(feature = "vhost_user")]
    Kind {
        name: "vhost-user-client",
        form: "SOCKET",
        about: "The network card of a virtual machine, whose front end listens on a socket.",
        runs_programs: false,
        check: crate::vhost_user::check::connecting,
        link: |_| None,
        open: |path, _| Ok(Box::new(crate::VhostUser::connect(path)?)),
    },
    Kind {
        name: "udp",
        form: "LOCAL,REMOTE",
        about: "A UDP socket, each of whose datagrams is a frame.",
        runs_programs: false,
        check: check::udp,
        link: |_| None,
        open: |name, _| Ok(Box::new(Udp::open(name)?)),
    },
    Kind {
        name: "pcapng",
        form: "IN.pcapng,OUT.pcapng",
        about: "Frames of a capture file in real time, and a capture file of what is sent. Either may be left out.",
        runs_programs: false,
        check: check::capture_files,
        link: |_| None,
        open: |name, _| Ok(Box::new(CaptureFiles::open(name)?)),
    },
];

/// Opens the interface of a name. `KIND:NAME` names its kind; without one in the name or in the options it is a
/// [`PacketSocket`] if there is such an interface that is not a TAP, and otherwise a [`Tap`].
///
/// # Errors
///
/// Returns the error of the system, as [`PacketSocket::open`] and [`Tap::open`] do, that there is no such kind or network
/// namespace, or that a name is not of the form that its kind has.
pub fn open(name: &str, options: &Options) -> io::Result<Box<dyn Interface>> {
    let (kind, name) = split(name, options)?;
    let open = || match kind {
        Some(kind) => (kind.open)(name, options),
        None => open_what_fits(name, options),
    };
    namespace::within(options.namespace.as_deref(), open)
}

/// Returns the kind that a name or the options name; `None` if neither does, so that it depends on what there is.
///
/// # Errors
///
/// Returns that there is no such kind.
pub fn kind_of(name: &str, options: &Options) -> io::Result<Option<&'static Kind>> {
    Ok(split(name, options)?.0)
}

/// Returns the kind that a name or the options name, and what it takes.
///
/// # Errors
///
/// Returns that there is no such kind.
pub(crate) fn split<'a>(name: &'a str, options: &Options) -> io::Result<(Option<&'static Kind>, &'a str)> {
    let (kind, rest) = match (&options.kind, name.split_once(':')) {
        (Some(kind), _) => (kind.as_str(), name),
        (None, Some(parts)) => parts,
        (None, None) => return Ok((None, name)),
    };
    let unknown = || {
        let why = match kind {
            "xdp" => ": it is built with `--features af_xdp`",
            "vhost-user" | "vhost-user-client" => ": it is built with the feature `vhost_user` of `polyplane-live`",
            _ => "",
        };
        io::Error::new(io::ErrorKind::InvalidInput, format!("there is no kind of interfaces `{kind}`{why}"))
    };
    Ok((Some(Kind::named(kind).ok_or_else(unknown)?), rest))
}

/// Opens an interface of Linux, of the kind that fits what there is.
fn open_what_fits(name: &str, options: &Options) -> io::Result<Box<dyn Interface>> {
    let tap = || Tap::open(name).map(|tap| tap.in_namespace(options.namespace.clone()));
    if !PacketSocket::exists(name) {
        return Ok(Box::new(tap()?));
    }
    // Only the driver of TAP interfaces knows which interfaces are its own (`/sys` may show those of another network
    // namespace): it refuses others as invalid.
    match tap() {
        Ok(tap) => Ok(Box::new(tap)),
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::NotFound) => {
            Ok(Box::new(PacketSocket::open(name)?))
        }
        Err(error) => Err(error),
    }
}
