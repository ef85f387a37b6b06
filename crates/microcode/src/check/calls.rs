//! How deep calls of subroutines are nested.

use std::collections::BTreeMap;
use std::rc::Rc;

use diagnostics::{Diagnostic, Span};

use super::Checker;
use crate::limits::MOST_CALLS;

/// Which subroutine calls which, and where; the program itself is `None`.
pub(super) type Calls = BTreeMap<Option<Rc<str>>, BTreeMap<Rc<str>, Span>>;

impl Checker<'_> {
    /// Notes a call in the code that is checked.
    pub(super) fn note_call(&mut self, to: &Rc<str>, span: Span) {
        self.calls.entry(self.inside.clone()).or_default().entry(to.clone()).or_insert(span);
    }

    /// Reports recursion, and calls that are nested too deep.
    pub(super) fn check_calls(&mut self, end: Span) {
        let mut depths = BTreeMap::new();
        let callers: Vec<Option<Rc<str>>> = self.calls.keys().cloned().collect();
        for caller in callers {
            let mut way = Vec::new();
            match self.depth(&caller, &mut way, &mut depths) {
                Err(()) => return,
                Ok(depth) if depth > MOST_CALLS => {
                    let deepest = self.calls.get(&caller).and_then(|calls| calls.values().next()).copied();
                    let message = format!("calls are nested {depth} levels deep");
                    let error = Diagnostic::error(deepest.unwrap_or(end), message);
                    return self.error(error.hint(format!("a thread remembers {MOST_CALLS} calls (section 2.2)")));
                }
                Ok(_) => {}
            }
        }
    }

    /// Returns how deep the calls of a subroutine are nested.
    fn depth(
        &mut self,
        caller: &Option<Rc<str>>,
        way: &mut Vec<Rc<str>>,
        depths: &mut BTreeMap<Option<Rc<str>>, usize>,
    ) -> Result<usize, ()> {
        if let Some(depth) = depths.get(caller) {
            return Ok(*depth);
        }
        let calls: Vec<(Rc<str>, Span)> =
            self.calls.get(caller).into_iter().flatten().map(|(name, span)| (name.clone(), *span)).collect();
        let mut deepest = 0;
        for (name, span) in calls {
            // A way that is longer than calls can be nested is refused in any case: following it further only takes stack.
            let is_circle = way.contains(&name) || caller.as_ref() == Some(&name);
            if is_circle || way.len() > 64 {
                let error = if is_circle {
                    Diagnostic::error(span, format!("`{name}` calls itself"))
                } else {
                    Diagnostic::error(span, "calls are nested too deep")
                };
                self.error(error.hint("calls return to at most eight places; write a loop by `goto`"));
                return Err(());
            }
            way.push(name.clone());
            deepest = deepest.max(1 + self.depth(&Some(name), way, depths)?);
            way.pop();
        }
        depths.insert(caller.clone(), deepest);
        Ok(deepest)
    }
}
