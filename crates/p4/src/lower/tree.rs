//! Values and l-values of any type, as trees over scalars, because the IR has only scalars.

use std::rc::Rc;

use ir::{ArrayId, Expression, HeaderId, HeaderReference, StackId, VariableId};

/// A tree in the shape of a P4 type, with one `L` for each scalar.
#[derive(Clone, Debug)]
pub(super) enum Tree<L> {
    /// A number, a bool, an error, a member of an enumeration.
    Scalar(L),
    /// A `varbit`: its lowest `length` bits count.
    Varbit { value: L, length: L },
    /// A struct or a tuple.
    Struct(Vec<(Rc<str>, Self)>),
    /// A header.
    Header(Box<HeaderTree<L>>),
    /// A header union, of which at most one header is valid.
    Union(Vec<(Rc<str>, Self)>),
    /// A stack of headers or unions, or an array.
    Stack(Box<StackTree<L>>),
    /// A string.
    Text(Rc<str>),
    /// Nothing: the result of a function that returns nothing, a `bit<0>`, or erroneous code.
    Nothing,
}

/// A header.
#[derive(Clone, Debug)]
pub(super) struct HeaderTree<L> {
    /// The header of the IR that it is, if it is one.
    pub name: HeaderName,
    /// Whether it is valid.
    pub valid: L,
    /// Its fields.
    pub fields: Vec<(Rc<str>, Tree<L>)>,
}

/// The header of the IR that a header is.
#[derive(Clone, Debug)]
pub(super) enum HeaderName {
    /// No header of the IR: a value.
    Value,
    /// A single header.
    Fixed(HeaderId),
    /// Any element of a stack.
    Elements(StackId),
    /// The element of a stack at an index.
    Element(StackId, Expression),
}

/// A stack or an array.
#[derive(Clone, Debug)]
pub(super) struct StackTree<L> {
    /// The index of the next element.
    pub next: L,
    /// The elements in order.
    pub elements: Vec<Tree<L>>,
    /// The arrays of the scalars of the elements, to be indexed at run time; a value has none.
    pub arrays: Option<Rc<Tree<ArrayId>>>,
}

/// A scalar that can be assigned to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Leaf {
    /// A variable.
    Variable(VariableId),
    /// The variable at an index.
    Element(ArrayId, Expression),
}

/// A tree that can be assigned to.
pub(super) type LValue = Tree<Leaf>;
/// A tree that can be computed with.
pub(super) type Value = Tree<Expression>;

impl Leaf {
    pub(super) fn read(&self) -> Expression {
        match self {
            Self::Variable(variable) => Expression::Variable(*variable),
            Self::Element(array, index) => Expression::Element { array: *array, index: Box::new(index.clone()) },
        }
    }
}

impl HeaderName {
    /// Returns the header as statements name it.
    pub(super) fn reference(&self) -> Option<HeaderReference> {
        match self {
            Self::Fixed(header) => Some(HeaderReference::Fixed(*header)),
            Self::Element(stack, index) => Some(HeaderReference::Element(*stack, index.clone())),
            Self::Value | Self::Elements(_) => None,
        }
    }
}

impl<L> Tree<L> {
    /// Maps the scalars of a tree, in the order of [`Tree::leaves`].
    pub(super) fn map<M>(&self, change: &mut impl FnMut(&L) -> M) -> Tree<M> {
        match self {
            Self::Struct(fields) => Tree::Struct(map_parts(fields, change)),
            Self::Union(members) => Tree::Union(map_parts(members, change)),
            Self::Header(header) => {
                // In the order of `leaves`.
                let valid = change(&header.valid);
                let fields = map_parts(&header.fields, change);
                Tree::Header(Box::new(HeaderTree { name: header.name.clone(), valid, fields }))
            }
            Self::Scalar(leaf) => Tree::Scalar(change(leaf)),
            Self::Varbit { value, length } => Tree::Varbit { value: change(value), length: change(length) },
            Self::Stack(stack) => Tree::Stack(Box::new(StackTree {
                next: change(&stack.next),
                elements: stack.elements.iter().map(|element| element.map(change)).collect(),
                arrays: stack.arrays.clone(),
            })),
            Self::Text(text) => Tree::Text(Rc::clone(text)),
            Self::Nothing => Tree::Nothing,
        }
    }

    /// Returns all scalars in a fixed order: validity before fields, next indices before elements, values before
    /// lengths.
    pub(super) fn leaves(&self) -> Vec<&L> {
        let mut all = Vec::new();
        self.collect(&mut all);
        all
    }

    fn collect<'t>(&'t self, all: &mut Vec<&'t L>) {
        match self {
            Self::Scalar(leaf) => all.push(leaf),
            Self::Varbit { value, length } => all.extend([value, length]),
            Self::Struct(parts) | Self::Union(parts) => parts.iter().for_each(|(_, part)| part.collect(all)),
            Self::Header(header) => {
                all.push(&header.valid);
                header.fields.iter().for_each(|(_, part)| part.collect(all));
            }
            Self::Stack(stack) => {
                all.push(&stack.next);
                stack.elements.iter().for_each(|element| element.collect(all));
            }
            Self::Text(_) | Self::Nothing => {}
        }
    }

    /// Returns a field or a member by its name.
    pub(super) fn part(&self, name: &str) -> Option<&Self> {
        let parts = match self {
            Self::Struct(parts) | Self::Union(parts) => parts,
            Self::Header(header) => &header.fields,
            _ => return None,
        };
        parts.iter().find(|(own, _)| &**own == name).map(|(_, part)| part)
    }

    /// Returns the scalar, if the tree is one.
    pub(super) fn scalar(&self) -> Option<&L> {
        if let Self::Scalar(leaf) = self { Some(leaf) } else { None }
    }
}

fn map_parts<L, M>(parts: &[(Rc<str>, Tree<L>)], change: &mut impl FnMut(&L) -> M) -> Vec<(Rc<str>, Tree<M>)> {
    parts.iter().map(|(name, part)| (Rc::clone(name), part.map(change))).collect()
}

impl LValue {
    /// Returns the value of the l-value.
    pub(super) fn read(&self) -> Value {
        self.map(&mut Leaf::read)
    }
}

impl Tree<ArrayId> {
    /// Returns the element at an index.
    pub(super) fn at(&self, index: &Expression) -> LValue {
        let place = self.map(&mut |&array| Leaf::Element(array, index.clone()));
        place.named_at(index)
    }
}

impl LValue {
    fn named_at(self, index: &Expression) -> Self {
        let all = |parts: Vec<(Rc<str>, Self)>| parts.into_iter().map(|(name, part)| (name, part.named_at(index)));
        match self {
            Self::Struct(parts) => Self::Struct(all(parts).collect()),
            Self::Union(parts) => Self::Union(all(parts).collect()),
            Self::Header(mut header) => {
                if let HeaderName::Elements(stack) = header.name {
                    header.name = HeaderName::Element(stack, index.clone());
                }
                Self::Header(header)
            }
            // An index within an indexed element would need arrays of arrays.
            Self::Stack(stack) => Self::Stack(Box::new(StackTree { arrays: None, ..*stack })),
            other => other,
        }
    }
}
