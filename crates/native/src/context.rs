//! What compiled code and its helpers find around them while a block runs.
//!
//! Compiled code gets one pointer to a [`Context`] and one to the packet's words. It reads and writes the context's
//! fields by their offsets, and hands the context on to helpers, which are Rust.
#![allow(unsafe_code)] // Pointers come back from compiled code: see `Words`.

use std::mem::offset_of;

use ir::interpret::{Request, Surroundings};
use machines::v1model::Frame;
use runtime::RegisterFile;
use runtime::checksum::BitString;

use crate::Packet;
use crate::packet::PADDING;
use crate::plan::Plan;

/// Everything around one block on its way.
#[repr(C)]
pub(crate) struct Context<'r, 's> {
    /// The packet's bytes that are in memory; [`PADDING`] more may be read.
    pub(crate) bytes: *const u8,
    /// How many bits of them count.
    pub(crate) known: u64,
    /// How many bits the packet has, those that are 0 and not in memory among them.
    pub(crate) bits: u64,
    /// How many of these were extracted or skipped.
    pub(crate) position: u64,
    /// What was emitted.
    pub(crate) emitted: *mut u8,
    /// How many bits were emitted.
    pub(crate) emitted_bits: u64,
    /// How many bits may be emitted before [`Context::grow`].
    pub(crate) emitted_room: u64,
    /// Where the values of each register lie.
    pub(crate) registers: *const usize,
    /// For wide values, keys and what else a statement needs.
    pub(crate) scratch: *mut u64,
    /// The data of the action that a table found.
    pub(crate) data: *const u64,
    /// The colour that the meter of an entry gave.
    pub(crate) color: u64,
    /// Turns, calls, tables and states so far.
    pub(crate) steps: u64,
    /// How many calls are around.
    pub(crate) depth: u64,
    /// The packet's variables.
    pub(crate) words: Words,
    packet: &'r mut Packet,
    /// Helpers leave the registers of its state alone, which belong to compiled code while it runs.
    pub(crate) around: &'r mut Surroundings<'s>,
    pub(crate) requests: &'r mut Vec<Request>,
    pub(crate) memory: &'r mut Memory,
    pub(crate) plan: &'r Plan,
}

/// What is used again, so that no packet allocates.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub(crate) scratch: Vec<u64>,
    /// Where registers lie while a block runs; means nothing between two runs.
    pub(crate) registers: Vec<usize>,
    pub(crate) bit_string: BitString,
    /// Data of actions that are not kept in words.
    pub(crate) data: Vec<u64>,
}

impl Memory {
    /// Remembers where the values of each register lie.
    fn point_at(&mut self, plan: &Plan, registers: &mut RegisterFile) {
        self.registers.clear();
        for (register, &words) in plan.registers.iter().enumerate() {
            let array = registers.array_mut(register);
            assert!(array.len() == words, "a state of this program");
            self.registers.push(array.as_mut_ptr().expose_provenance());
        }
    }
}

/// Where fields lie that compiled code reads and writes.
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
    pub(crate) const SCRATCH: i32 = offset_of!(Context<'_, '_>, scratch) as i32;
    pub(crate) const DATA: i32 = offset_of!(Context<'_, '_>, data) as i32;
    pub(crate) const COLOR: i32 = offset_of!(Context<'_, '_>, color) as i32;
    pub(crate) const STEPS: i32 = offset_of!(Context<'_, '_>, steps) as i32;
    pub(crate) const DEPTH: i32 = offset_of!(Context<'_, '_>, depth) as i32;
}

/// Words that compiled code points at. Nobody else makes one but for [`Context`]: a helper gets it as a parameter, and
/// the generator says how many words there are at the place where it writes the call.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Words(*mut u64);

impl Words {
    /// Where they are.
    pub(crate) fn pointer(self) -> *mut u64 {
        self.0
    }

    /// These words, to read.
    #[inline]
    pub(crate) fn read<'a>(self, count: u64) -> &'a [u64] {
        // SAFETY: the generator passes pointers to at least `count` words of the packet, of registers, of the scratch
        // memory or of constants. None of them is freed, and none is written by others, while a helper runs; a helper
        // that writes words writes others than it reads ([`Words::write`]).
        unsafe { std::slice::from_raw_parts(self.0, count as usize) }
    }

