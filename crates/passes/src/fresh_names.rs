//! Fresh names for the variables that passes create.

use std::collections::{HashMap, HashSet};

use ir::{Program, Type, Variable, VariableId, VariableKind};

/// A generator of variable names that are unused in a program. A pass over a large program creates thousands, so the
/// names in use are kept in a set.
pub(crate) struct FreshNames {
    taken: HashSet<String>,
    next: HashMap<String, u32>,
}

impl FreshNames {
    /// Collects the names in use in a program.
    pub(crate) fn of(program: &Program) -> Self {
        let taken = program.variables.iter().map(|variable| variable.name.clone()).collect();
        Self { taken, next: HashMap::new() }
    }

    /// Adds a local variable named after `hint`, with the number of the hint replaced by a fresh one: `id.1` may yield
    /// `id.3`.
    pub(crate) fn local(&mut self, program: &mut Program, hint: &str, ty: Type) -> VariableId {
        let name = self.unique(base(hint));
        program.variables.push(Variable { name, ty, kind: VariableKind::Local });
        VariableId::from(program.variables.len() - 1)
    }

    fn unique(&mut self, base: &str) -> String {
        if self.taken.insert(base.to_owned()) {
            return base.to_owned();
        }
        let next = self.next.entry(base.to_owned()).or_insert(1);
        loop {
            let name = format!("{base}.{next}");
            *next += 1;
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// Returns a name without the number that a pass appended to it.
fn base(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((base, number)) if !base.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => base,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_the_number_of_a_hint_instead_of_adding_one() {
        let mut program = Program::default();
        let mut names = FreshNames::of(&program);
        let made: Vec<VariableId> =
            ["id", "id", "id.1", "id.old", "id.old"].map(|hint| names.local(&mut program, hint, Type::Bool)).into();
        let made: Vec<&str> = made.into_iter().map(|id| program.variable(id).name.as_str()).collect();
        assert_eq!(made, ["id", "id.1", "id.2", "id.old", "id.old.1"]);
    }
}
