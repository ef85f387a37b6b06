//! The state of a machine with a mark of what the machine was built from, and a checksum.

use std::fmt::Debug;

use basis::snapshot::{Loader, Saver, Unfit};
use ir::Program;
use runtime::hash;

/// What a machine was built from, as a number. Its state refers to places in the program and in the parts of the machine, so
/// it is taken over by none that was built from anything else, and only as it was saved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sealed(u64);

impl Sealed {
    /// Returns what a machine is that runs a program, with the parameters of which its parts are made.
    pub(crate) fn of(program: &Program, parameters: &impl Debug) -> Self {
        let program = hash::of_bytes(program.to_string().as_bytes(), 0);
        Self(hash::of_bytes(format!("{parameters:?}").as_bytes(), program))
    }

    /// Saves a state, which `save` appends to a saver of its own.
    pub(crate) fn save(
        self,
        into: &mut Saver,
        save: impl FnOnce(&mut Saver) -> Result<(), Unfit>,
    ) -> Result<(), Unfit> {
        let mut state = Saver::default();
        save(&mut state)?;
        let state = state.into_bytes();
        into.put(&(self.0, hash::of_bytes(&state, self.0), state))
    }

    /// Reads a saved state and gives it to `restore`.
    ///
    /// # Errors
    /// Fails if it is that of a machine that was built from something else, if it is damaged, or if `restore` fails or leaves
    /// a part of it.
    pub(crate) fn restore(
        self,
        from: &mut Loader<'_>,
        restore: impl FnOnce(&mut Loader<'_>) -> Result<(), Unfit>,
    ) -> Result<(), Unfit> {
        let (built_from, sum, state): (u64, u64, Vec<u8>) = from.take()?;
        if built_from != self.0 {
            let why = "the state is that of a machine with another program or with other parameters";
            return Err(Unfit(why.to_owned()));
        }
        if sum != hash::of_bytes(&state, self.0) {
            return Err(Unfit("the state of a machine is damaged".to_owned()));
        }
        let mut state = Loader::new(&state);
        restore(&mut state)?;
        state.finish()
    }
}
