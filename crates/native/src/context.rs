//! What compiled code and its helpers find around them while a block runs.
//!
//! Compiled code gets one pointer to a [`Context`] and one to the packet's words. It reads and writes the context's
//! fields by their offsets, and hands the context on to helpers, which are Rust.
#![allow(unsafe_code)] // Pointers come back from compiled code: see `Words`.

use std::mem::offset_of;

use basis::{Instant, Random};
use ir::interpret::Request;
use runtime::State;
use runtime::checksum::BitString;

use crate::packet::PADDING;
use crate::plan::Plan;

/// Everything around one block on its way.
#[repr(C)]
pub(crate) struct Context<'r> {
    /// The packet's bytes; [`PADDING`] more may be read.
    pub(crate) bytes: *const u8,
    /// How many bits of them count.
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
    /// Helpers leave its registers alone, which belong to compiled code while it runs.
    pub(crate) state: &'r mut State,
    pub(crate) now: Instant,
    pub(crate) length: u64,
    pub(crate) random: &'r mut Random,
    pub(crate) requests: &'r mut Vec<Request>,
    pub(crate) plan: &'r Plan,
    pub(crate) bit_string: &'r mut BitString,
    /// Data of actions that are not kept in words.
    pub(crate) data_room: &'r mut Vec<u64>,
    buffer: &'r mut Vec<u8>,
    payload: &'r [u8],
}

/// Where fields lie that compiled code reads and writes.
pub(crate) mod offsets {
    use super::{Context, offset_of};

    pub(crate) const BYTES: i32 = offset_of!(Context<'_>, bytes) as i32;
    pub(crate) const BITS: i32 = offset_of!(Context<'_>, bits) as i32;
    pub(crate) const POSITION: i32 = offset_of!(Context<'_>, position) as i32;
    pub(crate) const EMITTED: i32 = offset_of!(Context<'_>, emitted) as i32;
    pub(crate) const EMITTED_BITS: i32 = offset_of!(Context<'_>, emitted_bits) as i32;
    pub(crate) const EMITTED_ROOM: i32 = offset_of!(Context<'_>, emitted_room) as i32;
    pub(crate) const REGISTERS: i32 = offset_of!(Context<'_>, registers) as i32;
    pub(crate) const SCRATCH: i32 = offset_of!(Context<'_>, scratch) as i32;
    pub(crate) const DATA: i32 = offset_of!(Context<'_>, data) as i32;
    pub(crate) const COLOR: i32 = offset_of!(Context<'_>, color) as i32;
    pub(crate) const STEPS: i32 = offset_of!(Context<'_>, steps) as i32;
    pub(crate) const DEPTH: i32 = offset_of!(Context<'_>, depth) as i32;
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

/// What of a caller's a context is made of.
pub(crate) struct Around<'r> {
    pub(crate) words: &'r mut [u64],
    pub(crate) bytes: &'r [u8],
    pub(crate) position: usize,
    pub(crate) buffer: &'r mut Vec<u8>,
    pub(crate) emitted_bits: usize,
    pub(crate) state: &'r mut State,
    pub(crate) registers: &'r mut Vec<usize>,
    pub(crate) scratch: &'r mut [u64],
    pub(crate) now: Instant,
    pub(crate) length: u64,
    pub(crate) random: &'r mut Random,
    pub(crate) requests: &'r mut Vec<Request>,
    pub(crate) plan: &'r Plan,
    pub(crate) bit_string: &'r mut BitString,
    pub(crate) data_room: &'r mut Vec<u64>,
}

impl<'r> Context<'r> {
    /// A context for one block. `bytes` has [`PADDING`] behind what counts; the state is one of the plan's program.
    #[inline]
    pub(crate) fn new(around: Around<'r>) -> Self {
        let Around { words, bytes, buffer, state, registers, plan, .. } = around;
        let length = bytes.len() - PADDING;
        assert!(state.tables.len() == plan.tables.len() && state.registers.len() == plan.registers.len());
        registers.clear();
        for (register, &words) in plan.registers.iter().enumerate() {
            let array = state.registers.array_mut(register);
            assert_eq!(array.len(), words, "a state of this program");
            registers.push(array.as_mut_ptr().expose_provenance());
        }
        Self {
            bytes: bytes.as_ptr(),
            bits: length as u64 * 8,
            position: around.position as u64,
            emitted: buffer.as_mut_ptr(),
            emitted_bits: around.emitted_bits as u64,
            emitted_room: room(buffer),
            registers: registers.as_ptr(),
            scratch: around.scratch.as_mut_ptr(),
            data: std::ptr::null(),
            color: 0,
            // The block itself is the first of both.
            steps: 1,
            depth: 1,
            words: Words(words.as_mut_ptr()),
            state,
            now: around.now,
            length: around.length,
            random: around.random,
            requests: around.requests,
            plan,
            bit_string: around.bit_string,
            data_room: around.data_room,
            buffer,
            payload: &bytes[..length],
        }
    }

    /// All words of the packet's variables that begin at one.
    pub(crate) fn variable(&self, start: u32) -> Words {
        // The place is one of the layout's, which is as long as the words are.
        Words(self.words.0.wrapping_add(start as usize))
    }

    /// The bytes that arrived.
    pub(crate) fn arrived(&self) -> &'r [u8] {
        self.payload
    }

    /// What the parser has left of them, from the next whole byte on.
    pub(crate) fn payload(&self) -> &'r [u8] {
        &self.payload[(self.position.div_ceil(8) as usize).min(self.payload.len())..]
    }

    /// Makes room for so many more bits to be emitted, and [`PADDING`].
    #[cold]
    pub(crate) fn grow(&mut self, bits: u64) {
        let bytes = (self.emitted_bits + bits).div_ceil(8) as usize + PADDING;
        if self.buffer.len() < bytes {
            self.buffer.resize(bytes.next_power_of_two(), 0);
        }
        self.emitted = self.buffer.as_mut_ptr();
        self.emitted_room = room(self.buffer);
    }

    /// What was emitted and the room behind it.
    pub(crate) fn emitted(&mut self) -> &mut [u8] {
        self.buffer
    }
}

/// How many bits a buffer has room for, with [`PADDING`] behind them.
fn room(buffer: &[u8]) -> u64 {
    buffer.len().saturating_sub(PADDING) as u64 * 8
}
