//! State that the cores of a switch have in common.

use std::sync::{Arc, Mutex, PoisonError};

/// State that is the same for all cores of a switch: a switch with one core has it to itself, and several take turns.
#[derive(Debug)]
pub(crate) enum Common<T> {
    /// There is one core.
    Own(T),
    /// There are several.
    Shared(Arc<Mutex<T>>),
}

impl<T: Default> Common<T> {
    /// Returns another handle of the same state, which is shared from now on.
    pub fn share(&mut self) -> Self {
        if let Self::Own(state) = self {
            *self = Self::Shared(Arc::new(Mutex::new(std::mem::take(state))));
        }
        match self {
            Self::Shared(state) => Self::Shared(Arc::clone(state)),
            Self::Own(_) => unreachable!("it has just been shared"),
        }
    }

    /// Takes the state to itself, if nobody else has a handle of it any more.
    pub fn own(&mut self) {
        if let Self::Shared(state) = self
            && let Some(state) = Arc::get_mut(state)
        {
            *self = Self::Own(std::mem::take(state.get_mut().unwrap_or_else(PoisonError::into_inner)));
        }
    }

    /// Works on the state. Several cores wait for each other, so that the work must be short.
    #[inline]
    pub fn with<R>(&mut self, work: impl FnOnce(&mut T) -> R) -> R {
        match self {
            Self::Own(state) => work(state),
            Self::Shared(state) => work(&mut state.lock().unwrap_or_else(PoisonError::into_inner)),
        }
    }

    /// Looks at the state, as [`Common::with`] does without changing it.
    #[inline]
    pub fn look<R>(&self, look: impl FnOnce(&T) -> R) -> R {
        match self {
            Self::Own(state) => look(state),
            Self::Shared(state) => look(&state.lock().unwrap_or_else(PoisonError::into_inner)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_is_shared_and_taken_back() {
        let mut one = Common::Own(1);
        let mut other = one.share();
        other.with(|number| *number += 1);
        one.own();
        assert!(matches!(one, Common::Shared(_)), "another one has it too");
        assert_eq!(one.look(|number| *number), 2);
        drop(other);
        one.own();
        assert!(matches!(one, Common::Own(2)));
    }
}
