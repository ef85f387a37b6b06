//! The program in front of the sockets, and what bpf(2) does with it.
//!
//! A frame goes to the socket of the queue that received it, behind a program of somebody else that may look at it first. The program is
//! assembled here, because aya, which loads programs as well, takes only ELF objects, and making one needs a linker of BPF that few
//! computers have.
#![allow(unsafe_code)] // bpf(2) has no safe form

use std::io;
use std::mem::size_of;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use bpf::{Assembler, Instruction, Register, Size};

use crate::FrameProgram;

/// The most queues of an interface.
pub const MOST_QUEUES: u32 = 256;

// Commands of bpf(2), kinds of maps and programs, and flags (linux/bpf.h, linux/if_link.h).
const BPF_MAP_CREATE: libc::c_int = 0;
const BPF_MAP_UPDATE_ELEM: libc::c_int = 2;
const BPF_PROG_LOAD: libc::c_int = 5;
const BPF_LINK_CREATE: libc::c_int = 28;
const BPF_MAP_TYPE_XSKMAP: u32 = 17;
const BPF_PROG_TYPE_XDP: u32 = 6;
const BPF_XDP: u32 = 37;
/// The program takes frames in several buffers (Linux 5.18).
const BPF_F_XDP_HAS_FRAGS: u32 = 1 << 5;
const XDP_FLAGS_SKB_MODE: u32 = 1 << 1;
const XDP_FLAGS_DRV_MODE: u32 = 1 << 2;
/// The most bytes of what the kernel says about a program that it refuses.
const LOG: usize = 1 << 20;
/// The verdict that a frame goes on into the kernel.
const XDP_PASS: i32 = 2;
/// The offset of `rx_queue_index` in `struct xdp_md`.
const RX_QUEUE_INDEX: i16 = 16;
const BPF_FUNC_REDIRECT_MAP: i32 = 51;

/// The place in the kernel where the program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// In the driver of the interface, before the kernel makes anything of the frame.
    Native,
    /// In the network stack, in front of all protocols, for any driver.
    Generic,
}

/// Returns the program. The first argument is its context; a queue without a socket leaves its frames to the kernel.
fn instructions(map: BorrowedFd<'_>, front: Option<&FrameProgram>) -> Vec<Instruction> {
    let mut assembler = Assembler::default();
    assembler.set(Register::R6, Register::R1);
    if let Some(front) = front {
        assembler.append(&front.instructions);
    }
    assembler.load(Size::Word, Register::R2, Register::R6, RX_QUEUE_INDEX);
    assembler.map(Register::R1, map.as_raw_fd());
    assembler.set(Register::R3, XDP_PASS);
    assembler.call(BPF_FUNC_REDIRECT_MAP);
    assembler.exit();
    assembler.finish()
}

#[repr(C)]
#[derive(Default)]
struct MapCreate {
    map_type: u32,
    key_size: u32,
    value_size: u32,
    max_entries: u32,
}

#[repr(C)]
#[derive(Default)]
struct MapUpdate {
    map: u32,
    _padding: u32,
    key: u64,
    value: u64,
    flags: u64,
}

#[repr(C)]
#[derive(Default)]
struct ProgramLoad {
    program_type: u32,
    instruction_count: u32,
    instructions: u64,
    license: u64,
    log_level: u32,
    log_size: u32,
    log: u64,
    kernel_version: u32,
    flags: u32,
    name: [u8; 16],
    interface: u32,
    attach_type: u32,
}

#[repr(C)]
#[derive(Default)]
struct LinkCreate {
    program: u32,
    interface: u32,
    attach_type: u32,
    flags: u32,
}

