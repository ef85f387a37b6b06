//! Calls that send or receive many datagrams at once (udp(7), UDP_SEGMENT and UDP_GRO).
//!
//! They are of ours because quinn-udp, which has them as well, sends only contiguous bytes, so that headers and payload
//! of each frame would have to be copied together; it also forbids fragments, which frames of 1,514 bytes need on a link
//! of that length.
#![allow(unsafe_code)] // control messages of UDP have no safe form in rustix

use std::io::{self, IoSlice};
use std::mem::{size_of, zeroed};
use std::net::UdpSocket;
use std::os::fd::AsRawFd;

/// The most datagrams that one call sends (UDP_MAX_SEGMENTS of linux/udp.h before version 6.9).
pub const MOST_TOGETHER: usize = 64;
/// The room in bytes for datagrams that wait in the kernel, in either direction.
const BUFFER: libc::c_int = 8 << 20;

/// The room for control messages, aligned as they are.
#[repr(C, align(8))]
struct ControlRoom([u8; 64]);

/// Lets a socket receive datagrams of one length together, where the kernel can, and gives it room for bursts.
pub fn prepare(socket: &UdpSocket) {
    // Without these options the socket does the same, with more calls or less room.
    let _ = set(socket, libc::SOL_UDP, libc::UDP_GRO, 1);
    for [forced, limited] in [[libc::SO_RCVBUFFORCE, libc::SO_RCVBUF], [libc::SO_SNDBUFFORCE, libc::SO_SNDBUF]] {
        // Without CAP_NET_ADMIN the system's limit applies.
        let _ =
            set(socket, libc::SOL_SOCKET, forced, BUFFER).or_else(|_| set(socket, libc::SOL_SOCKET, limited, BUFFER));
    }
}

fn set(socket: &UdpSocket, level: libc::c_int, option: libc::c_int, value: libc::c_int) -> io::Result<()> {
    let length = size_of::<libc::c_int>() as libc::socklen_t;
    // SAFETY: the value is valid for its length until the call returns.
    let set = unsafe { libc::setsockopt(socket.as_raw_fd(), level, option, (&raw const value).cast(), length) };
    if set < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Sends parts of memory, one after the other: as one datagram, or as datagrams of `segment` bytes each, of which the last
/// may be shorter.
pub fn send(socket: &UdpSocket, parts: &[IoSlice<'_>], segment: Option<u16>) -> io::Result<()> {
    let mut control = ControlRoom([0; 64]);
    // SAFETY: all fields of the message are integers or pointers, for which zero is a value.
    let mut message: libc::msghdr = unsafe { zeroed() };
    // `IoSlice` is guaranteed to have the layout of `iovec`, and the kernel only reads from it.
    message.msg_iov = parts.as_ptr().cast_mut().cast();
    message.msg_iovlen = parts.len() as _;
    if let Some(segment) = segment {
        message.msg_control = control.0.as_mut_ptr().cast();
        // SAFETY: the room is aligned, and larger than one message with a number of 16 bits.
        unsafe {
            message.msg_controllen = libc::CMSG_SPACE(size_of::<u16>() as _) as _;
            let header = libc::CMSG_FIRSTHDR(&raw const message);
            (*header).cmsg_level = libc::SOL_UDP;
            (*header).cmsg_type = libc::UDP_SEGMENT;
            (*header).cmsg_len = libc::CMSG_LEN(size_of::<u16>() as _) as _;
            libc::CMSG_DATA(header).cast::<u16>().write_unaligned(segment);
        }
    }
    // SAFETY: the parts and the room are valid for their lengths until the call returns.
    let sent = unsafe { libc::sendmsg(socket.as_raw_fd(), &raw const message, libc::MSG_NOSIGNAL) };
    if sent < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Receives datagrams into `buffer`, one behind the other. Returns how many bytes they have together, and the length of
/// each; the last may be shorter. What does not fit is lost.
pub fn receive(socket: &UdpSocket, buffer: &mut [u8]) -> io::Result<(usize, usize)> {
    let mut control = ControlRoom([0; 64]);
    let mut part = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
    // SAFETY: all fields of the message are integers or pointers, for which zero is a value.
    let mut message: libc::msghdr = unsafe { zeroed() };
    message.msg_iov = &raw mut part;
    message.msg_iovlen = 1;
    message.msg_control = control.0.as_mut_ptr().cast();
    message.msg_controllen = control.0.len() as _;
    // SAFETY: buffer and room are valid for writing, for their lengths, until the call returns.
    let length = unsafe { libc::recvmsg(socket.as_raw_fd(), &raw mut message, 0) };
    let Ok(length) = usize::try_from(length) else { return Err(io::Error::last_os_error()) };
    Ok((length, segment(&message).filter(|each| (1..length).contains(each)).unwrap_or(length)))
}

/// Returns the length of each datagram that a control message of UDP has.
fn segment(message: &libc::msghdr) -> Option<usize> {
    // SAFETY: the kernel has filled in the message's control data and its length; the macros stay within it.
    unsafe {
        let mut header = libc::CMSG_FIRSTHDR(message);
        while !header.is_null() {
            if (*header).cmsg_level == libc::SOL_UDP && (*header).cmsg_type == libc::UDP_GRO {
                let each = libc::CMSG_DATA(header).cast::<libc::c_int>().read_unaligned();
                return usize::try_from(each).ok();
            }
            header = libc::CMSG_NXTHDR(message, header);
        }
    }
    None
}
