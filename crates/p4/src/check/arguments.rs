//! Arguments of calls (sections 6.8, 8.20, 8.21): which parameter each one belongs to, and whether it fits.

use std::collections::HashSet;
use std::rc::Rc;

use diagnostics::{Diagnostic, Span};

use super::calls::open_parameters;
use super::{Expressions, Nodes, Typed, Typing, require_writable};
use crate::ast::{self, ArgumentValue, Direction};
use crate::types::{Bindings, Callable, Definition, Parameter, Types};

/// A call before overload resolution.
pub(super) struct Request<'a> {
    pub span: Span,
    pub name: Rc<str>,
    /// The candidates that it may call.
    pub candidates: Vec<Rc<Callable>>,
    /// The types that the type parameters of the receiver stand for.
    pub bindings: Bindings,
    /// The type parameters of the receiver that are to be inferred.
    pub open: HashSet<Definition>,
    pub type_arguments: &'a [ast::Type],
    pub arguments: &'a [ast::Argument],
    pub is_constructor: bool,
    /// True if type arguments may stay open, because of `_`, or because the package determines those of a parser or a
    /// control.
    pub is_open: bool,
}

impl<'a> Request<'a> {
    pub fn new(
        span: Span,
        name: &Rc<str>,
        candidates: Vec<Rc<Callable>>,
        type_arguments: &'a [ast::Type],
        arguments: &'a [ast::Argument],
    ) -> Self {
        Self {
            span,
            name: Rc::clone(name),
            candidates,
            bindings: Bindings::new(),
            open: HashSet::new(),
            type_arguments,
            arguments,
            is_constructor: false,
            is_open: false,
        }
    }
}

pub(super) type Settled = (Rc<Callable>, Bindings, Vec<Option<usize>>);

