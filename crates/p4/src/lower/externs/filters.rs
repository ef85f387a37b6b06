//! Low-pass filters and weighted random early detection, indexed or with one for each entry of a table.

use ir::{Expression, FilterId, SharedStatement, Statement, TableId, Type, WredId};
use num_bigint::BigInt;

use crate::ast;
use crate::lower::arguments::Constructed;
use crate::lower::constants::number;
use crate::lower::frame::Made;
use crate::lower::limits::MOST_METERS;
use crate::lower::tree::{Tree, Value};
use crate::lower::{ExternCall, Objects};

impl<'a> Objects<'_, 'a> {
    pub(super) fn make_filter(&mut self, is_direct: bool, constructed: &Constructed<'_, 'a>) -> Made {
        let size = if is_direct { 1 } else { self.constructed_size(constructed, 0, MOST_METERS).max(1) };
        let name = constructed.name;
        self.output.program.filters.push(ir::Filter { name: name.to_owned(), size });
        let identity = self.control_plane().identity(name, constructed.annotations);
        self.info.filters.push(control::Filter { identity, size });
        let filter = FilterId::from(self.output.program.filters.len() - 1);
        Made::Filter { filter, is_direct }
    }

    pub(super) fn make_early_detection(&mut self, is_direct: bool, constructed: &Constructed<'_, 'a>) -> Made {
        let size = if is_direct { 1 } else { self.constructed_size(constructed, 0, MOST_METERS).max(1) };
        let first = usize::from(!is_direct);
        let [drops, passes] =
            [first, first + 1].map(|place| self.constructed_number_if_given(constructed, place).unwrap_or(0));
        let name = constructed.name;
        self.output.program.wreds.push(ir::Wred { name: name.to_owned(), size });
        let identity = self.control_plane().identity(name, constructed.annotations);
        self.info.wreds.push(control::Wred { identity, size });
        let wred = WredId::from(self.output.program.wreds.len() - 1);
        Made::EarlyDetection { wred, is_direct, values: [drops, passes] }
    }

    /// Gives each entry of a table a filter or early detection, for the property `filters`.
    pub(in crate::lower) fn attach_filters(&mut self, node: &'a ast::Expression, made: &Made, table: TableId) {
        match made {
            Made::Filter { is_direct: true, .. } | Made::EarlyDetection { is_direct: true, .. } => {
                self.output.program.tables[table.index()].has_slots = true;
                self.switch.filters_of_entries.push((table, made.clone()));
            }
            // Those that have an index are only said to be used by the table's actions.
            Made::Filter { .. } | Made::EarlyDetection { .. } => {}
            _ => self.shapes.found.error(node.span, "a table takes filters here"),
        }
    }

    /// Gives the filters of a table's entries the size of the table.
    pub(in crate::lower) fn size_filters(&mut self, table: TableId, size: u32) {
        for (own, made) in &self.switch.filters_of_entries {
            match made {
                _ if *own != table => {}
                Made::Filter { filter, .. } => {
                    self.output.program.filters[filter.index()].size = size;
                    self.info.filters[filter.index()].size = size;
                }
                Made::EarlyDetection { wred, .. } => {
                    self.output.program.wreds[wred.index()].size = size;
                    self.info.wreds[wred.index()].size = size;
                }
                _ => {}
            }
        }
    }
}

impl<'a> ExternCall<'_, 'a> {
    /// Writes `execute(value, index)` of a filter, or `execute(value)` of one that belongs to an entry.
    pub(super) fn filter_method(&mut self, filter: FilterId, is_direct: bool) -> Value {
        let Some(ty) = self.scalar_result() else { return Tree::Nothing };
        let Some((value, index)) = self.value_and_index(is_direct) else { return Tree::Nothing };
        let result = self.lowering.writer().temporary("$filtered", Type::Bits(32));
        self.lowering.writer().emit(Statement::Shared(SharedStatement::Filter { filter, index, value, result }));
        Tree::Scalar(self.lowering.output.cast(Expression::Variable(result), ty))
    }

    /// Writes `execute(value, index)` of early detection, or `execute(value)` of one that belongs to an entry.
    pub(super) fn early_detection_method(&mut self, wred: WredId, is_direct: bool, values: [u64; 2]) -> Value {
        let Some(ty) = self.scalar_result() else { return Tree::Nothing };
        let Some((value, index)) = self.value_and_index(is_direct) else { return Tree::Nothing };
        let drops = self.lowering.writer().temporary("$drops", Type::Bool);
        self.lowering.writer().emit(Statement::Shared(SharedStatement::Wred { wred, index, value, drops }));
        let [if_dropped, otherwise] = values.map(|value| number(ty, &BigInt::from(value)));
        Tree::Scalar(Expression::select(Expression::Variable(drops), if_dropped, otherwise))
    }

    fn value_and_index(&mut self, is_direct: bool) -> Option<(Expression, Expression)> {
        if is_direct {
            let [value] = self.argument_numbers([0]);
            return Some((value?, Expression::Variable(self.lowering.slot())));
        }
        let [value, index] = self.argument_values([0, 1]);
        Some((self.number_given(0, value)?, self.index_given(1, index)?))
    }
}
