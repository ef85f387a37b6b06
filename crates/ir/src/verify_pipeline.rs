//! Verification of the invariants of pipelines that their machines rely on.

use std::collections::{BTreeMap, BTreeSet};

use crate::form::{self, Assigned, quote};
use crate::match_action::{self, Phase};
use crate::pipeline::{Access, Atom, Division, Pipeline, Predicate, StageKind};
use crate::placement::Context;
use crate::{Expression, RegisterId, Statement, Type, VariableId, print, verify};

impl Pipeline {
    /// Verifies the invariants of [`Pipeline`], [`Access`] and [`Predicate`].
    ///
    /// Without resolution stages no packet is steered, and an index or predicate need be known only before the stage of
    /// its access. The text alone does not show whether a predicate covers every access to its registers: here each
    /// access must carry some predicate, and [`crate::interpret::PipelineInterpreter::packet_checked`] compares them
    /// packet by packet.
    ///
    /// # Errors
    /// Lists everything that is wrong with the pipeline.
    pub fn verify(&self) -> Result<(), Vec<String>> {
        let mut errors = Vec::new();
        verify::declarations(&self.program, &mut errors);
        form::flat(&self.program, &mut errors);
        if !self.program.packet.is_empty() {
            errors.push("the `packet` block of a pipeline must be empty: its code is in the stages".to_owned());
        }
        for (number, stage) in self.stages.iter().enumerate() {
            for atom in &stage.atoms {
                let found = errors.len();
                verify::statements(&self.program, &atom.body, Context::PACKET, &mut errors);
                form::flat_statements(&self.program, &atom.body, &mut errors);
                form::straight_line(&self.program, &atom.body, &mut errors);
                form::three_address(&self.program, &atom.body, &mut errors);
                errors[found..].iter_mut().for_each(|error| *error = format!("stage {number}: {error}"));
            }
        }
        if errors.is_empty() {
            // The following checks need ids in range.
            errors = self.flow_errors();
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// Returns inconsistencies between atoms, stages and accesses.
    fn flow_errors(&self) -> Vec<String> {
        let mut errors = Vec::new();
        let mut known = Assigned::new(&self.program);
        // The variables that have a value before each stage, and after the last one.
        let mut before = vec![known.clone()];
        for (number, stage) in self.stages.iter().enumerate() {
            let mut made = BTreeMap::new();
            for atom in &stage.atoms {
                let found = errors.len();
                // Atoms of a Banzai stage run side by side: each sees what earlier stages and its own statements have
                // assigned. Atoms of a match-action stage run in phases, which are checked separately, and see what
                // earlier atoms have assigned.
                let mut seen = match self.kind {
                    StageKind::Banzai => before[number].clone(),
                    StageKind::MatchAction => known.clone(),
                };
                if self.kind == StageKind::MatchAction {
                    self.go_through_phases(atom, &mut made, &mut errors);
                }
                for statement in &atom.body {
                    seen.check_reads(&self.program, statement, &mut errors);
                    // Assignments are reported below, where those by other atoms of the stage are seen too.
                    seen.assign(&self.program, statement, &mut Vec::new());
                    known.assign(&self.program, statement, &mut errors);
                }
                errors[found..].iter_mut().for_each(|error| *error = format!("stage {number}: {error}"));
            }
            before.push(known.clone());
        }
        known.exports(&self.program, &mut errors);
        if self.early_stages as usize > self.stages.len() {
            errors.push(format!(
                "there are {} resolution stages, but only {} stages",
                self.early_stages,
                self.stages.len()
            ));
            return errors;
        }
        self.atom_errors(&mut errors);
        self.access_errors(&before, &mut errors);
        errors
    }

    /// Checks that an atom of a match-action stage can work there. `made` holds the phases in which earlier atoms of
    /// the stage make variables.
    fn go_through_phases(&self, atom: &Atom, made: &mut BTreeMap<VariableId, Phase>, errors: &mut Vec<String>) {
        let origin = |variable| made.get(&variable).copied().unwrap_or(Phase::Before);
        match match_action::phase(&self.program, &atom.body, &origin) {
            Ok(phase) => {
                let assigned = atom.body.iter().filter_map(|statement| match statement {
                    Statement::Assign { variable, .. } => Some(*variable),
                    _ => None,
                });
                made.extend(assigned.map(|variable| (variable, phase)));
            }
            Err(reason) => {
                let first = atom.body.first().map(|statement| quote(&self.program, statement));
                errors.push(format!("{}: {reason}", first.unwrap_or_default()));
            }
        }
    }

    /// Requires a register to be accessed by one atom only, which has a template and whose access names it.
    fn atom_errors(&self, errors: &mut Vec<String>) {
        let mut seen: BTreeSet<RegisterId> = BTreeSet::new();
        for (number, stage) in self.stages.iter().enumerate() {
            for atom in &stage.atoms {
                let touched: BTreeSet<RegisterId> = touches(atom).map(|touch| touch.register).collect();
                if !touched.is_empty() && !atom.is_stateful() {
                    let first = atom.body.first().map(|statement| quote(&self.program, statement));
                    errors.push(format!(
                        "stage {number}: {}: an atom that accesses state needs a template",
                        first.unwrap_or_default()
                    ));
                }
                for register in touched {
                    let name = print::register(&self.program, register);
                    if !seen.insert(register) {
                        errors.push(format!("stage {number}: `{name}` is accessed by a second atom"));
                    }
                    if !self.accesses.iter().any(|access| access.registers.contains(&register)) {
                        errors.push(format!("stage {number}: `{name}` belongs to no access"));
                    }
                }
            }
        }
    }

    fn access_errors(&self, before: &[Assigned], errors: &mut Vec<String>) {
        let mut owners: BTreeMap<RegisterId, usize> = BTreeMap::new();
        for (number, access) in self.accesses.iter().enumerate() {
            if let Some(error) = self.ids_error(access) {
                errors.push(format!("access {number}: {error}"));
                continue;
            }
            let name = print::register(&self.program, access.registers[0]).to_string();
            let mut wrong = |error: String| errors.push(format!("access `{name}`: {error}"));
            for &register in &access.registers {
                if owners.insert(register, number).is_some() {
                    wrong(format!("`{}` belongs to two accesses", print::register(&self.program, register)));
                }
            }
            if number > 0 && self.accesses[number - 1].stage > access.stage {
                wrong("accesses must be in order of stage".to_owned());
            }
            if access.stage < self.early_stages {
                wrong(format!("stage {} resolves addresses and cannot hold state", access.stage));
            }
            self.typing_errors(access).into_iter().for_each(&mut wrong);
            self.resolution_errors(access, before).into_iter().for_each(&mut wrong);
            self.touch_errors(access).into_iter().for_each(&mut wrong);
        }
    }

    fn ids_error(&self, access: &Access) -> Option<String> {
        if access.registers.is_empty() {
            return Some("the access names no register".to_owned());
        }
        if access.registers.iter().any(|register| register.index() >= self.program.registers.len()) {
            return Some("the access names a register that does not exist".to_owned());
        }
        let stages = self.stages.len();
        (access.stage as usize >= stages)
            .then(|| format!("there is no stage {}: the pipeline has {stages}, counted from 0", access.stage))
    }

    /// Requires index and predicate to be operands of the right type, and registers that move together to have one
    /// length.
    fn typing_errors(&self, access: &Access) -> Vec<String> {
        let mut errors = Vec::new();
        let predicate = access.predicate.expression();
        for (operand, is_index) in access.index.iter().map(|index| (index, true)).chain(predicate.map(|p| (p, false))) {
            let text = print::expression(&self.program, operand);
            match verify::expression(&self.program, operand) {
                _ if !operand.is_operand() => errors.push(format!("`{text}` is neither a constant nor a variable")),
                Ok(ty) if is_index == (ty == Type::Bool) => errors.push(format!("`{text}` cannot be of type {ty}")),
                Ok(_) => (),
                Err(found) => errors.extend(found),
            }
        }
        let lengths: BTreeSet<Option<u32>> =
            access.registers.iter().map(|&register| self.program.register(register).length).collect();
        let arrays = lengths.iter().any(Option::is_some);
        match (&access.index, arrays) {
            (None, true) => errors.push("an access to arrays needs an index".to_owned()),
            (Some(_), false) => errors.push("an access to scalars cannot have an index".to_owned()),
            _ => (),
        }
        if access.division == Division::ByIndex && !arrays {
            errors.push("scalars cannot be sharded".to_owned());
        }
        if access.division == Division::ByIndex && lengths.len() > 1 {
            errors.push("registers that are sharded together must have the same length".to_owned());
        }
        errors
    }

    /// Requires the operands of an access to be known when addresses are resolved, or before the access.
    fn resolution_errors(&self, access: &Access, before: &[Assigned]) -> Vec<String> {
        // Where no packet is steered, a match-action stage may compute them itself, in phases before the access to its
        // state.
        let within = self.early_stages == 0 && self.kind == StageKind::MatchAction;
        let late = &before[access.stage as usize + usize::from(within)];
        let early = if self.early_stages == 0 { late } else { &before[self.early_stages as usize] };
        let index_known = if access.division == Division::ByIndex { early } else { late };
        let predicate_known = if matches!(access.predicate, Predicate::Early(_)) { early } else { late };
        let operands = access.index.iter().map(|index| (index, index_known));
        let operands = operands.chain(access.predicate.expression().map(|predicate| (predicate, predicate_known)));
        let unknown = operands.filter(|(operand, known)| operand.is_operand() && !known.knows(operand));
        unknown
            .map(|(operand, _)| format!("`{}` is known too late", print::expression(&self.program, operand)))
            .collect()
    }

    /// Requires the atom to access the registers at the access's index, and under a predicate if the access has one.
    fn touch_errors(&self, access: &Access) -> Vec<String> {
        let mut errors = Vec::new();
        let atoms = self.stages.iter().enumerate();
        for (number, atom) in atoms.flat_map(|(number, stage)| stage.atoms.iter().map(move |atom| (number, atom))) {
            for touch in touches(atom).filter(|touch| access.registers.contains(&touch.register)) {
                let place = quote(&self.program, touch.statement);
                if number != access.stage as usize {
                    errors.push(format!("{place} is in stage {number}, not {}", access.stage));
                }
                let scalar = self.program.register(touch.register).length.is_none();
                if !scalar && touch.index != access.index.as_ref() {
                    errors.push(format!("{place} has another index than the access"));
                }
                if access.predicate != Predicate::Always && touch.predicate.is_none() {
                    errors.push(format!("{place} has no predicate, but the access has one"));
                }
            }
        }
        let count = |atom: &&Atom| touches(atom).any(|touch| access.registers.contains(&touch.register));
        if self.stages.iter().flat_map(|stage| &stage.atoms).filter(count).count() > 1 {
            errors.push("its registers are accessed by several atoms".to_owned());
        }
        errors
    }
}

/// One read or write of a register.
struct Touch<'p> {
    statement: &'p Statement,
    register: RegisterId,
    index: Option<&'p Expression>,
    predicate: Option<&'p Expression>,
}

/// Returns the reads and writes of an atom, in order.
fn touches(atom: &Atom) -> impl Iterator<Item = Touch<'_>> {
    atom.body.iter().filter_map(|statement| match statement {
        Statement::Assign { value: Expression::Read { register, index, predicate }, .. } => {
            let (index, predicate) = (index.as_deref(), predicate.as_deref());
            Some(Touch { statement, register: *register, index, predicate })
        }
        Statement::Write { register, index, predicate, .. } => {
            let (index, predicate) = (index.as_ref(), predicate.as_ref());
            Some(Touch { statement, register: *register, index, predicate })
        }
        _ => None,
    })
}