impl<'a> Expressions<'_, 'a> {
    /// Resolves what a call calls and checks its arguments. Arguments of constructors must be known at compile time.
    /// The specification requires this also for directionless parameters of calls, but the published architectures have
    /// such parameters for values of packets.
    pub(super) fn settle(&mut self, request: Request<'a>) -> Option<Settled> {
        let typed: Vec<Option<Typed>> = request
            .arguments
            .iter()
            .map(|argument| match &argument.value {
                ArgumentValue::Given(value) => Some(self.place_or_value(value)),
                ArgumentValue::Ignored => None,
            })
            .collect();
        let explicit: Vec<_> = request.type_arguments.iter().map(|node| self.argument_type(node)).collect();
        let mut fitting: Vec<(Rc<Callable>, Vec<Option<usize>>)> = request
            .candidates
            .iter()
            .filter(|candidate| explicit.is_empty() || candidate.type_parameters.len() == explicit.len())
            .filter_map(|candidate| Some((Rc::clone(candidate), places(candidate, request.arguments)?)))
            .collect();
        if fitting.is_empty() {
            self.typing().report_no_candidate(&request, explicit.len());
            return None;
        }
        let mut chosen = 0;
        if fitting.len() > 1 {
            let mut first: Option<usize> = None;
            for (number, (candidate, places)) in fitting.iter().enumerate() {
                let bindings = self.typing().bind(&request, candidate, places, &typed, &explicit);
                let fits = candidate.parameters.iter().zip(places).all(|(parameter, place)| {
                    let of = self.types.substitute(parameter.of, &bindings);
                    let given = place.and_then(|place| typed[place].as_ref());
                    given.is_none_or(|given| self.conversions.converts(self.types, given.of, of))
                });
                if fits && let Some(first) = first {
                    let message = format!("it is not clear which `{}` is called", request.name);
                    let (one, other) = (fitting[first].0.span, candidate.span);
                    let error = Diagnostic::error(request.span, message).related(one, "this one fits");
                    self.found
                        .report(error.related(other, "and this one").hint("arguments with names tell: `name = value`"));
                    break;
                }
                if fits {
                    first = Some(number);
                }
            }
            chosen = first.unwrap_or(0);
        }
        let (callable, places) = fitting.swap_remove(chosen);
        let bindings = self.typing().bind(&request, &callable, &places, &typed, &explicit);
        if !self.typing().require_inferred(&request, &callable, &places, &typed, &bindings) {
            return None;
        }
        let mut is_wrong = false;
        let mut written = Vec::new();
        for (parameter, place) in callable.parameters.iter().zip(&places) {
            let Some(place) = *place else { continue };
            let of = self.types.substitute(parameter.of, &bindings);
            let argument = &request.arguments[place];
            let what = format!("the argument for `{}`", parameter.name);
            match (&argument.value, &typed[place]) {
                (ArgumentValue::Given(value), Some(typed)) => {
                    let is_out = matches!(parameter.direction, Direction::Out | Direction::InOut);
                    if is_out {
                        written.push(value);
                    } else {
                        self.uninitialized.note_place_read(self.types, self.nodes, self.found, value);
                    }
                    if is_out && !require_writable(self.found, value.span, typed) {
                        continue;
                    }
                    if request.is_constructor && !typed.known && !is_known_call(self.nodes, value) {
                        let message = format!("{what} must be known when the program is compiled");
                        self.found.hinted(
                            value.span,
                            message,
                            "a literal, a constant or a constructor's parameter is known",
                        );
                        continue;
                    }
                    if is_out && !self.conversions.converts(self.types, of, typed.of) {
                        let (wanted, shown) = (self.types.show(of), self.types.show(typed.of));
                        let message = format!("{what} must be of type `{wanted}`, this is of type `{shown}`");
                        self.found.hinted(value.span, message, "an `out` or `inout` argument cannot be cast");
                        continue;
                    }
                    if of == Types::INTEGER && parameter.of != of && parameter.direction == Direction::In {
                        let message = format!("the width of {what} is not known");
                        self.found.hinted(value.span, message, "give the number one: `8w1`");
                        continue;
                    }
                    if !request.is_constructor && !self.typing().require_value(value.span, parameter, typed, &what) {
                        is_wrong = true;
                        continue;
                    }
                    let is_number = of == Types::INTEGER && parameter.direction == Direction::None;
                    if !(is_number && self.types.becomes_int(typed.of, of)) {
                        self.typing().convert(value, typed.clone(), of, &what);
                    }
                }
                _ if parameter.direction == Direction::Out => {}
                _ => {
                    let message = format!("`_` gives no value for the parameter `{}`", parameter.name);
                    self.found.hinted(argument.span, message, "`_` is for `out` parameters");
                }
            }
        }
        for value in written {
            self.uninitialized.note_written(self.types, self.nodes, value);
        }
        // The inferred types would be wrong too.
        (!is_wrong).then_some((callable, bindings, places))
    }
}

