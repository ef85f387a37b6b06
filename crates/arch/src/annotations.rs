//! Annotations that the compilers of an architecture know.

use crate::Architecture;

/// The effect that an annotation has on a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is obeyed.
    Honoured,
    /// It changes nothing that a packet or a controller can see: where a program lies in a chip, or what a compiler says.
    WithoutMeaning,
    /// It changes what the program means, and is not obeyed: such a program is refused.
    Refused,
}

impl Architecture {
    /// Returns what an annotation does; `None` if the compilers of the architecture do not know it. An architecture without
    /// a list leaves its annotations alone, as the language allows (section 20).
    pub fn annotation(&self, name: &str) -> Option<Standing> {
        let Some(known) = self.annotations else { return Some(Standing::WithoutMeaning) };
        known.iter().find(|(_, names)| names.contains(&name)).map(|(standing, _)| *standing)
    }
}
