//! Whether an interface can go from one process to another that takes its work over.

use std::path::Path;

use crate::kinds::{Options, split};
use crate::{PacketSocket, namespace};

/// The flag of a TAP interface that stays when the process that reads it ends (linux/if_tun.h, IFF_PERSIST).
const PERSISTENT: u32 = 0x0800;

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
    let tap = || if is_persistent(rest) { Succession::Reopened } else { Succession::Impossible };
    namespace::within(options.namespace.as_deref(), || {
        Ok(match kind.map(|kind| kind.name) {
            Some("packet") => Succession::Shared,
            Some("tap") => tap(),
            Some("pcapng") => Succession::Impossible,
            Some(_) => Succession::Reopened,
            None if PacketSocket::exists(rest) && flags(rest).is_none() => Succession::Shared,
            None => tap(),
        })
    })
}

/// Returns the flags of a TAP interface of the network namespace whose `/sys` this is.
fn flags(name: &str) -> Option<u32> {
    let text = std::fs::read_to_string(Path::new("/sys/class/net").join(name).join("tun_flags")).ok()?;
    u32::from_str_radix(text.trim().trim_start_matches("0x"), 16).ok()
}

fn is_persistent(name: &str) -> bool {
    flags(name).is_some_and(|flags| flags & PERSISTENT != 0)
}
