//! The code of one function under construction: constants, memory accesses, calls and jumps.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{AliasRegion, Block, BlockArg, FuncRef, InstBuilder, MemFlags, Value};
use cranelift_frontend::{FunctionBuilder, Variable};
use cranelift_module::Module;
use ir::{Program, VariableId};

use super::narrow::Words;
use super::operand::MemoryWords;
use super::shared::Shared;
use crate::context::offsets;
use crate::helpers::Helper;
use crate::layout::words_of;

/// Variables, registers, scratch memory and constants share one alias region, because a wide value may be in any of
/// them.
pub(super) const WORDS: MemFlags = MemFlags::trusted().with_alias_region(Some(AliasRegion::Heap));
/// Fields of the context.
pub(super) const CONTEXT: MemFlags = MemFlags::trusted().with_alias_region(Some(AliasRegion::Vmctx));
/// The bytes of the received packet, which never change.
pub(super) const BYTES: MemFlags = MemFlags::new().with_notrap().with_readonly();
/// The buffer of emitted bytes.
pub(super) const EMITTED: MemFlags = MemFlags::new().with_notrap().with_alias_region(Some(AliasRegion::Table));

/// The largest number of words for which operations on wide values are unrolled; larger ones call helpers, so that code
/// stays short.
pub(super) const UNROLLED: u32 = 16;

/// The targets of jumps out of a list of statements.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope {
    /// The block after the innermost loop.
    pub(super) breaks: Option<Block>,
    /// The step of the innermost loop.
    pub(super) continues: Option<Block>,
    /// The end of the function.
    pub(super) returns: Block,
    /// The exit of everything that encloses the statements; it takes a [`super::operand::status`].
    pub(super) stops: Block,
}

/// The code of one function under construction.
pub(super) struct Code<'g> {
    pub(super) program: &'g Program,
    pub(super) shared: &'g mut Shared,
    pub(super) builder: FunctionBuilder<'g>,
    /// Pointers to the context, the packet's words and the scratch memory follow.
    pub(super) context: Value,
    pub(super) words: Value,
    pub(super) scratch: Value,
    /// The number of bits that were extracted or skipped, and the number of emitted bits. The context always has the
    /// same numbers, for helpers and called functions.
    pub(super) position: Variable,
    pub(super) emitted: Variable,
    /// The number of words of scratch memory that the current statement has used so far.
    pub(super) scratch_used: u32,
    pub(super) scope: Scope,
    /// Whether loop iterations, calls, table applications and parser states are counted here.
    pub(super) counts_steps: bool,
    /// The helpers that the function has already declared.
    pub(super) helpers: Vec<Option<FuncRef>>,
}

impl<'g> Code<'g> {
    /// Returns the emitter of operations on single words.
    pub(super) fn on_words(&mut self) -> Words<'_, 'g> {
        Words { builder: &mut self.builder }
    }

    pub(super) fn constant(&mut self, value: u64) -> Value {
        self.on_words().constant(value)
    }

    /// Masks a word; emits nothing if the mask has all bits set.
    pub(super) fn and(&mut self, value: Value, mask: u64) -> Value {
        self.on_words().and(value, mask)
    }

    /// Truncates a word to a width.
    pub(super) fn cut(&mut self, value: Value, width: u32) -> Value {
        self.on_words().cut(value, width)
    }

    /// Converts a truth value to a word.
    pub(super) fn truth(&mut self, flag: Value) -> Value {
        self.on_words().truth(flag)
    }

    pub(super) fn compare(&mut self, condition: IntCC, a: Value, b: Value) -> Value {
        self.on_words().compare(condition, a, b)
    }

    pub(super) fn compare_constant(&mut self, condition: IntCC, a: Value, b: u64) -> Value {
        self.on_words().compare_constant(condition, a, b)
    }

    /// Loads a field of the context.
    pub(super) fn load_context(&mut self, offset: i32) -> Value {
        self.builder.ins().load(I64, CONTEXT, self.context, offset)
    }

    pub(super) fn store_context(&mut self, offset: i32, value: Value) {
        self.builder.ins().store(CONTEXT, value, self.context, offset);
    }

    /// Sets the position of the parser.
    pub(super) fn move_to(&mut self, position: Value) {
        self.builder.def_var(self.position, position);
        self.store_context(offsets::POSITION, position);
    }

    /// Sets the number of emitted bits.
    pub(super) fn set_emitted(&mut self, bits: Value) {
        self.builder.def_var(self.emitted, bits);
        self.store_context(offsets::EMITTED_BITS, bits);
    }

    /// Loads the number of emitted bits after a helper has changed it.
    pub(super) fn load_emitted(&mut self) {
        let emitted = self.load_context(offsets::EMITTED_BITS);
        self.builder.def_var(self.emitted, emitted);
    }

    /// Loads both positions, at the beginning of a function and after others were called.
    pub(super) fn load_positions(&mut self) {
        let position = self.load_context(offsets::POSITION);
        self.builder.def_var(self.position, position);
        self.load_emitted();
    }