impl<'a> Typing<'_, 'a> {
    fn bind(
        &mut self,
        request: &Request<'a>,
        callable: &Callable,
        places: &[Option<usize>],
        typed: &[Option<Typed>],
        explicit: &[crate::types::Type],
    ) -> Bindings {
        let mut bindings = request.bindings.clone();
        let mut open = open_parameters(callable);
        open.extend(&request.open);
        for (&parameter, &argument) in callable.type_parameters.iter().zip(explicit) {
            if argument != Types::UNKNOWN {
                bindings.insert(parameter, argument);
                open.remove(&parameter);
            }
        }
        let receiver = request.bindings.clone();
        for (parameter, place) in callable.parameters.iter().zip(places) {
            if let Some(given) = place.and_then(|place| typed[place].as_ref()) {
                let wanted = self.types.substitute(parameter.of, &receiver);
                self.conversions.infer(self.types, wanted, given.of, &open, &mut bindings);
            }
        }
        for parameter in open {
            bindings.entry(parameter).or_insert(Types::UNKNOWN);
        }
        bindings
    }

    fn shown_parameters(&self, callable: &Callable) -> String {
        if callable.parameters.is_empty() {
            return "it has no parameters".to_owned();
        }
        let show = |parameter: &Parameter| {
            let direction = match parameter.direction {
                Direction::None => "",
                Direction::In => "in ",
                Direction::Out => "out ",
                Direction::InOut => "inout ",
            };
            format!("{direction}{} {}", self.types.show(parameter.of), parameter.name)
        };
        let all: Vec<String> = callable.parameters.iter().map(show).collect();
        format!("its parameters are ({})", all.join(", "))
    }

    fn report_no_candidate(&mut self, request: &Request<'a>, explicit: usize) {
        let name = &request.name;
        let [only] = request.candidates.as_slice() else {
            let message = format!("no `{name}` takes {} such arguments", request.arguments.len());
            let mut error = Diagnostic::error(request.span, message);
            for candidate in request.candidates.iter().take(4) {
                error = error.related(candidate.span, format!("this takes {}", candidate.parameters.len()));
            }
            self.found.report(error);
            return;
        };
        let error = if explicit > 0 && explicit != only.type_parameters.len() {
            let count = only.type_parameters.len();
            Diagnostic::error(request.span, format!("`{name}` takes {count} type arguments, {explicit} are given"))
        } else if let Some(message) = wrong_count(name, &only.parameters, request.arguments.len()) {
            Diagnostic::error(request.span, message).hint(self.shown_parameters(only))
        } else {
            let known = |name: &ast::Name| only.parameters.iter().any(|parameter| parameter.name == name.text);
            let stranger =
                request.arguments.iter().filter_map(|argument| argument.name.as_ref()).find(|name| !known(name));
            match stranger {
                Some(stranger) => {
                    Diagnostic::error(stranger.span, format!("`{name}` has no parameter `{}`", stranger.text))
                }
                None => Diagnostic::error(request.span, format!("the arguments do not fit the parameters of `{name}`"))
                    .hint(self.shown_parameters(only)),
            }
        };
        self.found.report(error.related(only.span, "declared here"));
    }
}

/// Returns true for a call whose arguments are all known: the architecture may know its result.
fn is_known_call<'a>(nodes: &Nodes<'a>, value: &'a ast::Expression) -> bool {
    match &value.kind {
        ast::ExpressionKind::Call { arguments, .. } => are_known(nodes, arguments),
        _ => false,
    }
}

/// Returns true if all arguments of a call are known at compile time.
pub(super) fn are_known<'a>(nodes: &Nodes<'a>, arguments: &'a [ast::Argument]) -> bool {
    arguments.iter().all(|argument| match &argument.value {
        ArgumentValue::Given(inner) => nodes.is_known(inner) || is_known_call(nodes, inner),
        ArgumentValue::Ignored => true,
    })
}

/// Returns the message for a call with too few or too many arguments.
pub(super) fn wrong_count(name: &str, parameters: &[Parameter], given: usize) -> Option<String> {
    let most = parameters.len();
    let least = parameters.iter().filter(|parameter| !parameter.can_be_left_out).count();
    let takes = match () {
        () if (least..=most).contains(&given) => return None,
        () if least < most => format!("{least} to {most} arguments"),
        () => count(most, "argument"),
    };
    Some(format!("`{name}` takes {takes}, {given} {} given", if given == 1 { "is" } else { "are" }))
}

/// Returns a number with a noun in the singular or plural.
pub(super) fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// Returns the index of the argument for each parameter, or `None` if an argument is missing, given twice or
/// superfluous. Either all arguments have names or none has (section 8.20).
pub(super) fn places(callable: &Callable, arguments: &[ast::Argument]) -> Option<Vec<Option<usize>>> {
    places_of(&callable.parameters, arguments)
}

/// Matches arguments to parameters as [`places`] does.
pub(super) fn places_of(parameters: &[Parameter], arguments: &[ast::Argument]) -> Option<Vec<Option<usize>>> {
    let mut places = vec![None; parameters.len()];
    for (number, argument) in arguments.iter().enumerate() {
        let place = match &argument.name {
            Some(name) => parameters.iter().position(|parameter| parameter.name == name.text)?,
            None if arguments[..number].iter().any(|earlier| earlier.name.is_some()) => return None,
            None => number,
        };
        let free = places.get_mut(place)?;
        if free.replace(number).is_some() {
            return None;
        }
    }
    let is_complete = parameters.iter().zip(&places).all(|(own, place)| place.is_some() || own.can_be_left_out);
    is_complete.then_some(places)
}
