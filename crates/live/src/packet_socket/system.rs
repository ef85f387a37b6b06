//! The calls of AF_PACKET that have no safe form in the libraries that we use: rustix has neither its addresses nor its
//! options, and reads none of its control messages. There is no other `unsafe` in this module.
#![allow(unsafe_code)]

use std::ffi::CString;
use std::io::{self, IoSliceMut};
use std::mem::{size_of, zeroed};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

/// A VLAN tag that the kernel took out of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag {
    /// The tag protocol identifier, such as 0x8100.
    pub protocol: u16,
    /// The tag control information: priority and VLAN.
    pub control: u16,
}

/// The room in bytes for frames that wait in the kernel, in either direction.
const BUFFER: libc::c_int = 8 << 20;
/// The option that keeps frames which others send through the interface from being received (linux/if_packet.h).
const PACKET_IGNORE_OUTGOING: libc::c_int = 23;

/// Returns the number of the interface of a name.
pub fn index(name: &str) -> io::Result<libc::c_uint> {
    let name = CString::new(name).map_err(|_| io::ErrorKind::InvalidInput)?;
    // SAFETY: the name ends in a zero byte and lives until the call returns.
    match unsafe { libc::if_nametoindex(name.as_ptr()) } {
        0 => Err(io::Error::last_os_error()),
        index => Ok(index),
    }
}

/// Opens a socket that never blocks and does not receive what others send, bound to no interface yet.
pub fn open() -> io::Result<OwnedFd> {
    // The protocol 0 receives nothing until the socket is bound, so that no frame of another interface slips in.
    let kind = libc::SOCK_RAW | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
    // SAFETY: the call takes no pointers.
    let descriptor = unsafe { libc::socket(libc::AF_PACKET, kind, 0) };
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor was just opened and belongs to nobody else.
    let socket = unsafe { OwnedFd::from_raw_fd(descriptor) };
    for (option, value) in [(libc::PACKET_VNET_HDR, 1), (PACKET_IGNORE_OUTGOING, 1), (libc::PACKET_AUXDATA, 1)] {
        set(&socket, libc::SOL_PACKET, option, &value)?;
    }
    for [forced, limited] in [[libc::SO_RCVBUFFORCE, libc::SO_RCVBUF], [libc::SO_SNDBUFFORCE, libc::SO_SNDBUF]] {
        // Without CAP_NET_ADMIN the system's limit applies.
        set(&socket, libc::SOL_SOCKET, forced, &BUFFER)
            .or_else(|_| set(&socket, libc::SOL_SOCKET, limited, &BUFFER))?;
    }
    Ok(socket)
}

/// Lets a socket receive every frame of an interface, by its number.
pub fn bind(socket: &OwnedFd, index: libc::c_uint) -> io::Result<()> {
    receive_all(socket, index)?;
    // SAFETY: all fields of the address are integers or arrays of them, for which zero is a value.
    let mut address: libc::sockaddr_ll = unsafe { zeroed() };
    address.sll_family = libc::AF_PACKET as u16;
    address.sll_protocol = (libc::ETH_P_ALL as u16).to_be();
    address.sll_ifindex = index as libc::c_int;
    // SAFETY: the address is valid for its length until the call returns.
    let bound = unsafe {
        libc::bind(socket.as_raw_fd(), (&raw const address).cast(), size_of::<libc::sockaddr_ll>() as libc::socklen_t)
    };
    if bound < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Lets an interface receive frames that are meant for others, as a switch does, until the socket is closed or the interface
/// is gone.
fn receive_all(socket: &OwnedFd, index: libc::c_uint) -> io::Result<()> {
    let membership = libc::packet_mreq {
        mr_ifindex: index as libc::c_int,
        mr_type: libc::PACKET_MR_PROMISC as u16,
        mr_alen: 0,
        mr_address: [0; 8],
    };
    set(socket, libc::SOL_PACKET, libc::PACKET_ADD_MEMBERSHIP, &membership)
}

/// Lets an interface receive frames that are meant for others while this exists. It receives none itself.
#[cfg(feature = "af_xdp")]
pub struct Promiscuous {
    _socket: OwnedFd,
}

#[cfg(feature = "af_xdp")]
impl Promiscuous {
    pub fn new(index: libc::c_uint) -> io::Result<Self> {
        let socket = open()?;
        receive_all(&socket, index)?;
        Ok(Self { _socket: socket })
    }
}

/// Sets an option whose value has no pointers.
fn set<T: Copy>(socket: &OwnedFd, level: libc::c_int, option: libc::c_int, value: &T) -> io::Result<()> {
    let (value, length) = (&raw const *value, size_of::<T>() as libc::socklen_t);
    // SAFETY: the value is valid for its length until the call returns.
    let set = unsafe { libc::setsockopt(socket.as_raw_fd(), level, option, value.cast(), length) };
    if set < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// The room for one control message with `tpacket_auxdata`, aligned as control messages are.
#[repr(C, align(8))]
struct ControlRoom([u8; 64]);

/// Receives a frame into parts, one after the other. Returns its number of bytes, and the VLAN tag that the kernel took
/// out of it. What does not fit is lost.
pub fn receive(socket: BorrowedFd<'_>, parts: &mut [IoSliceMut<'_>]) -> io::Result<(usize, Option<Tag>)> {
    let mut control = ControlRoom([0; 64]);
    // SAFETY: all fields of the message are integers or pointers, for which zero is a value.
    let mut message: libc::msghdr = unsafe { zeroed() };
    // `IoSliceMut` is guaranteed to have the layout of `iovec`.
    message.msg_iov = parts.as_mut_ptr().cast();
    message.msg_iovlen = parts.len() as _;
    message.msg_control = control.0.as_mut_ptr().cast();
    message.msg_controllen = control.0.len() as _;
    // SAFETY: parts and room are valid for writing, for their lengths, until the call returns.
    let length = unsafe { libc::recvmsg(socket.as_raw_fd(), &raw mut message, 0) };
    let Ok(length) = usize::try_from(length) else { return Err(io::Error::last_os_error()) };
    Ok((length, tag(&message)))
}

/// Returns the VLAN tag that a control message of AF_PACKET has.
fn tag(message: &libc::msghdr) -> Option<Tag> {
    // SAFETY: the kernel has filled in the message's control data and its length; the macros stay within it.
    unsafe {
        let mut header = libc::CMSG_FIRSTHDR(message);
        while !header.is_null() {
            if (*header).cmsg_level == libc::SOL_PACKET && (*header).cmsg_type == libc::PACKET_AUXDATA {
                let data: libc::tpacket_auxdata =
                    libc::CMSG_DATA(header).cast::<libc::tpacket_auxdata>().read_unaligned();
                if data.tp_status & libc::TP_STATUS_VLAN_VALID == 0 {
                    return None;
                }
                let has_protocol = data.tp_status & libc::TP_STATUS_VLAN_TPID_VALID != 0;
                let protocol = if has_protocol { data.tp_vlan_tpid } else { libc::ETH_P_8021Q as u16 };
                return Some(Tag { protocol, control: data.tp_vlan_tci });
            }
            header = libc::CMSG_NXTHDR(message, header);
        }
    }
    None
}
