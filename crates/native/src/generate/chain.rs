//! Entering a program: its entries, of which any can be run one after the other by one call.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block as CodeBlock, InstBuilder, Value};
use ir::Block;

use super::code::Code;
use super::operand::status;
use crate::context::offsets;

/// The most entries of a chain: one bit of a word for each.
pub(crate) const MOST_ENTRIES: usize = 64;

impl Code<'_> {
    /// Emits a chain of entries. Those whose bits are set in `asked` run in order, until one fails. A packet that a block
    /// rejects goes on to the next; if the first one that runs rejects it, the context has its status.
    pub(super) fn chain(&mut self, blocks: &[Block], asked: Value) {
        for (place, &block) in (0..).zip(blocks) {
            let (run, next) = (self.builder.create_block(), self.builder.create_block());
            let is_asked = self.builder.ins().band_imm(asked, 1 << place);
            self.branch(is_asked, run, next);
            self.builder.switch_to_block(run);
            self.enter(block, (asked, place), next);
            self.builder.switch_to_block(next);
        }
        self.go(self.scope.returns);
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
        let before = self.and(asked, (1 << place) - 1);
        let is_first = self.compare_constant(IntCC::Equal, before, 0);
        let rejects = self.compare_constant(IntCC::UnsignedGreaterThanOrEqual, how, status::REJECTED);
        let is_told = self.builder.ins().band(is_first, rejects);
        self.only_if(is_told, |code| code.store_context(offsets::REJECTED, how));
        self.go(next);
    }
}
