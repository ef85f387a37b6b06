//! Table look-ups that read the answer from a shortcut ([`runtime::tables::Shortcuts`]).

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, MemFlags, Value};
use ir::{Table, TableId};
use runtime::TableState;
use runtime::tables::{KeyField, Shortcut, Shortcuts, WordKey};

use super::code::Code;
use super::expression::is_cheap;
use super::operand::Operand;
use super::tables::counts_hits;
use crate::context::offsets;
use crate::helpers::Helper;

/// The tables of the state, which only helpers change.
const TABLES: MemFlags = MemFlags::trusted();

/// The depth of expressions up to which a key is evaluated only where it is needed.
const CHEAP: u32 = 2;

impl Code<'_> {
    /// Returns true if code reads the shortcuts of a table: if a look-up changes nothing, and the data of every action fits
    /// into a shortcut.
    pub(super) fn has_shortcuts(&self, id: TableId, table: &Table) -> bool {
        let data_words = &self.shared.plan.tables[id.index()].data_words;
        !counts_hits(table) && data_words.iter().all(|&words| words <= Shortcut::WORDS)
    }

    /// Looks up the packet's key where a shortcut has the answer, otherwise by the helper. Returns the result in the form of
    /// the helper, and the address of the action's data.
    pub(super) fn find_short(&mut self, id: TableId, table: &Table) -> (Value, Value) {
        let fields: Vec<KeyField> = table
            .keys
            .iter()
            .map(|key| KeyField { kind: key.kind, width: self.program.type_of(&key.value).width() })
            .collect();
        let values = table.keys.iter().map(|key| &key.value);
        // A key that is not one word is needed by the helper alone.
        let is_late = WordKey::of(&fields).is_none() && values.clone().all(|value| is_cheap(value, CHEAP));
        let mut key: Vec<Operand> = match is_late {
            true => Vec::new(),
            false => values.clone().map(|value| self.value(value)).collect(),
        };
        let [known, short, long, next] = std::array::from_fn(|_| self.builder.create_block());
        let [place, found, data] = [short, next, next].map(|block| self.builder.append_block_param(block, I64));
        let tables = self.load_context(offsets::TABLES);
        let at = (id.index() * size_of::<TableState>() + TableState::SHORTCUTS) as i64;
        let first = self.load_table(tables, at, Shortcuts::ADDRESS);
        self.branch(first, known, long);

        self.builder.switch_to_block(known);
        match self.key_word(&fields, &key) {
            None => self.go_with(short, first),
            Some(word) => {
                let [shift, last] =
                    [Shortcuts::SHIFT, Shortcuts::LAST].map(|offset| self.load_table(tables, at, offset));
                let shifted = match WordKey::of(&fields) {
                    Some(WordKey::Prefix(_)) => self.builder.ins().ushr(word, shift),
                    _ => word,
                };
                let index = self.builder.ins().band(shifted, last);
                let offset = self.builder.ins().ishl_imm(index, i64::from(Shortcut::SIZE));
                let place = self.builder.ins().iadd(first, offset);
                let [mask, value] = [Shortcut::MASK, Shortcut::VALUE].map(|offset| self.load_table(place, 0, offset));
                let masked = self.builder.ins().band(word, mask);
                let is_it = self.compare(IntCC::Equal, masked, value);
                self.builder.ins().brif(is_it, short, &[place.into()], long, &[]);
            }
        }

        self.builder.switch_to_block(short);
        let answer = self.load_table(place, 0, Shortcut::FOUND);
        let answer_data = self.builder.ins().iadd_imm(place, Shortcut::DATA as i64);
        self.builder.ins().jump(next, &[answer.into(), answer_data.into()]);

        self.builder.switch_to_block(long);
        if is_late {
            key = values.map(|value| self.value(value)).collect();
        }
        let answer = self.look_up(Helper::FindWithoutShortcut, id, &key);
        let answer_data = self.load_context(offsets::DATA);
        self.builder.ins().jump(next, &[answer.into(), answer_data.into()]);
        self.builder.switch_to_block(next);
        (found, data)
    }

    /// Returns the word of a key with some fields and values, if it is one.
    fn key_word(&mut self, fields: &[KeyField], values: &[Operand]) -> Option<Value> {
        WordKey::of(fields)?;
        let mut word = None;
        for (field, value) in fields.iter().zip(values) {
            if field.width == 0 {
                continue;
            }
            let value = self.low(*value);
            word = Some(match word {
                None => value,
                Some(before) => {
                    let moved = self.builder.ins().ishl_imm(before, i64::from(field.width));
                    self.builder.ins().bor(moved, value)
                }
            });
        }
        Some(word.unwrap_or_else(|| self.constant(0)))
    }

    fn load_table(&mut self, base: Value, at: i64, offset: usize) -> Value {
        self.builder.ins().load(I64, TABLES, base, (at + offset as i64) as i32)
    }
}
