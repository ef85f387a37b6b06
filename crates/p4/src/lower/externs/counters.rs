//! Counters and meters, indexed or direct.

use std::rc::Rc;

use control::Size;
use diagnostics::Diagnostic;
use ir::{CounterId, CounterUnit, Expression, MeterId, SharedStatement, Statement, TableId};
use runtime::MeterUnit;

use super::Direct;
use crate::ast;
use crate::lower::arguments::Constructed;
use crate::lower::frame::Made;
use crate::lower::limits::{MOST_COUNTERS, MOST_METERS};
use crate::lower::tree::Tree;
use crate::lower::{ExternCall, Objects};

impl<'a> Objects<'_, 'a> {
    pub(super) fn make_counter(&mut self, is_direct: bool, constructed: &Constructed<'_, 'a>) -> Made {
        let (size, unit) = self.size_and_unit(is_direct, "CounterType", constructed);
        let name = constructed.name;
        let (unit, told) = match unit.as_deref() {
            Some("packets") => (CounterUnit::Packets, control::CounterUnit::Packets),
            Some("bytes") => (CounterUnit::Bytes, control::CounterUnit::Bytes),
            _ => (CounterUnit::PacketsAndBytes, control::CounterUnit::PacketsAndBytes),
        };
        self.output.program.counters.push(ir::Counter { name: name.to_owned(), size, unit });
        let identity = self.control_plane().identity(name, constructed.annotations);
        let size = Size::Array(size.unwrap_or(0));
        self.info.counters.push(control::Counter { identity, unit: told, size });
        let counter = CounterId::from(self.output.program.counters.len() - 1);
        if is_direct {
            self.switch.direct.push((Direct::Counter(counter), constructed.span));
        }
        Made::Counter(counter)
    }

    pub(super) fn make_meter(&mut self, is_direct: bool, constructed: &Constructed<'_, 'a>) -> Made {
        let (size, unit) = self.size_and_unit(is_direct, "MeterType", constructed);
        let name = constructed.name;
        let unit = if unit.as_deref() == Some("packets") { MeterUnit::Packets } else { MeterUnit::Bytes };
        self.output.program.meters.push(ir::Meter { name: name.to_owned(), size, unit });
        let meter = MeterId::from(self.output.program.meters.len() - 1);
        if is_direct {
            let result = constructed.types.first().and_then(|&of| self.shapes.scalar_type(of));
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
        units: &str,
        constructed: &Constructed<'_, 'a>,
    ) -> (Option<u32>, Option<Rc<str>>) {
        let most = if units == "MeterType" { MOST_METERS } else { MOST_COUNTERS };
        let size = if is_direct { None } else { Some(self.constructed_size(constructed, 0, most)) };
        let unit = self.constructed_number(constructed, if is_direct { 0 } else { 1 });
        (size, unit.and_then(|place| self.declarations.member_named(self.shapes.types, units, place)))
    }

    /// Attaches a direct counter to a table, for the property `counters`.
    pub(in crate::lower) fn attach_counter(&mut self, node: &'a ast::Expression, made: &Made, table: TableId) {
        match made {
            Made::Counter(counter) if self.output.program.counters[counter.index()].size.is_none() => {
                if let Size::Entries(other) = self.info.counters[counter.index()].size {
                    return self.attached_twice(node, "counter", other);
                }
                self.output.program.tables[table.index()].counter = Some(*counter);
                let number = control::TableNumber::from(table.index());
                self.info.counters[counter.index()].size = Size::Entries(number);
                self.info.tables[table.index()].counter = Some(control::CounterNumber::from(counter.index()));
            }
            _ => self.shapes.found.error(node.span, "a table takes a `direct_counter` here"),
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
        // A direct counter counts each hit, whether or not an action calls it (BMv2, and v1model.p4).
        if self.lowering.output.program.counters[counter.index()].size.is_some() {
            let index = self.argument_value(0);
            let Some(index) = self.index_given(0, index) else { return };
            self.lowering.writer().emit(Statement::Shared(SharedStatement::Count { counter, index }));
        }
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
