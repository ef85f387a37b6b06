//! Warnings about legal code that its author may not have meant.

use diagnostics::Diagnostic;
use num_bigint::{BigInt, Sign};

use super::{Findings, Nodes, SymbolTable, Typing, constants};
use crate::ast::{self, ContainerKind};
use crate::types::{Type, TypeForm, Types, Value};

/// The properties of tables that the language defines (section 14.2.1).
const PROPERTIES: [&str; 7] =
    ["key", "actions", "default_action", "size", "entries", "largest_priority_wins", "priority_delta"];
/// The most bits of a number that a message shows.
const MOST_SHOWN: u64 = 128;

impl<'a> Typing<'_, 'a> {
    /// Warns of a number that does not fit the type that it is coerced to (section 8.8 keeps its low bits).
    pub(super) fn lint_lost_bits(&mut self, node: &'a ast::Expression, to: Type, is_cast: bool) {
        let Some(known) = self.nodes.expression(node) else { return };
        let is_first = known.of == Types::INTEGER && known.coerced == Types::INTEGER;
        let to = self.types.new_type_of_number(to).unwrap_or(to);
        let (Some(number), Some(width)) = (known.value.as_deref().and_then(Value::integer), self.types.bits_of(to))
        else {
            return;
        };
        // As in C, `-1` is an idiom for all ones.
        let least = -(BigInt::from(1) << width.saturating_sub(1));
        let is_signed = matches!(self.types.kind(self.types.underlying(to)), TypeForm::Int(_));
        let bits = if is_signed { width.saturating_sub(1) } else { width };
        let fits = *number >= least && (number.sign() == Sign::Minus || number.bits() <= u64::from(bits));
        if !is_first || is_cast || fits || width == 0 {
            return;
        }
        let message = match number.bits() <= MOST_SHOWN {
            true => format!(
                "{number} does not fit `{}`: it becomes {}",
                self.types.show(to),
                constants::fit(self.types, number.clone(), to)
            ),
            false => format!("this number does not fit `{}`", self.types.show(to)),
        };
        self.found.report(Diagnostic::warning(node.span, message).hint("only its low bits are kept"));
    }

    /// Warns of a number without a width that is coerced to a new type, which needs a cast (section 7.6).
    pub(super) fn lint_missing_cast(&mut self, node: &'a ast::Expression, to: Type, is_cast: bool) {
        let Some(known) = self.nodes.expression(node) else { return };
        let is_first = known.of == Types::INTEGER && known.coerced == Types::INTEGER;
        let is_whole = !matches!(node.kind, ast::ExpressionKind::Conditional(..));
        if is_first && is_whole && !is_cast && self.types.new_type_of_number(to).is_some() {
            let shown = self.types.show(to);
            let message = format!("a number becomes a `{shown}` without a cast");
            let warning =
                Diagnostic::warning(node.span, message).hint(format!("`({shown})` before it says that this is meant"));
            self.found.report(warning);
        }
    }
}

/// Warns of a state without a transition, which leads to `reject` (section 13.5).
pub(super) fn missing_transition(found: &mut Findings, own: &ast::StateDeclaration) {
    if own.transition.is_none() {
        let message = format!("the state `{}` has no transition: the packet is rejected", own.name.text);
        let hint = "`transition accept;` ends parsing; `transition reject;` says that this is meant";
        found.report(Diagnostic::warning(own.name.span, message).hint(hint));
    }
}

/// Warns of cases behind one that matches all values (section 13.6).
pub(super) fn late_cases(found: &mut Findings, cases: &[ast::SelectCase]) {
    let Some(place) = cases.iter().position(super::parsers::is_for_all) else { return };
    if let Some(late) = cases.get(place + 1) {
        let warning = Diagnostic::warning(late.keyset.span, "this case is never taken")
            .related(cases[place].keyset.span, "this one takes all values");
        found.report(warning);
    }
}

/// Warns of a range whose first end is greater than its last.
pub(super) fn empty_range<'a>(
    nodes: &Nodes<'a>,
    found: &mut Findings,
    first: &'a ast::Expression,
    last: &'a ast::Expression,
) {
    let number = |node| {
        let known = nodes.expression(node)?;
        known.value.as_deref().and_then(Value::integer).cloned()
    };
    let (Some(low), Some(high)) = (number(first), number(last)) else { return };
    if low > high {
        let warning = Diagnostic::warning(first.span.to(last.span), "this range is empty: nothing matches it");
        found.report(warning.hint("the lower end comes first"));
    }
}

/// Warns of an unknown property of a table, which is most often misspelt. Unknown architectures may define more
/// properties.
pub(super) fn unknown_property(names: &SymbolTable<'_>, found: &mut Findings, property: &ast::Property) {
    let name = &property.name;
    let architecture = names.architecture();
    let more = architecture.unwrap_or(arch::USUAL).properties.iter().map(|(name, _)| *name);
    let known: Vec<&str> = PROPERTIES.into_iter().chain(more).collect();
    // `psa_implementation` belongs to another architecture.
    if known.iter().any(|known| name.text.ends_with(known)) {
        return;
    }
    let near = diagnostics::did_you_mean(&name.text, known.iter().copied());
    if near.is_some() || architecture.is_some() {
        let message = format!("`{}` is not a known property of a table and has no effect", name.text);
        let hint = near.unwrap_or_else(|| format!("known are {}", known.join(", ")));
        found.report(Diagnostic::warning(name.span, message).hint(hint));
    }
}

/// Warns of a header whose size is not a whole number of bytes, which BMv2 refuses.
pub(super) fn odd_bits(
    names: &SymbolTable<'_>,
    types: &mut Types,
    found: &mut Findings,
    own: &ast::Container,
    of: Type,
) {
    if own.kind != ContainerKind::Header || !own.type_parameters.is_empty() || names.architecture().is_none() {
        return;
    }
    let (least, _) = types.sizes(of, &mut std::collections::HashMap::new());
    if least % 8 != 0 {
        let message = format!("the header `{}` has {least} bits, which is not a whole number of bytes", own.name.text);
        let hint = format!("`bit<{}>` more would fill the last byte", 8 - least % 8);
        found.report(Diagnostic::warning(own.name.span, message).hint(hint));
    }
}
