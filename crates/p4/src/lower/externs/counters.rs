//! Counters and meters, indexed or direct.

use control::Size;
use diagnostics::Diagnostic;
use ir::{CounterId, CounterUnit, Expression, MeterId, SharedStatement, Statement, TableId};
use runtime::MeterUnit;

use super::Direct;
use crate::ast;
use crate::lower::arguments::Constructed;
use crate::lower::frame::Made;
use crate::lower::limits::{MOST_COUNTERS, MOST_METERS};
use crate::lower::tree::{Tree, Value};
use crate::lower::{ExternCall, Objects};

/// The type of the colour of a meter whose method returns it.
const COLOR: ir::Type = ir::Type::Bits(8);
/// The parameter that says how many bytes are subtracted from the length of the packet.
const ADJUSTMENT: &str = "adjust_byte_count";

impl<'a> Objects<'_, 'a> {
    pub(super) fn make_counter(&mut self, is_direct: bool, constructed: &Constructed<'_, 'a>) -> Made {
        let (size, unit) = self.size_and_unit(is_direct, &["CounterType", "CounterType_t"], MOST_COUNTERS, constructed);
        let name = constructed.name;
        let (unit, told) = match unit.as_deref() {
            Some("packets") => (CounterUnit::Packets, control::CounterUnit::Packets),
            Some("bytes") => (CounterUnit::Bytes, control::CounterUnit::Bytes),
            _ => (CounterUnit::PacketsAndBytes, control::CounterUnit::PacketsAndBytes),
        };
        let width = self.counter_width(constructed);
        self.output.program.counters.push(ir::Counter { name: name.to_owned(), size, unit, width });
        let identity = self.control_plane().identity(name, constructed.annotations);
        let size = Size::Array(size.unwrap_or(0));
        self.info.counters.push(control::Counter { identity, unit: told, size });
        let counter = CounterId::from(self.output.program.counters.len() - 1);
        if is_direct {
            self.switch.direct.push((Direct::Counter(counter), constructed.span));
        }
        Made::Counter(counter)
    }

    /// Returns the width after which a counter wraps around.
    fn counter_width(&mut self, constructed: &Constructed<'_, 'a>) -> u32 {
        let declared = match constructed.types.first() {
            Some(&of) if self.architecture.counters_have_widths => self.shapes.scalar_type(of).map(ir::Type::width),
            _ => None,
        };
        let width = declared.unwrap_or(ir::Counter::WIDTH);
        if width > ir::Counter::WIDTH {
            let message = format!("`{}` counts in {width} bits; the most is {}", constructed.name, ir::Counter::WIDTH);
            self.shapes.found.error(constructed.span, message);
        }
        width.min(ir::Counter::WIDTH)
    }

    pub(super) fn make_meter(&mut self, is_direct: bool, constructed: &Constructed<'_, 'a>) -> Made {
        let (size, unit) = self.size_and_unit(is_direct, &["MeterType", "MeterType_t"], MOST_METERS, constructed);
        let name = constructed.name;
        let unit = if unit.as_deref() == Some("packets") { MeterUnit::Packets } else { MeterUnit::Bytes };
        let first = if is_direct { 1 } else { 2 };
        let values = [first + 2, first + 1, first].map(|place| self.constructed_number_if_given(constructed, place));
        if let [Some(green), Some(yellow), Some(red)] = values {
            let meter = MeterId::from(self.output.program.meters.len());
            self.switch.color_values.insert(meter, [green, yellow, red]);
        }
        self.output.program.meters.push(ir::Meter { name: name.to_owned(), size, unit });
        let meter = MeterId::from(self.output.program.meters.len() - 1);
        if is_direct {
            let result = match constructed.types.first() {
                Some(&of) => self.shapes.scalar_type(of),
                // A meter whose method returns the colour: the variable is not used.
                None => Some(COLOR),
            };
            let result = result.filter(|&result| result != ir::Type::Bool).unwrap_or_else(|| {
                let error = Diagnostic::error(constructed.span, "a colour is a number");
                self.shapes.found.report(error.hint("`direct_meter<bit<2>>` has room for all three"));
                ir::Type::Bits(2)
            });
            let color = self.output.variable(&format!("{name}.$color"), result);
            self.switch.colors.insert(meter, color);
            self.switch.direct.push((Direct::Meter(meter), constructed.span));
        }
        let identity = self.control_plane().identity(name, constructed.annotations);
        let size = Size::Array(size.unwrap_or(0));
        self.info.meters.push(control::Meter { identity, unit, size });
        Made::Meter(meter)
    }

    /// Returns the size, unless the counter or meter is direct, and the unit.
    fn size_and_unit(
        &mut self,
        is_direct: bool,
        units: &[&str],
        most: u32,
        constructed: &Constructed<'_, 'a>,
    ) -> (Option<u32>, Option<String>) {
        let size = if is_direct { None } else { Some(self.constructed_size(constructed, 0, most)) };
        let unit = self.constructed_number(constructed, if is_direct { 0 } else { 1 });
        let named =
            |place| units.iter().find_map(|units| self.declarations.member_named(self.shapes.types, units, place));
        (size, unit.and_then(named).map(|name| name.to_ascii_lowercase()))
    }

    /// Attaches a direct counter to a table, for the property `counters`.
    pub(in crate::lower) fn attach_counter(&mut self, node: &'a ast::Expression, made: &Made, table: TableId) {
        match made {
            Made::Counter(counter) if self.output.program.counters[counter.index()].size.is_none() => {
                if let Size::Entries(other) = self.info.counters[counter.index()].size {
                    return self.attached_twice(node, "counter", other);
                }
                self.output.program.tables[table.index()].counter = Some(*counter);
                self.give_slots(table);
                let number = control::TableNumber::from(table.index());
                self.info.counters[counter.index()].size = Size::Entries(number);
                self.info.tables[table.index()].counter = Some(control::CounterNumber::from(counter.index()));
            }
            _ => self.shapes.found.error(node.span, "a table takes a `direct_counter` here"),
        }
    }

    /// Gives the entries of a table slots, if the architecture lets actions name the entry that matched.
    fn give_slots(&mut self, table: TableId) {
        if self.architecture.counts_when_called {
            let table = &mut self.output.program.tables[table.index()];
            (table.has_slots, table.counts_when_called) = (true, true);
        }
    }

    /// Attaches direct registers to a table, for the property `registers`.
    pub(in crate::lower) fn attach_registers(&mut self, node: &'a ast::Expression, made: &Made, table: TableId) {
        match made {
            Made::DirectRegisters(registers) => {
                let table = &mut self.output.program.tables[table.index()];
                table.has_slots = true;
                table.registers.extend(registers.leaves());
            }
            _ => self.shapes.found.error(node.span, "a table takes direct registers here"),
        }
    }

    /// Reports a direct counter or meter that is attached to a second table.
    fn attached_twice(&mut self, node: &'a ast::Expression, what: &str, other: control::TableNumber) {
        let name = &self.info.tables[other.index()].identity.name;
        let message = format!("this {what} belongs to the entries of `{name}` already");
        let error = Diagnostic::error(node.span, message);
        self.shapes.found.report(error.hint(format!("each table takes a `direct_{what}` of its own")));
    }

    /// Attaches a direct meter to a table, for the property `meters`.
    pub(in crate::lower) fn attach_meter(&mut self, node: &'a ast::Expression, made: &Made, table: TableId) {
        let color = if let Made::Meter(meter) = made { self.switch.colors.get(meter).copied() } else { None };
        match (made, color) {
            (Made::Meter(meter), Some(color)) => {
                if let Size::Entries(other) = self.info.meters[meter.index()].size {
                    return self.attached_twice(node, "meter", other);
                }
                self.output.program.tables[table.index()].meter = Some((*meter, color));
                self.give_slots(table);
                let number = control::TableNumber::from(table.index());
                self.info.meters[meter.index()].size = Size::Entries(number);
                self.info.tables[table.index()].meter = Some(control::MeterNumber::from(meter.index()));
            }
            _ => self.shapes.found.error(node.span, "a table takes a `direct_meter` here"),
        }
    }
}

