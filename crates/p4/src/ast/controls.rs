//! Controls (section 14).

use super::{Block, Declaration, Parameter, Signature};

/// A control with its body.
#[derive(Clone, Debug, PartialEq)]
pub struct Control {
    /// Its name, type parameters and parameters.
    pub signature: Signature,
    /// What it is made with.
    pub constructor_parameters: Vec<Parameter>,
    /// Constants, variables, instances, actions and tables of its own.
    pub locals: Vec<Declaration>,
    /// What `apply` does.
    pub body: Block,
}
