//! Entering a program: its entries, of which any can be run one after the other by one call.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block as CodeBlock, InstBuilder, Value};
use ir::{Block, Program};

use super::code::Code;
use super::operand::status;
use crate::context::offsets;
use crate::helpers::Helper;

/// The most entries of a chain: two bits of a word for each.
pub(crate) const MOST_ENTRIES: usize = 32;

/// The bit that asks for the entry at a place of a chain.
pub(crate) const fn asks(place: u32) -> u64 {
    1 << (2 * place)
}

/// The bit that asks for it if the packet passes a gate in front of it ([`machines::blocks::Gate`]).
pub(crate) const fn asks_behind_gate(place: u32) -> u64 {
    asks(place) << 1
}

impl Code<'_> {
    /// Emits a chain of entries. Those whose bits are set in `asked` run in order, until one fails or the packet does not pass
    /// the gate in front of one. A packet that a block rejects goes on to the next; if the first one that runs rejects it, the
    /// context has its status.
    pub(super) fn chain(&mut self, blocks: &[Block], asked: Value) {
        for (place, &block) in (0..).zip(blocks) {
            if is_nothing(self.program, block) {
                continue;
            }
            let [run, other, next] = std::array::from_fn(|_| self.builder.create_block());
            self.builder.set_cold_block(other);
            let is_asked = self.and(asked, asks(place));
            self.branch(is_asked, run, other);
            self.builder.switch_to_block(other);
            self.gate((asked, place), run, next);
            self.builder.switch_to_block(run);
            self.enter(block, (asked, place), next);
            self.builder.switch_to_block(next);
        }
        self.go(self.scope.returns);
    }

    /// Goes on at `next` unless the chain is asked for the entry at a place behind a gate. If the packet passes that, this goes on
    /// at `run`, and otherwise the chain ends.
    fn gate(&mut self, (asked, place): (Value, u32), run: CodeBlock, next: CodeBlock) {
        let gate = self.builder.create_block();
        self.builder.set_cold_block(gate);
        let is_asked = self.and(asked, asks_behind_gate(place));
        self.branch(is_asked, gate, next);
        self.builder.switch_to_block(gate);
        let passes = self.ask(Helper::PassGate, &[]);
        self.branch(passes, run, self.scope.returns);
    }

    /// Runs an entry and goes on at `next`, however it ends unless it fails.
    fn enter(&mut self, block: Block, (asked, place): (Value, u32), next: CodeBlock) {
        let facts = self.shared.analysis.of(block);
        // The block itself counts as the first step and the first level of depth.
        let one = self.constant(1);
        if facts.counts_steps {
            self.store_context(offsets::STEPS, one);
        }
        if self.shared.analysis.counts_depth {
            self.store_context(offsets::DEPTH, one);
        }
        let (ended, how) = self.block_with_word();
        self.builder.set_cold_block(ended);
        let is_inlined = self.shared.analysis.is_inlined(block);
        let ending = self.invoke_block(block, ended);
        match is_inlined {
            true => self.go(next),
            false => _ = self.builder.ins().brif(ending, ended, &[ending.into()], next, &[]),
        }
        self.builder.switch_to_block(ended);
        let kind = self.and(how, !1);
        let fails = self.compare_constant(IntCC::Equal, kind, status::ASSERTION_FAILED);
        let (failed, goes_on) = (self.builder.create_block(), self.builder.create_block());
        self.branch(fails, failed, goes_on);
        self.builder.switch_to_block(failed);
        let how_and_where = self.builder.ins().bor_imm(how, i64::from(place) << status::PLACE);
        self.go_with(self.scope.stops, how_and_where);
        self.builder.switch_to_block(goes_on);
        let before = self.and(asked, asks(place) - 1);
        let is_first = self.compare_constant(IntCC::Equal, before, 0);
        let rejects = self.compare_constant(IntCC::UnsignedGreaterThanOrEqual, how, status::REJECTED);
        let is_told = self.builder.ins().band(is_first, rejects);
        self.only_if(is_told, |code| code.store_context(offsets::REJECTED, how));
        self.go(next);
    }
}

/// Returns true if a block is a function without statements, which is never entered.
pub(crate) fn is_nothing(program: &Program, block: Block) -> bool {
    matches!(block, Block::Function(id) if program.functions[id.index()].body.is_empty())
}
