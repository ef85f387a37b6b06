//! Warnings about actions that read a direct meter that their table does not name.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use control::Size;
use diagnostics::Diagnostic;
use ir::{Expression, Flow, FunctionId, MeterId, Program, Statement, VariableId};

use crate::lower::Objects;

impl<'a> Objects<'_, 'a> {
    /// Warns of actions that read the colour of a direct meter that their table does not name: the meter does not
    /// measure the entries of that table.
    pub(in crate::lower) fn lint_meter_reads(&mut self) {
        // Meters that no table names are dropped, with a warning of their own.
        let is_named = |meter: MeterId| matches!(self.info.meters[meter.index()].size, Size::Entries(_));
        let named = self.switch.colors.iter().filter(|(meter, _)| is_named(**meter));
        let colors: HashMap<VariableId, MeterId> = named.map(|(&meter, &color)| (color, meter)).collect();
        if colors.is_empty() {
            return;
        }
        let mut read = BTreeMap::new();
        for (number, table) in self.output.program.tables.iter().enumerate() {
            for (place, action) in table.actions.iter().enumerate() {
                let meters = meters_read(&self.output.program, action.function, &colors, &mut read);
                let others = meters.into_iter().filter(|&own| table.meter.is_none_or(|(meter, _)| meter != own));
                for meter in others {
                    let (meter, table) = (&self.output.program.meters[meter.index()].name, &table.name);
                    let message = format!("this action reads the meter `{meter}`, which `{table}` does not name");
                    let Some(&span) = self.switch.action_spans.get(&(number.into(), place)) else { continue };
                    let hint = "it reads what the last hit of this packet elsewhere gave, else 0";
                    self.shapes.found.report(Diagnostic::warning(span, message).hint(hint));
                }
            }
        }
    }
}

/// Returns the direct meters whose colour a function reads, directly or through calls.
fn meters_read(
    program: &Program,
    function: FunctionId,
    colors: &HashMap<VariableId, MeterId>,
    known: &mut BTreeMap<FunctionId, BTreeSet<MeterId>>,
) -> BTreeSet<MeterId> {
    if let Some(known) = known.get(&function) {
        return known.clone();
    }
    let mut found = BTreeSet::new();
    let mut blocks: Vec<&[Statement]> = vec![&program.functions[function.index()].body];
    while let Some(block) = blocks.pop() {
        for statement in block {
            if let Statement::Flow(Flow::Call { function, .. }) = statement {
                found.extend(meters_read(program, *function, colors, known));
            }
            let mut visit = |part: &Expression| {
                if let Expression::Variable(variable) = part {
                    found.extend(colors.get(variable));
                }
            };
            statement.expressions().into_iter().for_each(|own| own.walk(&mut visit));
            blocks.extend(statement.blocks());
        }
    }
    known.insert(function, found.clone());
    found
}