    /// These words, to write.
    #[inline]
    pub(crate) fn write<'a>(self, count: u64) -> &'a mut [u64] {
        // SAFETY: as for reading; and the generator passes new scratch memory, or the words of a variable that the
        // helper does not get for reading, too.
        unsafe { std::slice::from_raw_parts_mut(self.0, count as usize) }
    }
}

impl<'r, 's> Context<'r, 's> {
    /// A context for one block. Packet and state are of the plan's program, and there is as much scratch memory as its
    /// code needs.
    #[inline(always)] // Called for every block of every packet: in place it takes half the time.
    pub(crate) fn new(
        plan: &'r Plan,
        packet: &'r mut Packet,
        around: &'r mut Surroundings<'s>,
        requests: &'r mut Vec<Request>,
        memory: &'r mut Memory,
    ) -> Self {
        let state = &mut *around.state;
        // Nothing is shown but the sentence: to show the numbers, too, they would have to be in memory for every packet.
        assert!(packet.words.len() == plan.layout.words(), "a packet of this program");
        assert!(state.tables.len() == plan.tables.len(), "a state of this program");
        assert!(state.registers.len() == plan.registers.len(), "a state of this program");
        if !plan.registers.is_empty() {
            memory.point_at(plan, &mut state.registers);
        }
        Self {
            bytes: packet.padded().as_ptr(),
            known: packet.length as u64 * 8,
            bits: (packet.length + packet.zeros) as u64 * 8,
            position: packet.position as u64,
            emitted: packet.emitted.as_mut_ptr(),
            emitted_bits: packet.emitted_bits as u64,
            emitted_room: room(&packet.emitted),
            registers: memory.registers.as_ptr(),
            scratch: memory.scratch.as_mut_ptr(),
            data: std::ptr::null(),
            color: 0,
            // The block itself is the first of both.
            steps: 1,
            depth: 1,
            words: Words(packet.words.as_mut_ptr()),
            packet,
            around,
            requests,
            memory,
            plan,
        }
    }

    /// Another block of the same packet begins.
    #[inline]
    pub(crate) fn begin(&mut self) {
        (self.steps, self.depth) = (1, 1);
    }

    /// Tells the packet how far the block came.
    #[inline]
    pub(crate) fn finish(self) {
        self.packet.position = self.position as usize;
        self.packet.emitted_bits = self.emitted_bits as usize;
    }

    /// All words of the packet's variables that begin at one.
    pub(crate) fn variable(&self, start: u32) -> Words {
        // The place is one of the layout's, which is as long as the words are.
        Words(self.words.0.wrapping_add(start as usize))
    }

    /// The bytes that arrived.
    pub(crate) fn arrived(&self) -> &[u8] {
        self.packet.bytes()
    }

    /// What the parser has left of them, from the next whole byte on, as far as it is in memory.
    pub(crate) fn payload(&self) -> &[u8] {
        let arrived = self.arrived();
        &arrived[(self.position.div_ceil(8) as usize).min(arrived.len())..]
    }

    /// How many bytes that are all 0 follow the payload, which are not in memory.
    pub(crate) fn payload_zeros(&self) -> usize {
        let beyond = (self.position.div_ceil(8) as usize).saturating_sub(self.packet.length);
        self.packet.zeros - beyond.min(self.packet.zeros)
    }

    /// Takes the bytes up to a bit into memory, if they are there.
    #[cold]
    pub(crate) fn reach(&mut self, bit: u64) {
        self.packet.reach(bit.div_ceil(8) as usize);
        self.bytes = self.packet.padded().as_ptr();
        self.known = self.packet.length as u64 * 8;
    }

    /// Makes room for so many more bits to be emitted, and [`PADDING`].
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

    /// What was emitted and the room behind it.
    pub(crate) fn emitted(&mut self) -> &mut [u8] {
        &mut self.packet.emitted
    }
}

/// How many bits a buffer has room for, with [`PADDING`] behind them.
fn room(buffer: &[u8]) -> u64 {
    buffer.len().saturating_sub(PADDING) as u64 * 8
}
