//! The machine code of one stage.

use std::collections::HashMap;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{AliasRegion, Block, FuncRef, InstBuilder, MemFlags, Value};
use cranelift_frontend::FunctionBuilder;
use ir::{BinaryOperator, Type};
use machines::stages::{Instruction, Operation, Slot, StageCode};
use runtime::hash::HashFunction;

use crate::Unsupported;
use crate::generate::narrow::Words;

/// Slots of the frame.
const FRAME: MemFlags = MemFlags::trusted().with_alias_region(Some(AliasRegion::Heap));
/// Cells of registers.
const CELLS: MemFlags = MemFlags::trusted().with_alias_region(Some(AliasRegion::Table));

/// The code of one stage under construction.
pub(super) struct Emitter<'f, 'c> {
    builder: FunctionBuilder<'f>,
    code: StageCode<'c>,
    hash: FuncRef,
    frame: Value,
    cells: Value,
    /// The values of slots that were loaded or stored on all ways to where instructions are added.
    known: HashMap<Slot, Value>,
    /// The address of the cell that was read last.
    place: Option<Value>,
}

impl<'f, 'c> Emitter<'f, 'c> {
    pub(super) fn new(mut builder: FunctionBuilder<'f>, code: StageCode<'c>, hash: FuncRef) -> Self {
        let start = builder.create_block();
        builder.append_block_params_for_function_params(start);
        builder.switch_to_block(start);
        let (frame, cells) = (builder.block_params(start)[0], builder.block_params(start)[1]);
        Self { builder, code, hash, frame, cells, known: HashMap::new(), place: None }
    }

    /// Emits the instructions of a stage.
    pub(super) fn stage(mut self, instructions: &[Instruction]) -> Result<(), Unsupported> {
        let end = self.builder.create_block();
        let mut left = instructions;
        while let [instruction, rest @ ..] = left {
            self.instruction(instruction, rest.len(), end)?;
            left = rest;
        }
        self.builder.ins().jump(end, &[]);
        self.builder.switch_to_block(end);
        self.builder.ins().return_(&[]);
        self.builder.seal_all_blocks();
        self.builder.finalize();
        Ok(())
    }

    fn words(&mut self) -> Words<'_, 'f> {
        Words { builder: &mut self.builder }
    }

    fn load(&mut self, slot: Slot) -> Value {
        if let Some(&value) = self.known.get(&slot) {
            return value;
        }
        let value = self.builder.ins().load(I64, FRAME, self.frame, 8 * i32::from(slot));
        self.known.insert(slot, value);
        value
    }

    fn store(&mut self, slot: Slot, value: Value) {
        self.builder.ins().store(FRAME, value, self.frame, 8 * i32::from(slot));
        self.known.insert(slot, value);
    }

    /// Returns the address of a register's cell at an index, which wraps around ([`runtime::RegisterFile::wrap`]).
    fn cell(&mut self, register: Slot, index: Slot) -> Value {
        let cells = self.code.cells_of(register);
        let (index, length) = (self.load(index), cells.len() as u64);
        let wrapped = if length.is_power_of_two() {
            self.words().and(index, length - 1)
        } else {
            let length = self.words().constant(length);
            self.builder.ins().urem(index, length)
        };
        let offset = self.builder.ins().ishl_imm(wrapped, 3);
        let address = self.builder.ins().iadd(self.cells, offset);
        self.builder.ins().iadd_imm(address, 8 * cells.start as i64)
    }

    fn read(&mut self, register: Slot, index: Slot) -> Value {
        let place = self.cell(register, index);
        self.place = Some(place);
        self.builder.ins().load(I64, CELLS, place, 0)
    }

    /// Writes to a cell if the value of a slot is not 0.
    fn write(&mut self, place: Value, predicate: Slot, value: Slot) {
        let (predicate, value) = (self.load(predicate), self.load(value));
        let (write, next) = (self.builder.create_block(), self.builder.create_block());
        self.builder.ins().brif(predicate, write, &[], next, &[]);
        self.builder.switch_to_block(write);
        self.builder.ins().store(CELLS, value, place, 0);
        self.builder.ins().jump(next, &[]);
        self.builder.switch_to_block(next);
    }

