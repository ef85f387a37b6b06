//! The state that compiled code and its helpers access while a block runs.
//!
//! Compiled code receives a pointer to a [`Context`] and one to the packet's words. It accesses fields of the context
//! by their offsets and passes the context on to helpers, which are written in Rust.
#![allow(unsafe_code)] // Pointers come back from compiled code: see `Words`.

use std::mem::offset_of;

use ir::interpret::{Request, Surroundings};
use machines::blocks::{Frame, Gate};
use runtime::checksum::BitString;
use runtime::tables::EntryHandle;
use runtime::{RegisterFile, TableState};
use wire::Tail;

use crate::Packet;
use crate::packet::PADDING;
use crate::program_data::ProgramData;

/// The execution state of the blocks that run one after the other on a packet.
#[repr(C)]
pub(crate) struct Context<'r, 's> {
    /// The bytes of the packet that are in memory, followed by [`PADDING`] readable bytes.
    pub(crate) bytes: *const u8,
    /// The number of bits in memory, without padding.
    pub(crate) known: u64,
    /// The number of bits of the packet, including those that are not in memory.
    pub(crate) bits: u64,
    /// The number of bits that were extracted or skipped.
    pub(crate) position: u64,
    /// The buffer of emitted bytes.
    pub(crate) emitted: *mut u8,
    /// The number of emitted bits.
    pub(crate) emitted_bits: u64,
    /// The total number of bits that may be emitted before [`Context::grow`] must be called.
    pub(crate) emitted_room: u64,
    /// The addresses of the values of each register array.
    pub(crate) registers: *const usize,
    /// The first of the tables of the state, of which compiled code reads the shortcuts.
    pub(crate) tables: *const TableState,
    /// Scratch memory for wide values, keys and other temporaries of a statement.
    pub(crate) scratch: *mut u64,
    /// The action data that the last table look-up returned.
    pub(crate) data: *const u64,
    /// The colour that the meter of the last table entry returned.
    pub(crate) color: u64,
    /// The number of loop iterations, calls, table applications and parser states so far.
    pub(crate) steps: u64,
    /// The current depth of calls.
    pub(crate) depth: u64,
    /// The status of the first block that was run, if that rejected the packet, otherwise 0.
    pub(crate) rejected: u64,
    /// The entry that the last look-up found in a table with an action profile, or whose entries have slots.
    pub(crate) entry: Option<EntryHandle>,
    /// The gate of the list of blocks with its place, and the port to which the packet has passed it.
    pub(crate) gate: Option<&'r (usize, Gate)>,
    pub(crate) passed: Option<u64>,
    /// The variables of the packet.
    pub(crate) words: Words,
    packet: &'r mut Packet,
    /// The surroundings of the block. Helpers must not touch the registers in its state, which belong to compiled code
    /// while it runs.
    pub(crate) around: &'r mut Surroundings<'s>,
    pub(crate) requests: &'r mut Vec<Request>,
    pub(crate) memory: &'r mut Memory,
    pub(crate) plan: &'r ProgramData,
}

/// Buffers that are reused, so that no packet allocates.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub(crate) scratch: Vec<u64>,
    /// The addresses of the register arrays, valid only while a block runs.
    pub(crate) registers: Vec<usize>,
    pub(crate) bit_string: BitString,
    /// The data of actions that are not stored as words.
    pub(crate) data: Vec<u64>,
}

impl Memory {
    /// Records the addresses of the values of each register array.
    fn point_at(&mut self, plan: &ProgramData, registers: &mut RegisterFile) {
        self.registers.clear();
        for (register, &words) in plan.registers.iter().enumerate() {
            let array = registers.array_mut(register);
            assert!(array.len() == words, "a state of this program");
            self.registers.push(array.as_mut_ptr().expose_provenance());
        }
    }
}

/// The offsets of the fields that compiled code accesses.
pub(crate) mod offsets {
    use super::{Context, offset_of};

    pub(crate) const BYTES: i32 = offset_of!(Context<'_, '_>, bytes) as i32;
    pub(crate) const KNOWN: i32 = offset_of!(Context<'_, '_>, known) as i32;
    pub(crate) const BITS: i32 = offset_of!(Context<'_, '_>, bits) as i32;
    pub(crate) const POSITION: i32 = offset_of!(Context<'_, '_>, position) as i32;
    pub(crate) const EMITTED: i32 = offset_of!(Context<'_, '_>, emitted) as i32;
    pub(crate) const EMITTED_BITS: i32 = offset_of!(Context<'_, '_>, emitted_bits) as i32;
    pub(crate) const EMITTED_ROOM: i32 = offset_of!(Context<'_, '_>, emitted_room) as i32;
    pub(crate) const REGISTERS: i32 = offset_of!(Context<'_, '_>, registers) as i32;
    pub(crate) const TABLES: i32 = offset_of!(Context<'_, '_>, tables) as i32;
    pub(crate) const SCRATCH: i32 = offset_of!(Context<'_, '_>, scratch) as i32;
    pub(crate) const DATA: i32 = offset_of!(Context<'_, '_>, data) as i32;
    pub(crate) const COLOR: i32 = offset_of!(Context<'_, '_>, color) as i32;
    pub(crate) const STEPS: i32 = offset_of!(Context<'_, '_>, steps) as i32;
    pub(crate) const DEPTH: i32 = offset_of!(Context<'_, '_>, depth) as i32;
    pub(crate) const REJECTED: i32 = offset_of!(Context<'_, '_>, rejected) as i32;
}

