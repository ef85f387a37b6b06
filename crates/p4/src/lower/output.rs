//! The program under construction.

use std::rc::Rc;

use ir::{
    Array, ArrayId, Expression, FieldList, Function, FunctionId, FunctionKind, HeaderId, Program, Stack, StackId,
    VariableId, evaluate,
};
use runtime::Bits;

use super::Limits;
use super::arguments::Nothing;
use super::externs::FIRST_UNNUMBERED;
use super::layout::{headers, name_stacks};
use super::names::UniqueNames;
use super::tree::{LValue, Leaf, Tree};

/// The program under construction, and the names that are taken in it.
pub(super) struct Output {
    pub program: Program,
    pub names: UniqueNames,
    /// Whether headers are padded to whole bytes at their end, as compilers of chips do it that pass bytes on.
    pub pads_headers: bool,
}

impl Output {
    /// Returns the raw bits of a scalar that reads no variable and no register. The checker knows most of these values;
    /// those computed from arguments of constructors become known only here.
    pub(super) fn known_bits(&self, scalar: &Expression) -> Option<Bits> {
        let mut is_known = true;
        scalar.walk(&mut |part| {
            is_known &= !matches!(
                part,
                Expression::Variable(_)
                    | Expression::Read { .. }
                    | Expression::Element { .. }
                    | Expression::Undefined(_)
                    | Expression::Memory(_)
            );
        });
        is_known.then(|| evaluate::value(&self.program, scalar, &mut Nothing).1)
    }

    /// Casts a scalar to a type.
    pub(super) fn cast(&self, scalar: Expression, ty: ir::Type) -> Expression {
        let own = self.program.type_of(&scalar);
        if own == ty {
            return scalar;
        }
        match &scalar {
            Expression::Constant(constant) if ty.width() <= 64 => {
                Expression::Constant(ir::Constant { ty, value: ir::cast(own, ty, constant.value) })
            }
            _ => Expression::Cast(ty, Box::new(scalar)),
        }
    }

    pub(super) fn keep_in_field_list(&mut self, number: u32, kept: Vec<VariableId>) {
        let lists = &mut self.program.field_lists;
        let place = lists.iter().position(|list| list.number == number).unwrap_or_else(|| {
            lists.push(FieldList { number, variables: vec![] });
            lists.len() - 1
        });
        for variable in kept {
            if !lists[place].variables.contains(&variable) {
                lists[place].variables.push(variable);
            }
        }
    }

    /// Returns a field list with these variables that has no number in the source text.
    pub(super) fn unnumbered_field_list(&mut self, kept: Vec<VariableId>) -> usize {
        let lists = &mut self.program.field_lists;
        if let Some(same) = lists.iter().position(|list| list.variables == kept && list.number >= FIRST_UNNUMBERED) {
            return same;
        }
        let number = lists.iter().map(|list| list.number + 1).fold(FIRST_UNNUMBERED, u32::max);
        lists.push(FieldList { number, variables: kept });
        lists.len() - 1
    }

    pub(super) fn add_function(
        &mut self,
        limits: &mut Limits,
        name: &str,
        kind: FunctionKind,
        parameters: Vec<VariableId>,
        body: Vec<ir::Statement>,
    ) -> FunctionId {
        let name = self.names.function(name);
        limits.functions.push(limits.here);
        self.program.functions.push(Function { name, kind, parameters, body });
        FunctionId::from(self.program.functions.len() - 1)
    }

    /// Makes arrays over the scalars of elements of one type; `None` without elements.
    pub(super) fn make_arrays(
        &mut self,
        name: &str,
        next: VariableId,
        elements: &[&LValue],
    ) -> Option<Rc<Tree<ArrayId>>> {
        let first = *elements.first()?;
        let leaves: Vec<Vec<&Leaf>> = elements.iter().map(|element| element.leaves()).collect();
        let mut place = 0;
        let mut tree = first.map(&mut |_| {
            let of_elements = leaves.iter().filter_map(|leaves| match leaves[place] {
                Leaf::Variable(variable) => Some(*variable),
                Leaf::Element(..) => None,
            });
            let elements: Vec<VariableId> = of_elements.collect();
            place += 1;
            let own = &self.program.variables[elements[0].index()].name;
            let array = format!("{name}[]{}", own.strip_prefix(&format!("{name}[0]")).unwrap_or_default());
            self.program.arrays.push(Array { name: array, elements });
            ArrayId::from(self.program.arrays.len() - 1)
        });
        let headers: Vec<Vec<HeaderId>> = elements.iter().map(|element| headers(element)).collect();
        let mut place = 0;
        name_stacks(&mut tree, &mut |first| {
            let elements: Vec<HeaderId> = headers.iter().map(|own| own[place]).collect();
            place += 1;
            let own = &self.program.headers[first.index()].name;
            let stack = format!("{name}{}", own.strip_prefix(&format!("{name}[0]")).unwrap_or_default());
            self.program.stacks.push(Stack { name: stack, elements, next });
            StackId::from(self.program.stacks.len() - 1)
        });
        Some(Rc::new(tree))
    }

    /// Makes a variable with a unique name.
    pub(super) fn variable(&mut self, name: &str, ty: ir::Type) -> VariableId {
        let name = self.names.variable(name);
        self.program.variables.push(ir::Variable { name, ty, kind: ir::VariableKind::Local });
        VariableId::from(self.program.variables.len() - 1)
    }

    pub(super) fn leaf_type(&self, leaf: &Leaf) -> ir::Type {
        self.program.type_of(&leaf.read())
    }
}
