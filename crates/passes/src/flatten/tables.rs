//! Applications of tables become look-ups: what the match unit of a stage says of keys, and actions that are predicated
//! by it.
//!
//! Everything that is asked of a table is asked at one place, before anything else, so that it is one look-up for the
//! machine whatever the actions do to what was looked up.

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

/// An application of a table.
#[derive(Clone, Debug)]
pub(super) struct Application {
    /// Whether each action is the one that runs.
    pub(super) runs: Vec<Expression>,
}

/// What a table whose entries count gives to the machine.
#[derive(Clone, Debug)]
pub(super) struct Counted {
    pub(super) table: TableId,
    /// Whether an entry matched.
    pub(super) hit: VariableId,
    /// What was looked up.
    pub(super) keys: Vec<VariableId>,
}

impl Walk<'_> {
    /// A table is applied.
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
            // Entries and the default have no other choice.
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
                // Words of it, if it is wide, are made of this later.
                let ty = self.program.variable(variable).ty;
                let value = ask(LookupResult::Data { action, parameter, low: 0, ty });
                self.assign(variable, value, &mut code);
            }
        }
        if table.counter.is_some() {
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

    /// A key as all look-ups of this application have it: a local that nothing else assigns, or a constant.
    fn key(&mut self, table: &Table, key: &Expression, code: &mut Vec<Statement>) -> Expression {
        let key = self.resolved(key, code);
        self.held(&format!("{}.$key", table.name), key, code)
    }

    /// Tells the machine what to count.
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
            let message = format!("the table `{name}` is applied twice on one way through the program");
            self.findings.push(Finding::new(message).note("a pipeline looks a packet up once in each of its tables"));
        }
        if let Some((meter, _)) = table.meter {
            let meter = &self.program.meters[meter.index()].name;
            let message = format!("the entries of the table `{name}` measure with the meter `{meter}`");
            self.findings.say(message + ", and a pipeline has no meters");
        }
        let profile = table.profile.map(|profile| &self.program.profiles[profile.index()]);
        if profile.and_then(|profile| profile.selection.as_ref()).is_some_and(|own| own.algorithm == Algorithm::Random)
        {
            self.findings
                .say(format!("members of groups of the table `{name}` are drawn, and a pipeline draws nothing"));
        }
    }
}

/// Whether an action runs, said so that it is plain whether it can in case of a hit and of a miss: `if (t.apply().hit)`
/// then excludes what the default does.
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
