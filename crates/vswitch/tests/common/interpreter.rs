//! The program of the pre-processor, run by an interpreter of BPF in user space.

use bpf::{Assembler, Instruction, Register};
use wire::{Packet, SharedBytes, Sidecar, Tail};

/// The bytes of a frame that AF_XDP puts into the head of its packet.
const HEAD: usize = 128;
/// The length of the context before the program: the addresses of the frame's first byte, of the one behind its last, and of its
/// metadata.
const CONTEXT: usize = 24;
/// The code of an instruction that loads 32 bits, and that of one that loads 64.
const LOAD_WORD: u8 = 0x61;
const LOAD_DOUBLE: u8 = 0x79;
/// `bpf_xdp_adjust_meta`.
const ADJUST_META: u32 = 54;

/// A program as an interpreter takes it.
pub struct Program(Vec<u8>);

impl Program {
    pub fn of(instructions: &[Instruction]) -> Self {
        let mut assembler = Assembler::default();
        assembler.set(Register::R6, Register::R1);
        assembler.append(instructions);
        assembler.set(Register::R0, 0);
        assembler.exit();
        let rewritten = |instruction: Instruction| {
            let mut bytes = instruction.bytes();
            // The kernel rewrites loads of the context, whose addresses have 32 bits in `struct xdp_md`, in the same way.
            if bytes[0] == LOAD_WORD && bytes[1] >> 4 == 6 {
                bytes[0] = LOAD_DOUBLE;
                bytes[2] *= 2;
            }
            bytes
        };
        Self(assembler.finish().into_iter().flat_map(rewritten).collect())
    }

    /// Returns what the program writes in front of a frame.
    pub fn writes(&self, frame: &[u8]) -> [u8; 16] {
        let mut memory = vec![0; CONTEXT + 16 + frame.len()];
        memory[CONTEXT + 16..].copy_from_slice(frame);
        let start = memory.as_ptr().expose_provenance() as u64;
        let addresses = [start + 40, start + 40 + frame.len() as u64, start + 24];
        for (into, address) in memory.chunks_exact_mut(8).zip(addresses) {
            into.copy_from_slice(&address.to_ne_bytes());
        }
        let mut machine = rbpf::EbpfVmRaw::new(Some(&self.0)).expect("the program is valid");
        machine.register_helper(ADJUST_META, |_, _, _, _, _| 0).expect("it has no other of this number");
        machine.execute_program(&mut memory).expect("the program stays within the frame");
        *memory[CONTEXT..].first_chunk().expect("it is that long")
    }

    /// Returns the packet of a frame as AF_XDP hands it over, with what the program has written in front.
    pub fn in_front_of(&self, packet: &Packet) -> Packet {
        let mut frame = Vec::new();
        packet.append_to(&mut frame);
        received(&self.writes(&frame), &frame, packet.sidecar)
    }
}

/// Returns the packet of a frame as AF_XDP hands it over, with nothing in front.
#[allow(dead_code)] // not every test compares with it
pub fn without_program(packet: &Packet) -> Packet {
    let mut frame = Vec::new();
    packet.append_to(&mut frame);
    received(&[], &frame, packet.sidecar)
}

fn received(written: &[u8], frame: &[u8], sidecar: Sidecar) -> Packet {
    let (head, tail) = frame.split_at(frame.len().min(HEAD));
    let tail = if tail.is_empty() { Tail::Length(0) } else { Tail::Bytes(SharedBytes::from(tail)) };
    let mut packet = Packet::of_parts(written, head, tail, sidecar);
    packet.head.set_apart(written.len());
    packet
}
