//! TAP interfaces of Linux: Ethernet interfaces whose other end is a program (Linux,
//! Documentation/networking/tuntap.rst).
//!
//! Frames carry virtio headers (`IFF_VNET_HDR`), and the kernel is told that they need not be cut nor have complete
//! checksums (`TUNSETOFFLOAD`).

use std::collections::VecDeque;
use std::io::{self, IoSliceMut};
use std::os::fd::{AsFd, BorrowedFd};

use node::{Burst, Discarded};
use tun_rs::{DeviceBuilder, Layer, SyncDevice};
use wire::Packet;

use crate::link_watch::LinkWatch;
use crate::{Interface, InterfaceEvent, Offload, frames, namespace};

/// The program's end of a TAP interface. The interface is removed when this is dropped, unless it existed before.
pub struct Tap {
    name: String,
    /// The network namespace of the interface, if it is not that of the thread.
    namespace: Option<String>,
    device: SyncDevice,
    watch: LinkWatch,
    receiver: frames::Receiver,
    sender: frames::Sender,
}

impl Tap {
    /// Creates a TAP interface, or attaches to an existing one that no other program uses. Its administrative state is
    /// not changed, so a new interface is down.
    ///
    /// # Errors
    ///
    /// Returns the error of the system: there is no `/dev/net/tun`, CAP_NET_ADMIN is missing, the interface is in use,
    /// or the name is too long.
    pub fn open(name: &str) -> io::Result<Self> {
        let device = attach(name)?;
        let watch = LinkWatch::new(name, device.if_index()?)?;
        Ok(Self {
            name: name.to_owned(),
            namespace: None,
            device,
            watch,
            receiver: frames::Receiver::new(),
            sender: frames::Sender::default(),
        })
    }

    /// Says in which network namespace the interface is, so that it is found again there.
    pub(crate) fn in_namespace(self, namespace: Option<String>) -> Self {
        Self { namespace, ..self }
    }
}

fn attach(name: &str) -> io::Result<SyncDevice> {
    let builder = DeviceBuilder::new().name(name).layer(Layer::L2).inherit_enable_state().offload(true);
    let device = builder.build_sync()?;
    device.set_nonblocking(true)?;
    Ok(device)
}

impl Interface for Tap {
    fn name(&self) -> &str {
        &self.name
    }

    fn offload(&self) -> Offload {
        Offload { checksum: true, tcp_segmentation: true, udp_segmentation: true }
    }

    fn longest_frame(&self) -> Option<u32> {
        self.watch.longest_frame()
    }

    fn receive(&mut self, limit: usize, into: &mut Burst, discarded: &mut Vec<Discarded>) -> io::Result<()> {
        let read = |parts: &mut [IoSliceMut<'_>]| Ok((rustix::io::readv(&self.device, parts)?, ()));
        self.receiver.receive_burst(limit, (into, discarded), read, |_, ()| ())
    }

    fn send(
        &mut self,
        packets: &mut VecDeque<Packet>,
        sent: &mut Burst,
        discarded: &mut Vec<Discarded>,
    ) -> io::Result<()> {
        let (offload, to) = (self.offload(), &self.device);
        self.sender.send(offload, packets, (sent, discarded), |parts| Ok(rustix::io::writev(to, parts)?))
    }

    fn descriptor(&self) -> BorrowedFd<'_> {
        self.device.as_fd()
    }

    fn events(&self) -> Option<BorrowedFd<'_>> {
        Some(self.watch.descriptor())
    }

    fn next_event(&mut self) -> io::Result<Option<InterfaceEvent>> {
        let event = self.watch.next()?;
        // An interface that has moved into another network namespace is gone only from this one: the device has it still.
        let is_elsewhere = |tap: &Self| tap.device.name().is_ok();
        match event {
            Some(InterfaceEvent::Removed) if is_elsewhere(self) => return Ok(Some(InterfaceEvent::Up)),
            Some(InterfaceEvent::Returned) if is_elsewhere(self) => return self.next_event(),
            _ => {}
        }
        if event == Some(InterfaceEvent::Returned) {
            // The old device has lost its interface for good. The new one may be gone again, or be of another kind.
            self.device = namespace::within(self.namespace.as_deref(), || attach(&self.name))?;
        }
        Ok(event)
    }
}
