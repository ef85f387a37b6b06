//! The right to interfaces that several processes could open at once: two switches at one interface would both pass its packets on.
//!
//! A claim is a socket with a name in the abstract namespace (unix(7)), which the kernel has once for each network namespace, and
//! which goes with its process, however that ends.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::net::UnixDatagram;

use live::{Options, Succession, Unusable, succession};

/// The interfaces that this process has claimed, by their names.
#[derive(Default)]
pub(crate) struct Claims(BTreeMap<String, UnixDatagram>);

impl Claims {
    /// Claims an interface, unless the kernel gives it to one process alone anyway.
    ///
    /// # Errors
    /// Returns that another switch of this network namespace has it.
    pub fn take(&mut self, interface: &str) -> Result<(), Unusable> {
        let link = interface.strip_prefix("packet:").unwrap_or(interface);
        let is_shared = succession(interface, &Options::default()).is_ok_and(|it| it == Succession::Shared);
        if !is_shared || self.0.contains_key(link) {
            return Ok(());
        }
        match bound(link) {
            Ok(socket) => _ = self.0.insert(link.to_owned(), socket),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                let message = format!("another virtual switch passes the packets of `{link}` on");
                let hint = "stop that one, or use another interface; `polyplane vswitch upgrade` takes over from it";
                return Err(Unusable::new(message, hint));
            }
            // Nothing says that another one has it.
            Err(_) => {}
        }
        Ok(())
    }

    /// Gives up what is not among some interfaces.
    pub fn keep<'a>(&mut self, interfaces: impl Iterator<Item = &'a str>) {
        let kept: Vec<&str> = interfaces.map(|name| name.strip_prefix("packet:").unwrap_or(name)).collect();
        self.0.retain(|name, _| kept.contains(&name.as_str()));
    }

    /// Adds the claims of others.
    pub fn append(&mut self, mut others: Claims) {
        self.0.append(&mut others.0);
    }
}

#[cfg(target_os = "linux")]
fn bound(link: &str) -> io::Result<UnixDatagram> {
    use std::os::linux::net::SocketAddrExt;
    let name = format!("polyplane/vswitch/{link}");
    UnixDatagram::bind_addr(&std::os::unix::net::SocketAddr::from_abstract_name(name)?)
}

#[cfg(not(target_os = "linux"))]
fn bound(_link: &str) -> io::Result<UnixDatagram> {
    UnixDatagram::unbound()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interface_belongs_to_one_switch() {
        let (mut one, mut two) = (Claims::default(), Claims::default());
        one.take("packet:lo").expect("nobody has it");
        one.take("lo").expect("it is the same one");
        let refused = two.take("lo").expect_err("it is taken");
        assert_eq!(refused.message, "another virtual switch passes the packets of `lo` on");
        two.take("udp:127.0.0.1:0,127.0.0.1:1").expect("the kernel looks after that");
        one.keep(std::iter::empty());
        two.take("lo").expect("it was given up");
    }
}