impl<'a> ExternCall<'_, 'a> {
    pub(in crate::lower) fn counter_method(&mut self, counter: CounterId) {
        let adjust = self.length_adjustment();
        if self.lowering.architecture.counts_when_called
            && self.lowering.output.program.counters[counter.index()].size.is_none()
        {
            let index = Expression::Variable(self.lowering.slot());
            return self.lowering.writer().emit(Statement::Shared(SharedStatement::Count { counter, index, adjust }));
        }
        // A direct counter counts each hit, whether or not an action calls it (BMv2, and v1model.p4).
        if self.lowering.output.program.counters[counter.index()].size.is_some() {
            let index = self.argument_value(0);
            let Some(index) = self.index_given(0, index) else { return };
            self.lowering.writer().emit(Statement::Shared(SharedStatement::Count { counter, index, adjust }));
        }
    }

    /// Writes a method of a meter that returns the colour, and may be given the colour that the packet has.
    pub(in crate::lower) fn returning_meter_method(&mut self, meter: MeterId) -> Value {
        let is_direct = self.lowering.output.program.meters[meter.index()].size.is_none();
        let index = if is_direct {
            Expression::Variable(self.lowering.slot())
        } else {
            let index = self.argument_value(0);
            match self.index_given(0, index) {
                Some(index) => self.lowering.writer().held(index),
                None => return Tree::Nothing,
            }
        };
        let before = self.parameter_named("color").and_then(|place| self.arguments.node(place));
        let before = before.map(|node| self.lowering.scalar(node));
        let adjust = self.length_adjustment();
        let color = self.lowering.writer().temporary("$color", COLOR);
        self.lowering.writer().emit(Statement::Shared(SharedStatement::Measure {
            meter,
            index,
            color,
            before,
            adjust,
        }));
        let usual = self.lowering.architecture.colors;
        let [green, yellow, red] = self.lowering.switch.color_values.get(&meter).copied().unwrap_or(usual);
        let constant = |value| Expression::Constant(ir::Constant { ty: COLOR, value });
        let is = |value| Expression::binary(ir::BinaryOperator::Equal, Expression::Variable(color), constant(value));
        let not_green = Expression::select(is(1), constant(yellow), constant(red));
        Tree::Scalar(Expression::select(is(0), constant(green), not_green))
    }

    /// Returns the bytes that are added to the length of the packet, if the call says how many to subtract.
    fn length_adjustment(&mut self) -> Option<Expression> {
        let node = self.parameter_named(ADJUSTMENT).and_then(|place| self.arguments.node(place))?;
        let bytes = self.lowering.scalar(node);
        let bytes = self.lowering.output.cast(bytes, ir::Type::Bits(40));
        Some(Expression::unary(ir::UnaryOperator::Negate, self.lowering.output.cast(bytes, ir::Type::Int(40))))
    }

    /// Returns the index of the parameter of a name.
    fn parameter_named(&self, name: &str) -> Option<usize> {
        self.arguments.callable.parameters.iter().position(|own| &*own.name == name)
    }

    pub(in crate::lower) fn meter_method(&mut self, meter: MeterId) {
        if let Some(&color) = self.lowering.switch.colors.get(&meter) {
            let target = self.argument_target(0);
            self.lowering.writer().give(target, Tree::Scalar(Expression::Variable(color)));
            return;
        }
        let index = self.argument_value(0);
        let Some(index) = self.index_given(0, index) else { return };
        let index = self.lowering.writer().held(index);
        let target = self.argument_target(1);
        let of = self.arguments.types.first().and_then(|&of| self.lowering.shapes().scalar_type(of));
        let Some(ty) = of.filter(|&ty| ty != ir::Type::Bool) else { return self.no_number(1) };
        let color = self.lowering.writer().temporary("$color", ty);
        self.lowering.writer().emit(Statement::Shared(SharedStatement::Measure {
            meter,
            index,
            before: None,
            adjust: None,
            color,
        }));
        self.lowering.writer().give(target, Tree::Scalar(Expression::Variable(color)));
    }
}
