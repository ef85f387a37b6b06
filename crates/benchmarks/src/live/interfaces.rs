//! Opens what the cross-connect reads and writes: packet sockets and TAP interfaces with virtio headers. It is written
//! without the room `live`, with which it is compared, and needs calls that no library has in a safe form: addresses and
//! options of AF_PACKET (packet(7)), the two calls that make a TAP interface (Documentation/networking/tuntap.rst), and
//! those that switch offloads off (linux/ethtool.h).
#![allow(unsafe_code)]

use std::ffi::CString;
use std::fs::OpenOptions;
use std::io;
use std::mem::{size_of, zeroed};
use std::net::{Ipv4Addr, UdpSocket};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;

/// The room in bytes for frames that wait, in either direction.
const BUFFER: libc::c_int = 8 << 20;
/// The option that keeps frames which others send through the interface from being received (linux/if_packet.h).
const PACKET_IGNORE_OUTGOING: libc::c_int = 23;

/// Opens a socket that receives and sends all frames of an interface, with a virtio header in front of each.
pub fn packet_socket(name: &str) -> io::Result<OwnedFd> {
    let name = CString::new(name)?;
    // SAFETY: the name ends in a zero byte and lives until the call returns; the other call takes no pointers.
    let (index, descriptor) = unsafe {
        let index = libc::if_nametoindex(name.as_ptr());
        (index as libc::c_int, libc::socket(libc::AF_PACKET, libc::SOCK_RAW | libc::SOCK_NONBLOCK, 0))
    };
    done(if index == 0 { -1 } else { 0 })?;
    done(descriptor)?;
    // SAFETY: the descriptor was just opened and belongs to nobody else.
    let socket = unsafe { OwnedFd::from_raw_fd(descriptor) };
    set(&socket, libc::SOL_PACKET, libc::PACKET_VNET_HDR, &1)?;
    set(&socket, libc::SOL_PACKET, PACKET_IGNORE_OUTGOING, &1)?;
    for [forced, limited] in [[libc::SO_RCVBUFFORCE, libc::SO_RCVBUF], [libc::SO_SNDBUFFORCE, libc::SO_SNDBUF]] {
        // In a user namespace the system's limit applies.
        set(&socket, libc::SOL_SOCKET, forced, &BUFFER)
            .or_else(|_| set(&socket, libc::SOL_SOCKET, limited, &BUFFER))?;
    }
    let membership = libc::packet_mreq {
        mr_ifindex: index,
        mr_type: libc::PACKET_MR_PROMISC as u16,
        mr_alen: 0,
        mr_address: [0; 8],
    };
    set(&socket, libc::SOL_PACKET, libc::PACKET_ADD_MEMBERSHIP, &membership)?;
    // SAFETY: all fields of the address are integers or arrays of them, for which zero is a value.
    let mut address: libc::sockaddr_ll = unsafe { zeroed() };
    address.sll_family = libc::AF_PACKET as u16;
    address.sll_protocol = (libc::ETH_P_ALL as u16).to_be();
    address.sll_ifindex = index;
    // SAFETY: the address is valid for its length until the call returns.
    done(unsafe {
        libc::bind(socket.as_raw_fd(), (&raw const address).cast(), size_of::<libc::sockaddr_ll>() as u32)
    })?;
    Ok(socket)
}

/// Makes a TAP interface whose frames have a virtio header, and which leaves checksums and segments to whoever reads.
pub fn tap(name: &str) -> io::Result<OwnedFd> {
    let tap = OpenOptions::new().read(true).write(true).custom_flags(libc::O_NONBLOCK).open("/dev/net/tun")?;
    let mut request = named(name);
    request.ifr_ifru.ifru_flags = (libc::IFF_TAP | libc::IFF_NO_PI | libc::IFF_VNET_HDR) as libc::c_short;
    // SAFETY: the request is valid until the call returns.
    done(unsafe { libc::ioctl(tap.as_raw_fd(), libc::TUNSETIFF as _, &raw const request) })?;
    let offloads = libc::TUN_F_CSUM
        | libc::TUN_F_TSO4
        | libc::TUN_F_TSO6
        | libc::TUN_F_TSO_ECN
        | libc::TUN_F_USO4
        | libc::TUN_F_USO6;
    // SAFETY: the call takes a number in place of a pointer.
    done(unsafe { libc::ioctl(tap.as_raw_fd(), libc::TUNSETOFFLOAD as _, libc::c_ulong::from(offloads)) })?;
    Ok(tap.into())
}

/// Tells an interface to complete checksums and to cut segments before a frame leaves, for a neighbour that reads frames
/// without virtio headers (ethtool's `tx off` and `gso off`).
pub fn whole_frames(name: &str) -> io::Result<()> {
    /// `struct ethtool_value` (linux/ethtool.h).
    #[repr(C)]
    struct Value {
        command: u32,
        value: u32,
    }
    /// `ETHTOOL_STXCSUM` and `ETHTOOL_SGSO`.
    const COMMANDS: [u32; 2] = [0x17, 0x24];
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
    for command in COMMANDS {
        let mut value = Value { command, value: 0 };
        let mut request = named(name);
        request.ifr_ifru.ifru_data = (&raw mut value).cast();
        // SAFETY: the request and the value that it points to are valid until the call returns.
        done(unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCETHTOOL as _, &raw const request) })?;
    }
    Ok(())
}

/// Returns a request about the interface of a name, which is cut if it is too long.
fn named(name: &str) -> libc::ifreq {
    // SAFETY: all fields of the request are integers, arrays of them or pointers, for which zero is a value.
    let mut request: libc::ifreq = unsafe { zeroed() };
    for (to, byte) in request.ifr_name.iter_mut().zip(name.bytes().take(libc::IFNAMSIZ - 1)) {
        *to = byte as libc::c_char;
    }
    request
}

/// Sets an option whose value has no pointers.
fn set<T: Copy>(socket: &OwnedFd, level: libc::c_int, option: libc::c_int, value: &T) -> io::Result<()> {
    let length = size_of::<T>() as libc::socklen_t;
    // SAFETY: the value is valid for its length until the call returns.
    done(unsafe { libc::setsockopt(socket.as_raw_fd(), level, option, (&raw const *value).cast(), length) })
}

/// Returns the error of a call that returned a negative number.
fn done(returned: libc::c_int) -> io::Result<()> {
    if returned < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
