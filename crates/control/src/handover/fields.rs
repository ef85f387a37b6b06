//! Keys of the old program in the order of the new one.

use runtime::tables::FieldMatch;

use super::Misfit;
use crate::MatchField;

/// Returns the position in the old key of each field of the new key, if the two have the same fields.
///
/// # Errors
/// Returns the first field that does not fit.
pub fn link(old: &[MatchField], new: &[MatchField]) -> Result<Vec<usize>, Misfit> {
    if let Some(field) = old.iter().find(|field| new.iter().all(|other| other.name != field.name)) {
        return Err(Misfit::FieldMissing { field: field.called() });
    }
    // Two fields of a key may have the same name: they are paired in order.
    let mut is_used = vec![false; old.len()];
    let mut place = |field: &MatchField| {
        let at = (0..old.len()).find(|&at| !is_used[at] && old[at].name == field.name);
        let at = at.ok_or_else(|| Misfit::FieldAdded { field: field.called() })?;
        is_used[at] = true;
        let (was, called) = (&old[at], || field.called());
        if was.kind != field.kind {
            return Err(Misfit::FieldKind { field: called(), old: was.kind, new: field.kind });
        }
        if was.width != field.width {
            return Err(Misfit::FieldWidth { field: called(), old: was.width, new: field.width });
        }
        Ok(at)
    };
    let places = new.iter().map(&mut place).collect::<Result<Vec<usize>, Misfit>>()?;
    match is_used.iter().position(|used| !used) {
        Some(at) => Err(Misfit::FieldMissing { field: old[at].called() }),
        None => Ok(places),
    }
}

/// Puts the matches of a key into the order of the new key.
pub fn reorder(key: &[FieldMatch], places: &[usize]) -> Vec<FieldMatch> {
    places.iter().map(|&at| key[at].clone()).collect()
}