/// Calls bpf(2). The structure of arguments ends where the kernel takes the rest as zeros.
///
/// # Safety
///
/// Addresses in the structure must be valid as the command demands.
unsafe fn bpf<T>(command: libc::c_int, arguments: &T) -> io::Result<libc::c_long> {
    // SAFETY: the structure is valid for its size until the call returns; the caller vouches for what is in it.
    let result = unsafe { libc::syscall(libc::SYS_bpf, command, &raw const *arguments, size_of::<T>()) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// Returns an error of loading a program with the kernel's reason, if it says one.
fn explained(load: ProgramLoad, error: io::Error) -> io::Error {
    let mut log = vec![0; LOG];
    let address = log.as_mut_ptr().expose_provenance() as u64;
    let asking = ProgramLoad { log_level: 1, log_size: LOG as u32, log: address, ..load };
    // SAFETY: instructions and licence are those of the first call, which its caller still has, and the log is valid and as long as it
    // says until the call returns. Should the program be loaded this time, its descriptor is closed.
    let again = unsafe { bpf(BPF_PROG_LOAD, &asking) }.map(owned);
    drop(again);
    let length = log.iter().position(|byte| *byte == 0).unwrap_or(LOG);
    let text = String::from_utf8_lossy(&log[..length]);
    // Before the summary of its work stands what is wrong.
    let reason = text.lines().rev().find(|line| !line.is_empty() && !line.starts_with("processed "));
    match reason {
        Some(reason) => io::Error::other(format!("the kernel refuses the XDP program: {reason} ({error})")),
        None => error,
    }
}

fn owned(descriptor: libc::c_long) -> OwnedFd {
    // SAFETY: the kernel has just opened the descriptor, which belongs to nobody else and fits its type.
    unsafe { OwnedFd::from_raw_fd(descriptor as libc::c_int) }
}

/// The program on an interface. It is gone when this is dropped or the process ends in whatever way, for it hangs on a
/// link that is open and not pinned.
pub struct Program {
    map: OwnedFd,
    _link: OwnedFd,
}

impl Program {
    /// Loads the program, with one in front that looks at each frame if there is one, and attaches it to an interface by its
    /// number.
    ///
    /// # Errors
    ///
    /// Returns the error of the system: CAP_BPF and CAP_NET_ADMIN are missing, the kernel's verifier refuses the program in front,
    /// the interface has another program, or its driver runs none in this mode.
    pub fn attach(interface: u32, mode: Mode, front: Option<&FrameProgram>) -> io::Result<Self> {
        let map = MapCreate { map_type: BPF_MAP_TYPE_XSKMAP, key_size: 4, value_size: 4, max_entries: MOST_QUEUES };
        // SAFETY: the structure has no addresses.
        let map = owned(unsafe { bpf(BPF_MAP_CREATE, &map)? });
        let instructions = instructions(map.as_fd(), front);
        let mut load = ProgramLoad {
            program_type: BPF_PROG_TYPE_XDP,
            instruction_count: instructions.len() as u32,
            instructions: instructions.as_ptr().expose_provenance() as u64,
            license: c"Apache-2.0".as_ptr().expose_provenance() as u64,
            flags: BPF_F_XDP_HAS_FRAGS,
            attach_type: BPF_XDP,
            ..ProgramLoad::default()
        };
        load.name[..9].copy_from_slice(b"polyplane");
        // SAFETY: instructions and licence are valid until the call returns.
        let program = match unsafe { bpf(BPF_PROG_LOAD, &load) } {
            Ok(program) => owned(program),
            // Without a right it is EPERM.
            Err(error) if matches!(error.raw_os_error(), Some(libc::EACCES | libc::EINVAL)) => {
                return Err(explained(load, error));
            }
            Err(error) => return Err(error),
        };
        let flags = match mode {
            Mode::Native => XDP_FLAGS_DRV_MODE,
            Mode::Generic => XDP_FLAGS_SKB_MODE,
        };
        let link = LinkCreate { program: program.as_raw_fd() as u32, interface, attach_type: BPF_XDP, flags };
        // SAFETY: the structure has no addresses.
        let link = owned(unsafe { bpf(BPF_LINK_CREATE, &link)? });
        Ok(Self { map, _link: link })
    }

    /// Sends frames of a queue to a socket from now on.
    ///
    /// # Errors
    ///
    /// Returns the error of the system.
    pub fn serve(&self, queue: u32, socket: BorrowedFd<'_>) -> io::Result<()> {
        let descriptor = socket.as_raw_fd();
        let update = MapUpdate {
            map: self.map.as_raw_fd() as u32,
            key: (&raw const queue).expose_provenance() as u64,
            value: (&raw const descriptor).expose_provenance() as u64,
            ..MapUpdate::default()
        };
        // SAFETY: key and value are valid until the call returns.
        unsafe { bpf(BPF_MAP_UPDATE_ELEM, &update) }.map(|_| ())
    }
}
