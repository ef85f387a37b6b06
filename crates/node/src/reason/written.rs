//! Reasons in checkpoints. A reason is saved together with its whole declaration, so that a process in which nobody has
//! given it yet can read it without a list of all reasons, which does not exist.

use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Declaration, Reason};

/// The serialized form of a [`Declaration`].
#[derive(Serialize, Deserialize)]
struct SerializedDeclaration<S> {
    rank: u16,
    name: S,
    owner: S,
    meaning: S,
    is_by_program: bool,
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let &Declaration { rank, name, owner, meaning, is_by_program } = self.declaration();
        SerializedDeclaration { rank, name, owner, meaning, is_by_program }.serialize(serializer)
    }
}

impl<'d> Deserialize<'d> for Reason {
    fn deserialize<D: Deserializer<'d>>(deserializer: D) -> Result<Self, D::Error> {
        SerializedDeclaration::<String>::deserialize(deserializer).map(|written| Self::declared(interned(&written)))
    }
}

/// Returns the reason with this declaration: name, owner and meaning.
pub(super) fn named(rank: u16, texts: [&str; 3], is_by_program: bool) -> Reason {
    let [name, owner, meaning] = texts.map(str::to_owned);
    Reason::declared(interned(&SerializedDeclaration { rank, name, owner, meaning, is_by_program }))
}

/// Returns `written` as a declaration in leaked memory. Equal declarations share the memory, so that reading the same
/// reasons again does not leak more.
fn interned(written: &SerializedDeclaration<String>) -> &'static Declaration {
    static READ: Mutex<Vec<&'static Declaration>> = Mutex::new(Vec::new());

    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    let &SerializedDeclaration { rank, ref name, ref owner, ref meaning, is_by_program } = written;
    let known = read.iter().copied().find(|known| {
        (known.rank, known.name, known.owner, known.meaning, known.is_by_program)
            == (rank, &**name, &**owner, &**meaning, is_by_program)
    });
    known.unwrap_or_else(|| {
        let kept = |text: &str| -> &'static str { Box::leak(Box::from(text)) };
        let declaration =
            Declaration { rank, name: kept(name), owner: kept(owner), meaning: kept(meaning), is_by_program };
        let declaration = Box::leak(Box::new(declaration));
        read.push(declaration);
        declaration
    })
}

#[cfg(test)]
mod tests {
    use basis::snapshot::{Loader, Saver};

    use super::*;

    #[test]
    fn reasons_survive_a_round_trip_and_are_interned() {
        let written = [Reason::MALFORMED, Reason::PROGRAM, Reason::MALFORMED];
        let mut saver = Saver::default();
        saver.put(&written).expect("plain values");
        let bytes = saver.into_bytes();
        let read: [Reason; 3] = Loader::new(&bytes).take().expect("what was written");
        assert_eq!(read, written);
        assert!(read[1].is_by_program());
        assert!(std::ptr::eq(read[0].declaration(), read[2].declaration()));
    }
}