    /// Returns the place of a variable's words.
    pub(super) fn variable(&self, variable: VariableId) -> MemoryWords {
        let place = self.shared.plan.layout.place(variable);
        MemoryWords { base: self.words, offset: place.start as i32 * 8, words: place.len() as u32 }
    }

    /// Loads a word of a place; words beyond its end are 0.
    pub(super) fn load(&mut self, place: MemoryWords, word: u32) -> Value {
        if word < place.words {
            self.builder.ins().load(I64, WORDS, place.base, place.at(word))
        } else {
            self.constant(0)
        }
    }

    pub(super) fn store(&mut self, place: MemoryWords, word: u32, value: Value) {
        self.builder.ins().store(WORDS, value, place.base, place.at(word));
    }

    /// Assigns a number, truncated to the variable's type, to a variable.
    pub(super) fn set_number(&mut self, variable: VariableId, value: Value) {
        let place = self.variable(variable);
        let value = self.cut(value, self.program.variable(variable).ty.width().min(64));
        self.store(place, 0, value);
        if place.words > 1 {
            self.clear(MemoryWords { offset: place.at(1), words: place.words - 1, ..place });
        }
    }

    /// Sets the words of a place to 0.
    pub(super) fn clear(&mut self, place: MemoryWords) {
        if place.words > UNROLLED {
            let (address, words) = (self.address(place), self.constant(place.words.into()));
            self.call(Helper::WideClear, &[address, words]);
            return;
        }
        let zero = self.constant(0);
        (0..place.words).for_each(|word| self.store(place, word, zero));
    }

    /// Returns a pointer to a place.
    pub(super) fn address(&mut self, place: MemoryWords) -> Value {
        match place.offset {
            0 => place.base,
            offset => self.builder.ins().iadd_imm(place.base, i64::from(offset)),
        }
    }

    /// Allocates scratch memory until the end of the statement.
    pub(super) fn room(&mut self, words: u32) -> MemoryWords {
        let offset = self.scratch_used as i32 * 8;
        self.scratch_used += words;
        self.shared.scratch = self.shared.scratch.max(self.scratch_used);
        MemoryWords { base: self.scratch, offset, words }
    }

    /// Allocates scratch memory for a value of `width` bits until the end of the statement.
    pub(super) fn room_for(&mut self, width: u32) -> MemoryWords {
        self.room(words_of(width))
    }

    /// Calls a helper that returns nothing.
    pub(super) fn call(&mut self, helper: Helper, arguments: &[Value]) {
        self.invoke(helper, arguments);
    }

    /// Calls a helper that returns a word.
    pub(super) fn ask(&mut self, helper: Helper, arguments: &[Value]) -> Value {
        let call = self.invoke(helper, arguments);
        self.builder.inst_results(call)[0]
    }

    fn invoke(&mut self, helper: Helper, arguments: &[Value]) -> cranelift_codegen::ir::Inst {
        debug_assert_eq!(arguments.len(), helper.parameters(), "{helper:?}");
        let known = self.helpers[helper as usize];
        let function = known.unwrap_or_else(|| {
            let id = self.shared.helpers[helper as usize];
            self.shared.module.declare_func_in_func(id, self.builder.func)
        });
        self.helpers[helper as usize] = Some(function);
        let mut all = vec![self.context];
        all.extend_from_slice(arguments);
        self.builder.ins().call(function, &all)
    }

    /// Jumps to a block.
    pub(super) fn go(&mut self, block: Block) {
        self.builder.ins().jump(block, &[]);
    }

    /// Jumps to a block that takes a word.
    pub(super) fn go_with(&mut self, block: Block, value: Value) {
        self.builder.ins().jump(block, &[BlockArg::from(value)]);
    }

    /// Jumps to `then` if the condition is not 0, otherwise to `otherwise`.
    pub(super) fn branch(&mut self, condition: Value, then: Block, otherwise: Block) {
        self.builder.ins().brif(condition, then, &[], otherwise, &[]);
    }

    /// Creates a block that takes a word.
    pub(super) fn block_with_word(&mut self) -> (Block, Value) {
        let block = self.builder.create_block();
        let value = self.builder.append_block_param(block, I64);
        (block, value)
    }

    /// Stops with a status if a condition holds, which is assumed to be rare.
    pub(super) fn stop_if(&mut self, condition: Value, status: u64) {
        let (stop, next) = (self.builder.create_block(), self.builder.create_block());
        self.builder.set_cold_block(stop);
        self.branch(condition, stop, next);
        self.builder.switch_to_block(stop);
        self.stop(status);
        self.builder.switch_to_block(next);
    }

    /// Stops with a status.
    pub(super) fn stop(&mut self, status: u64) {
        let status = self.constant(status);
        self.go_with(self.scope.stops, status);
    }

    /// Counts a loop iteration, call, table application or parser state, and stops with `status` after too many.
    pub(super) fn step(&mut self, status: u64) {
        if !self.counts_steps {
            return;
        }
        let steps = self.load_context(offsets::STEPS);
        let steps = self.builder.ins().iadd_imm(steps, 1);
        self.store_context(offsets::STEPS, steps);
        let too_many = self.compare_constant(IntCC::UnsignedGreaterThan, steps, ir::interpret::STEPS.into());
        self.stop_if(too_many, status);
    }
}
