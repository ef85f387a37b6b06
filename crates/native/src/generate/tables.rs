//! Tables: computing the key, looking it up, and running the action.

use cranelift_codegen::ir::{Block as CodeBlock, InstBuilder, Value};
use cranelift_frontend::Switch;
use ir::{Block, Table, TableAction, TableId, VariableId};

use super::code::Code;
use super::operand::{MemoryWords, Operand, status};
use crate::context::offsets;
use crate::helpers::{HIT, Helper, NOTHING_RUNS};

impl Code<'_> {
    /// Applies a table. The variables are those of [`ir::Flow::Apply`], in its order. Returns false if control never returns
    /// from any of its actions.
    pub(super) fn apply(&mut self, id: TableId, [hit, action, slot]: [Option<VariableId>; 3]) -> bool {
        self.step(status::UNFINISHED);
        let program = self.program;
        let table = &program.tables[id.index()];
        let (found, data) = self.find(id, table);
        if let Some(hit) = hit {
            let flag = self.flag(found, HIT);
            self.set_number(hit, flag);
        }
        if let Some(variable) = slot {
            let number = self.constant(id.0.into());
            let slot = self.ask(Helper::Slot, &[number, found]);
            self.set_number(variable, slot);
        }
        let next = self.builder.create_block();
        if table.profile.is_some() {
            // Nothing runs if the default action refers to a member that no longer exists.
            let (nothing, go_on) = (self.flag(found, NOTHING_RUNS), self.builder.create_block());
            self.branch(nothing, next, go_on);
            self.builder.switch_to_block(go_on);
        }
        let number = self.and(found, u32::MAX.into());
        if let Some(action) = action {
            self.set_number(action, number);
        }
        if let Some((_, color)) = table.meter.filter(|_| !table.counts_when_called) {
            let flag = self.flag(found, HIT);
            self.only_if(flag, |code| {
                let marked = code.load_context(offsets::COLOR);
                code.set_number(color, marked);
            });
        }
        let comes_back = self.actions(table, number, data, next);
        if comes_back || table.profile.is_some() {
            self.builder.switch_to_block(next);
        }
        comes_back || table.profile.is_some()
    }

    fn flag(&mut self, found: Value, flag: u64) -> Value {
        let moved = self.builder.ins().ushr_imm(found, i64::from(flag.trailing_zeros()));
        self.and(moved, 1)
    }

    /// Looks up the packet's key. Returns the result in the form of the helpers, and the address of the action's data.
    fn find(&mut self, id: TableId, table: &Table) -> (Value, Value) {
        let found = match table.profile {
            Some(_) => self.choose_member(id, table),
            None if self.has_shortcuts(id, table) => return self.find_short(id, table),
            None => {
                let key: Vec<Operand> = table.keys.iter().map(|key| self.value(&key.value)).collect();
                self.look_up(if counts_hits(table) { Helper::FindAndCount } else { Helper::Find }, id, &key)
            }
        };
        (found, self.load_context(offsets::DATA))
    }

    /// Looks up a key by a helper and returns its result.
    pub(super) fn look_up(&mut self, helper: Helper, id: TableId, key: &[Operand]) -> Value {
        let key = self.lay_out(key);
        let words = self.constant(key.words.into());
        let (number, key) = (self.constant(id.0.into()), self.address(key));
        self.ask(helper, &[number, key, words])
    }

    /// Looks up the packet's key in a table with an action profile, and returns the result of the helper.
    fn choose_member(&mut self, id: TableId, table: &Table) -> Value {
        let key: Vec<Operand> = table.keys.iter().map(|key| self.value(&key.value)).collect();
        let found = self.look_up(Helper::AsksSelector, id, &key);
        let asks = self.flag(found, NOTHING_RUNS);
        self.only_if(asks, |code| {
            // An algorithm in a selector key may draw a random number, so keys are evaluated only if they are needed.
            let values: Vec<(Operand, u32)> =
                table.selector.iter().map(|key| (code.value(key), code.program.type_of(key).width())).collect();
            code.call(Helper::BitsClear, &[]);
            for (value, width) in values {
                let width = code.constant(width.into());
                code.push_bits(value, width);
            }
        });
        let number = self.constant(id.0.into());
        self.ask(Helper::Choose, &[number, found, asks])
    }

    /// Dispatches to the action with the given number. Returns false if control never returns from any action; the
    /// others jump to `next`.
    fn actions(&mut self, table: &Table, number: Value, data: Value, next: CodeBlock) -> bool {
        let blocks: Vec<CodeBlock> = table.actions.iter().map(|_| self.builder.create_block()).collect();
        let (last, others) = blocks.split_last().expect("a table has a default action");
        let mut switch = Switch::new();
        (0..).zip(others).for_each(|(number, block)| switch.set_entry(number, *block));
        // The helpers guarantee that the number is that of an action of the table.
        switch.emit(&mut self.builder, number, *last);
        let mut comes_back = false;
        for (action, block) in table.actions.iter().zip(blocks) {
            self.builder.switch_to_block(block);
            if self.action(action, data) {
                self.go(next);
                comes_back = true;
            }
        }
        comes_back
    }

    fn action(&mut self, action: &TableAction, data: Value) -> bool {
        let program = self.program;
        let mut offset = 0;
        for &parameter in &program.functions[action.function.index()].parameters {
            let place = self.variable(parameter);
            let from = MemoryWords { base: data, offset, words: place.words };
            self.copy(place, from);
            offset = from.at(from.words);
        }
        self.statements(&action.before) && self.run(Block::Function(action.function), &action.after)
    }
}

/// Returns true if a look-up that finds an entry changes something.
pub(super) fn counts_hits(table: &Table) -> bool {
    let counts = !table.counts_when_called && (table.counter.is_some() || table.meter.is_some());
    counts || table.has_idle_timeout || table.has_slots
}
