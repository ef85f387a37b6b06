//! Whether an interface can go from one process to another that takes its work over.

use crate::kinds::{Options, split};
use crate::tun_link::tap_link;
use crate::{PacketSocket, namespace};

/// The way in which an interface goes from one process to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Succession {
    /// Both have it at once, and receive the same frames.
    Shared,
    /// The second opens it when the first has closed it.
    Reopened,
    /// It is gone when the first process closes it: a TAP interface that it made, or files.
    Impossible,
}

/// Returns how the interface of a name goes from one process to another.
///
/// # Errors
///
/// Returns the error of the system if there is no such kind or network namespace.
pub fn succession(name: &str, options: &Options) -> std::io::Result<Succession> {
    let (kind, rest) = split(name, options)?;
    let stays = || tap_link(rest).is_some_and(|tap| tap.is_persistent);
    let tap = || if stays() { Succession::Reopened } else { Succession::Impossible };
    namespace::within(options.namespace.as_deref(), || {
        Ok(match kind.map(|kind| kind.name) {
            Some("packet") => Succession::Shared,
            Some("tap") => tap(),
            Some("pcapng") => Succession::Impossible,
            Some(_) => Succession::Reopened,
            None if PacketSocket::exists(rest) && tap_link(rest).is_none() => Succession::Shared,
            None => tap(),
        })
    })
}
