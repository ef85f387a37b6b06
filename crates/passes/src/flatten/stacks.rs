//! Rewrites run-time indices into stacks and arrays as branches, one for each element.
//!
//! The bits of a packet do not move between containers at run time: the instructions of a stage name the containers
//! that they work on.

use ir::{ArrayId, ErrorId, Expression, HeaderReference, PacketStatement, Statement, Type};

use super::outcome::Outcome;
use super::walk::Walk;

impl Walk<'_> {
    /// Assigns a value to an element of an array; an index outside the array has no effect.
    pub(super) fn assign_element(&mut self, array: ArrayId, index: &Expression, value: &Expression) -> Outcome {
        let elements = self.program.arrays[array.index()].elements.clone();
        let mut code = Vec::new();
        let value = self.resolved(value, &mut code);
        let index = self.resolved(index, &mut code);
        if let Some(known) = self.knowledge.value(&self.program, &index) {
            if let Some(element) = usize::try_from(known.value).ok().and_then(|place| elements.get(place)) {
                self.assign(*element, value, &mut code);
            }
            return Outcome::of(code);
        }
        // Both expressions may contain the elements that are about to be assigned.
        let value = self.held("$value", value, &mut code);
        let index = self.held("$index", index, &mut code);
        let mut all = Outcome::of(code);
        for (place, element) in elements.iter().enumerate().take(self.nameable(&index, elements.len())) {
            let assign = |walk: &mut Self| {
                let mut code = Vec::new();
                walk.assign(*element, value.clone(), &mut code);
                Outcome::of(code)
            };
            let branch = self.branch(self.is_at(&index, place), assign, |_| Outcome::default());
            self.append(&mut all, branch);
        }
        all
    }

    /// Writes down a statement about the header at a place. If the index is outside the stack, an extraction rejects
    /// the packet, and all other statements do nothing (P4_16, 8.25).
    pub(super) fn placed(
        &mut self,
        place: &HeaderReference,
        make: &mut dyn FnMut(HeaderReference) -> PacketStatement,
    ) -> Outcome {
        let (stack, index) = match place {
            HeaderReference::Fixed(header) => return self.fixed(make(HeaderReference::Fixed(*header))),
            HeaderReference::Element(stack, index) => (*stack, index),
        };
        let elements: Vec<PacketStatement> = {
            let elements = &self.program.stacks[stack.index()].elements;
            elements.iter().map(|&header| make(HeaderReference::Fixed(header))).collect()
        };
        let mut code = Vec::new();
        let index = self.resolved(index, &mut code);
        if let Some(known) = self.knowledge.value(&self.program, &index) {
            let known = usize::try_from(known.value).ok().and_then(|place| elements.get(place));
            let step = known.map_or_else(|| outside(&elements[0]), |step| self.fixed(step.clone()));
            let mut all = Outcome::of(code);
            self.append(&mut all, step);
            return all;
        }
        let index = self.held("$index", index, &mut code);
        let places = self.nameable(&index, elements.len());
        let mut all = Outcome::of(code);
        let chosen = self.choose(&index, &elements[..places], 0);
        self.append(&mut all, chosen);
        all
    }

    /// Selects the statement for an index, beginning with the element at `place`.
    fn choose(&mut self, index: &Expression, elements: &[PacketStatement], place: usize) -> Outcome {
        let Some(step) = elements.get(place) else { return outside(&elements[0]) };
        let is_here = self.is_at(index, place);
        self.branch(is_here, |walk| walk.fixed(step.clone()), |walk| walk.choose(index, elements, place + 1))
    }
}

/// Returns the effect of a statement about a header if the index is outside the stack.
fn outside(step: &PacketStatement) -> Outcome {
    match step {
        PacketStatement::Extract { .. } => {
            let error = Expression::number(Type::Bits(32), ErrorId::STACK_OUT_OF_BOUNDS.0.into());
            let verify = PacketStatement::Verify { condition: Expression::bool(false), error };
            Outcome::of(vec![Statement::Packet(verify)])
        }
        _ => Outcome::default(),
    }
}
