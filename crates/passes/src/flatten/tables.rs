//! Turns applications of tables into look-ups, which the match unit of a stage performs, and actions that are
//! predicated by their results.
//!
//! All results of a table are computed in one place before anything else happens, so that they are a single look-up for
//! the machine even if the actions change the keys.

use ir::{
    BinaryOperator, Expression, FunctionId, Lookup, LookupResult, Statement, Table, TableId, Type, UnaryOperator,
    VariableId,
};
use runtime::checksum::Algorithm;
use runtime::tables::Target;

use super::knowledge::Fact;
use super::outcome::Outcome;
use super::walk::Walk;
use crate::report::Finding;

/// An application of a table in the program.
#[derive(Clone, Debug)]
pub(super) struct Application {
    /// For each action, the Boolean expression that says whether it runs.
    pub(super) runs: Vec<Expression>,
}

/// The variables by which the machine learns which entry of a table to count.
#[derive(Clone, Debug)]
pub(super) struct Counted {
    pub(super) table: TableId,
    /// The variable that says whether an entry matched.
    pub(super) hit: VariableId,
    /// The variables that hold the keys of the look-up.
    pub(super) keys: Vec<VariableId>,
}

impl Walk<'_> {
    /// Writes down the application of a table.
    pub(super) fn apply(&mut self, id: TableId, hit: Option<VariableId>, action: Option<VariableId>) -> Outcome {
        let table = self.program.tables[id.index()].clone();
        self.refuse(id, &table);
        let mut code = Vec::new();
        let keys: Vec<Expression> = table.keys.iter().map(|key| &key.value).chain(&table.selector).cloned().collect();
        let keys: Vec<Expression> = keys.iter().map(|key| self.key(&table, key, &mut code)).collect();
        let ask = |result| Expression::Lookup(Box::new(Lookup { table: id, keys: keys.clone(), result }));
        let matched = self.kept(&format!("{}.$hit", table.name), ask(LookupResult::Hit), &mut code);
        let mut runs = Vec::new();
        for (place, listed) in table.actions.iter().enumerate() {
            // Entries and the default can only name this action.
            if table.actions.len() == 1 && table.profile.is_none() {
                runs.push(Expression::bool(true));
                continue;
            }
            let name = format!("{}.$runs.{}", table.name, self.program.functions[listed.function.index()].name);
            let asked = ask(LookupResult::Runs(place as u32));
            let asked = Expression::Variable(self.kept(&name, asked, &mut code));
            runs.push(if hit.is_some() { with_hit(asked, &table, place, matched) } else { asked });
        }
        for (place, listed) in table.actions.iter().enumerate() {
            let parameters = self.program.functions[listed.function.index()].parameters.clone();
            for (parameter, variable) in parameters.into_iter().enumerate() {
                let (action, parameter) = (place as u32, parameter as u32);
                // If the parameter is wide, this is split into words later.
                let ty = self.program.variable(variable).ty;
                let value = ask(LookupResult::Data { action, parameter, low: 0, ty });
                self.assign(variable, value, &mut code);
            }
        }
        if table.counter.is_some() && !table.counts_when_called {
            self.count_entry(id, &table, matched, &keys, &mut code);
        }
        if let Some(hit) = hit {
            self.assign(hit, Expression::Variable(matched), &mut code);
        }
        if let Some(action) = action {
            let chosen =
                runs.iter().enumerate().rev().fold(Expression::Variable(action), |otherwise, (place, runs)| {
                    Expression::select(runs.clone(), Expression::number(Type::Bits(32), place as i64), otherwise)
                });
            code.push(Statement::Assign { variable: action, value: chosen });
            self.knowledge.learn(action, Fact::Action(self.applications.len()));
        }
        self.applications.push(Application { runs: runs.clone() });
        let mut all = Outcome::of(code);
        for (listed, runs) in table.actions.iter().zip(runs) {
            let action = self.branch(
                runs,
                |walk| walk.action(&listed.before, listed.function, &listed.after),
                |_| Outcome::default(),
            );
            self.append(&mut all, action);
        }
        all
    }

    fn action(&mut self, before: &[Statement], function: FunctionId, after: &[Statement]) -> Outcome {
        let mut all = self.block(before);
        let called = self.call(function, after);
        self.append(&mut all, called);
        all
    }

    /// Returns a key for all look-ups of an application: a local variable that nothing else assigns, or a constant.
    fn key(&mut self, table: &Table, key: &Expression, code: &mut Vec<Statement>) -> Expression {
        let key = self.resolved(key, code);
        self.held(&format!("{}.$key", table.name), key, code)
    }

    /// Assigns the variables that tell the machine which entry to count.
    fn count_entry(
        &mut self,
        id: TableId,
        table: &Table,
        hit: VariableId,
        keys: &[Expression],
        code: &mut Vec<Statement>,
    ) {
        let keys = &keys[..table.keys.len()];
        let found = self.counted.iter().position(|counted| counted.table == id);
        let place = found.unwrap_or_else(|| {
            let hit = self.local(&format!("{}.$counted", table.name), Type::Bool);
            let key =
                |walk: &mut Self, key| walk.local(&format!("{}.$counted.key", table.name), walk.program.type_of(key));
            let keys = keys.iter().map(|value| key(self, value)).collect();
            self.counted.push(Counted { table: id, hit, keys });
            self.counted.len() - 1
        });
        let counted = self.counted[place].clone();
        code.push(Statement::Assign { variable: counted.hit, value: Expression::Variable(hit) });
        for (variable, key) in counted.keys.into_iter().zip(keys) {
            code.push(Statement::Assign { variable, value: key.clone() });
        }
    }

    fn refuse(&mut self, id: TableId, table: &Table) {
        let name = &table.name;
        if self.knowledge.apply(id) {
            self.applied_twice.insert(id);
            let message = format!("the table `{name}` is applied twice on the same path through the program");
            self.findings.push(Finding::new(message).note("a pipeline looks up a packet only once in each table"));
        }
        if table.counts_when_called {
            let message = format!("the program calls the counter or the meter of the entries of the table `{name}`");
            self.findings.say(message + ", but a pipeline learns of an entry only its action and its data");
        }
        if !table.registers.is_empty() {
            let message = format!("the entries of the table `{name}` have registers");
            self.findings.say(message + ", but a pipeline learns of an entry only its action and its data");
        }
        if let Some((meter, _)) = table.meter {
            let meter = &self.program.meters[meter.index()].name;
            let message = format!("the entries of the table `{name}` use the meter `{meter}`");
            self.findings.say(message + ", but a pipeline has no meters");
        }
        let profile = table.profile.map(|profile| &self.program.profiles[profile.index()]);
        if profile.and_then(|profile| profile.selection.as_ref()?.bits).is_some() {
            self.findings.say(format!(
                "packets say by a register which members of the groups of the table `{name}` are there, but in a pipeline only \
                 the control plane changes what a table answers"
            ));
        }
        if profile.and_then(|profile| profile.selection.as_ref()).is_some_and(|own| own.algorithm == Algorithm::Random)
        {
            self.findings.say(format!(
                "the table `{name}` chooses members of groups at random, but a pipeline has no source of random numbers"
            ));
        }
    }
}

/// Returns whether an action runs, extended by what follows from the table: whether it can run on a hit, and on a miss.
/// So later passes know that `if (t.apply().hit)` excludes the default action.
fn with_hit(runs: Expression, table: &Table, place: usize, hit: VariableId) -> Expression {
    let listed = &table.actions[place];
    let is_default = |target: &Target| matches!(target, Target::Action { action, .. } if *action as usize == place);
    let hit = Expression::Variable(hit);
    if listed.only_default {
        Expression::binary(BinaryOperator::And, runs, Expression::unary(UnaryOperator::Not, hit))
    } else if listed.only_entries || table.is_default_constant && !is_default(&table.default) {
        Expression::binary(BinaryOperator::And, runs, hit)
    } else {
        runs
    }
}