/// A pointer to words that compiled code passes. Apart from [`Context`], nobody constructs one: helpers receive it as a
/// parameter, and the generator states the number of words where it emits the call.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Words(*mut u64);

impl Words {
    /// Returns the address of the first word.
    pub(crate) fn pointer(self) -> *mut u64 {
        self.0
    }

    /// Returns `count` words for reading.
    #[inline]
    pub(crate) fn read<'a>(self, count: u64) -> &'a [u64] {
        // SAFETY: the generator passes pointers to at least `count` words of the packet, of registers, of scratch
        // memory or of constants. While a helper runs, none of them is freed and nobody else writes to them; a helper
        // that writes words writes other ones than it reads ([`Words::write`]).
        unsafe { std::slice::from_raw_parts(self.0, count as usize) }
    }

    /// Returns `count` words for writing.
    #[inline]
    pub(crate) fn write<'a>(self, count: u64) -> &'a mut [u64] {
        // SAFETY: as in `read`; in addition, the generator passes fresh scratch memory, or the words of a variable that
        // it does not also pass to the helper for reading.
        unsafe { std::slice::from_raw_parts_mut(self.0, count as usize) }
    }
}

impl<'r, 's> Context<'r, 's> {
    /// Creates the context of one or more blocks. The packet and the state must be of the plan's program, and the scratch memory
    /// must be as large as its code needs.
    ///
    /// # Panics
    /// Panics if the packet or the state is of another program.
    #[inline(always)] // Called for every block of every packet; inlining halves its cost.
    pub(crate) fn new(
        plan: &'r ProgramData,
        packet: &'r mut Packet,
        around: &'r mut Surroundings<'s>,
        requests: &'r mut Vec<Request>,
        memory: &'r mut Memory,
    ) -> Self {
        let state = &mut *around.state;
        // The messages contain no numbers: to print them, they would have to be kept in memory for every packet.
        assert!(packet.words.len() == plan.layout.words(), "a packet of this program");
        assert!(state.tables.len() == plan.tables.len(), "a state of this program");
        assert!(state.registers.len() == plan.registers.len(), "a state of this program");
        if !plan.registers.is_empty() {
            memory.point_at(plan, &mut state.registers);
        }
        Self {
            bytes: packet.padded().as_ptr(),
            known: packet.length as u64 * 8,
            bits: packet.length() as u64 * 8,
            position: packet.position as u64,
            emitted: packet.emitted.as_mut_ptr(),
            emitted_bits: packet.emitted_bits as u64,
            emitted_room: room(&packet.emitted),
            registers: memory.registers.as_ptr(),
            tables: state.tables.as_ptr(),
            scratch: memory.scratch.as_mut_ptr(),
            data: std::ptr::null(),
            color: 0,
            entry: None,
            // The block itself counts as the first step and the first level of depth.
            steps: 1,
            depth: 1,
            rejected: 0,
            gate: None,
            passed: None,
            words: Words(packet.words.as_mut_ptr()),
            packet,
            around,
            requests,
            memory,
            plan,
        }
    }

    /// Writes the positions that the block has reached back to the packet.
    #[inline]
    pub(crate) fn finish(self) {
        self.packet.position = self.position as usize;
        self.packet.emitted_bits = self.emitted_bits as usize;
    }

    /// Returns the words of the packet's variables from word `start` on.
    pub(crate) fn variable(&self, start: u32) -> Words {
        // `start` comes from the layout, which has as many words as the packet.
        Words(self.words.0.wrapping_add(start as usize))
    }

    /// Returns the bytes that arrived, as far as they are in memory.
    pub(crate) fn arrived(&self) -> &[u8] {
        self.packet.bytes()
    }

    /// Returns the bytes that the parser has not consumed, from the next whole byte on: those in memory, and what follows
    /// them.
    pub(crate) fn payload(&self) -> (&[u8], Tail) {
        let (arrived, parsed) = (self.arrived(), self.position.div_ceil(8) as usize);
        let mut rest = self.packet.rest.clone();
        if parsed > arrived.len() {
            rest.skip(parsed - arrived.len());
        }
        (&arrived[parsed.min(arrived.len())..], rest)
    }

    /// Brings the bytes of the packet up to bit `bit` into memory, as far as there are any.
    #[cold]
    pub(crate) fn reach(&mut self, bit: u64) {
        self.packet.reach(bit.div_ceil(8) as usize);
        self.bytes = self.packet.padded().as_ptr();
        self.known = self.packet.length as u64 * 8;
    }

    /// Makes room for emitting `bits` more bits, followed by [`PADDING`].
    #[cold]
    pub(crate) fn grow(&mut self, bits: u64) {
        let bytes = (self.emitted_bits + bits).div_ceil(8) as usize + PADDING;
        let buffer = &mut self.packet.emitted;
        if buffer.len() < bytes {
            buffer.resize(bytes.next_power_of_two(), 0);
        }
        self.emitted = buffer.as_mut_ptr();
        self.emitted_room = room(buffer);
    }

    /// Returns the buffer of emitted bytes, including the unused room.
    pub(crate) fn emitted(&mut self) -> &mut [u8] {
        &mut self.packet.emitted
    }
}

/// Returns the number of bits that fit into a buffer if [`PADDING`] must follow them.
fn room(buffer: &[u8]) -> u64 {
    buffer.len().saturating_sub(PADDING) as u64 * 8
}
