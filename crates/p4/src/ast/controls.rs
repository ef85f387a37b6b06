//! Controls (section 14).

use super::{Block, Declaration, Parameter, Signature};

/// A control with its body.
#[derive(Clone, Debug, PartialEq)]
pub struct Control {
    /// Its name, type parameters and parameters.
    pub signature: Signature,
    /// The parameters of its constructor.
    pub constructor_parameters: Vec<Parameter>,
    /// Its local constants, variables, instances, actions and tables.
    pub locals: Vec<Declaration>,
    /// The body of `apply`.
    pub body: Block,
}
