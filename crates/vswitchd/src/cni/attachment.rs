//! A container's attachment to a network, and what is called after it.

use std::path::PathBuf;

use super::network::Network;
use super::{Call, CniError};

/// A container's attachment to a network.
pub(super) struct Attachment {
    pub container: String,
    /// The name of the interface in the container.
    pub interface: String,
    /// The network namespace of the container; `None` if it is gone.
    pub namespace: Option<PathBuf>,
    network: String,
}

impl Attachment {
    /// Reads the attachment from the runtime's environment.
    pub fn of(call: &Call<'_>, network: &Network) -> Result<Self, CniError> {
        let (container, interface) = (call.needed("CNI_CONTAINERID")?, call.needed("CNI_IFNAME")?);
        // Section 2, "Parameters".
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        if !container.chars().all(is_letter) || !container.starts_with(|letter: char| letter.is_ascii_alphanumeric()) {
            return Err(CniError::environment(format!("`{container}` is no identifier of a container")));
        }
        // What the kernel takes as the name of an interface (dev_valid_name).
        let is_wrong = |letter: char| letter == '/' || letter == ':' || letter.is_whitespace();
        if interface.len() > 15 || [".", ".."].contains(&&*interface) || interface.contains(is_wrong) {
            return Err(CniError::environment(format!("`{interface}` is no name of an interface")));
        }
        let namespace = (call.variable)("CNI_NETNS").filter(|path| !path.is_empty()).map(PathBuf::from);
        Ok(Self { container, interface, namespace, network: network.name.clone() })
    }

    /// Returns the attachment of a vNIC of this network, if it is one.
    pub fn of_vnic(vnic: &str, network: &Network) -> Option<Self> {
        let mut parts = vnic.strip_prefix("cni:")?.split(':');
        let (of, container, interface) = (parts.next()?, parts.next()?, parts.next()?);
        let is_whole = parts.next().is_none() && of == network.name;
        is_whole.then(|| Self {
            container: container.to_owned(),
            interface: interface.to_owned(),
            namespace: None,
            network: of.to_owned(),
        })
    }

    /// Returns the namespace of the container.
    pub fn namespace(&self) -> Result<&PathBuf, CniError> {
        self.namespace.as_ref().ok_or_else(|| CniError::environment("the variable CNI_NETNS is missing"))
    }

    /// Returns the name of the vNIC.
    pub fn vnic(&self) -> String {
        let Self { network, container, interface, .. } = self;
        format!("cni:{network}:{container}:{interface}")
    }

    /// Returns a number that is the same whenever the plugin is called for this attachment, and another one for all others.
    fn number(&self) -> u64 {
        self.vnic().bytes().fold(0, |sum, byte| basis::mix(sum ^ u64::from(byte)))
    }

    /// Returns the name of the host's end of the link.
    pub fn host_interface(&self) -> String {
        format!("pp{:012x}", self.number() >> 16)
    }

    /// Returns the Ethernet address of the container: one that is administered locally.
    pub fn mac(&self) -> String {
        let [_, _, rest @ ..] = basis::mix(self.number()).to_be_bytes();
        let own = [0x0A, rest[1], rest[2], rest[3], rest[4], rest[5]];
        own.map(|byte| format!("{byte:02x}")).join(":")
    }
}