    /// Emits an instruction, behind which there are `rest` others; the stage ends at `end`.
    fn instruction(&mut self, it: &Instruction, rest: usize, end: Block) -> Result<(), Unsupported> {
        let width = u32::from(it.width);
        let value = match it.operation {
            Operation::Copy => self.load(it.a),
            Operation::Add => self.binary(BinaryOperator::Add, Type::Bits(it.width.into()), it),
            Operation::Subtract => self.binary(BinaryOperator::Subtract, Type::Bits(it.width.into()), it),
            Operation::Multiply => self.binary(BinaryOperator::Multiply, Type::Bits(it.width.into()), it),
            Operation::And => self.binary(BinaryOperator::And, Type::Bits(it.width.into()), it),
            Operation::Equal => self.binary(BinaryOperator::Equal, Type::Bits(it.width.into()), it),
            Operation::Unsigned(operator) => self.binary(operator, Type::Bits(it.width.into()), it),
            Operation::Signed(operator) => self.binary(operator, Type::Int(it.width.into()), it),
            Operation::Unary(operator) => {
                let value = self.load(it.a);
                self.words().unary(operator, Type::Bits(it.width.into()), value)
            }
            Operation::MultiplyAdd => {
                let (a, b, c) = (self.load(it.a), self.load(it.b), self.load(it.c));
                let product = self.builder.ins().imul(a, b);
                let sum = self.builder.ins().iadd(product, c);
                self.words().and(sum, it.mask)
            }
            Operation::Select => {
                let (condition, yes, no) = (self.load(it.a), self.load(it.b), self.load(it.c));
                self.builder.ins().select(condition, yes, no)
            }
            Operation::ToBool => {
                let value = self.load(it.a);
                let flag = self.words().compare_constant(IntCC::NotEqual, value, 0);
                self.words().truth(flag)
            }
            Operation::Cut => {
                let value = self.load(it.a);
                self.words().cut(value, it.b.into())
            }
            Operation::CutSigned => {
                let value = self.load(it.a);
                let value = self.words().sign_extend(width, value);
                self.words().cut(value, it.b.into())
            }
            Operation::Hash(function) => {
                let number = HashFunction::ALL.iter().position(|&known| known == function);
                let number = self.words().constant(number.expect("it is one of all") as u64);
                let arguments = [number, self.load(it.a), self.load(it.b), self.load(it.c)];
                let call = self.builder.ins().call(self.hash, &arguments);
                self.builder.inst_results(call)[0]
            }
            Operation::Read => {
                let predicate = self.load(it.b);
                // A read of the cell does nothing, so it need not be avoided.
                let (value, zero) = (self.read(it.c, it.a), self.words().constant(0));
                self.builder.ins().select(predicate, value, zero)
            }
            Operation::ReadOrLeave => {
                let leave = self.code.leave(it.c);
                debug_assert_eq!(leave.rest, rest, "a stage is left as a whole");
                let (predicate, from) = (self.load(it.b), self.load(leave.from));
                let (skip, next) = (self.builder.create_block(), self.builder.create_block());
                self.builder.ins().brif(predicate, next, &[], skip, &[]);
                self.builder.switch_to_block(skip);
                self.builder.ins().store(FRAME, from, self.frame, 8 * i32::from(leave.to));
                self.builder.ins().jump(end, &[]);
                self.builder.switch_to_block(next);
                self.read(leave.register, it.a)
            }
            Operation::Write => {
                let place = self.cell(it.c, it.a);
                self.write(place, it.b, it.result);
                return Ok(());
            }
            Operation::WriteWhereRead => {
                let place = self.place.ok_or_else(|| Unsupported("a cell is written that was not read".to_owned()))?;
                self.write(place, it.b, it.result);
                return Ok(());
            }
            Operation::Checksum | Operation::LookUp => {
                return Err(Unsupported("stages with look-ups or checksums are not compiled".to_owned()));
            }
        };
        self.store(it.result, value);
        Ok(())
    }

    fn binary(&mut self, operator: BinaryOperator, ty: Type, it: &Instruction) -> Value {
        let (a, b) = (self.load(it.a), self.load(it.b));
        if operator.is_comparison() {
            let flag = self.words().narrow_comparison(operator, ty, a, b);
            return self.words().truth(flag);
        }
        self.words().narrow(operator, ty, a, b)
    }
}
