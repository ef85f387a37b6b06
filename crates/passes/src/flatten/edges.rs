//! Builds the program of the edges: the parser and the deparser.

use std::collections::BTreeSet;

use arch::{Architecture, Stage};
use ir::parser::Parser;
use ir::{
    Block, Entrance, Function, FunctionId, FunctionKind, Header, HeaderField, HeaderId, HeaderReference,
    PacketStatement, ParserId, Program, Statement, Variable, VariableId, VariableKind,
};

use super::renumber::Renumber;
use super::validity::fields;

/// Returns the variables that a statement changes, without those changed by statements inside it.
pub(super) fn changed(program: &Program, statement: &Statement) -> Vec<VariableId> {
    match statement {
        Statement::Assign { variable, .. } => vec![*variable],
        Statement::Packet(PacketStatement::Lookahead { variables }) => variables.clone(),
        Statement::Packet(PacketStatement::Extract { header, .. } | PacketStatement::SetValid { header, .. }) => {
            let headers = match header {
                HeaderReference::Fixed(header) => vec![*header],
                HeaderReference::Element(stack, _) => program.stacks[stack.index()].elements.clone(),
            };
            let headers = headers.into_iter().map(|header| &program.headers[header.index()]);
            headers.flat_map(|header| fields(header).chain([header.valid])).collect()
        }
        _ => vec![],
    }
}

/// Returns the variables that may have a value other than 0 after the parser: those that it changes, and those that the
/// machine sets.
pub(super) fn set_by_parser(architecture: &Architecture, program: &Program, parser: &Parser) -> BTreeSet<VariableId> {
    let metadata = architecture.metadata_of(program);
    let metadata = metadata.before_parser.into_iter().chain(metadata.after_parser);
    let mut found: BTreeSet<VariableId> = metadata.map(|(variable, _)| variable).collect();
    for statement in parser.states.iter().flat_map(|state| &state.body) {
        statement.walk(&mut |statement| found.extend(changed(program, statement)));
    }
    found
}

/// Returns the program of the edges, and the numbers of its variables. It declares the variables that its code mentions
/// and those in `crossing`.
pub(super) fn program(
    architecture: &Architecture,
    program: &Program,
    mut parser: Parser,
    name: String,
    mut deparser: Vec<Statement>,
    crossing: &BTreeSet<VariableId>,
) -> (Program, Renumber) {
    drop_unread(program, &mut parser, &deparser, crossing);
    let mut headers = BTreeSet::new();
    let mut used = crossing.clone();
    let mut visit = |statement: &Statement| {
        used.extend(statement.expressions().into_iter().flat_map(|expression| expression.variables()));
        used.extend(changed(program, statement));
        if let Statement::Packet(
            PacketStatement::Extract { header, .. }
            | PacketStatement::SetValid { header, .. }
            | PacketStatement::Emit { header },
        ) = statement
            && let HeaderReference::Fixed(header) = header
        {
            headers.insert(*header);
        }
    };
    parser
        .states
        .iter()
        .flat_map(|state| &state.body)
        .chain(&deparser)
        .for_each(|statement| statement.walk(&mut visit));
    let compared = parser.states.iter().flat_map(|state| state.transition.expressions());
    used.extend(compared.flat_map(|expression| expression.variables()));
    let headers: Vec<HeaderId> = headers.into_iter().collect();
    for header in headers.iter().map(|header| &program.headers[header.index()]) {
        used.extend(fields(header).chain([header.valid]));
    }
    let renumber = Renumber::in_order(used.iter().copied());
    let variables = used.iter().map(|&id| Variable { kind: VariableKind::Local, ..program.variable(id).clone() });
    for state in &mut parser.states {
        renumber_headers(&mut state.body, &headers);
        renumber.block(&mut state.body);
        renumber.transition(&mut state.transition);
    }
    renumber_headers(&mut deparser, &headers);
    renumber.block(&mut deparser);
    let intrinsics = program.intrinsics.iter();
    let intrinsics = intrinsics.filter_map(|(name, variable)| Some((name.clone(), renumber.known(*variable)?)));
    let entrance = |stage, block| Entrance { name: architecture.main_block(stage).name.to_owned(), block };
    let edges = Program {
        name: program.name.clone(),
        variables: variables.collect(),
        headers: headers.iter().map(|header| renumbered(&renumber, &program.headers[header.index()])).collect(),
        errors: program.errors.clone(),
        parsers: vec![parser],
        value_sets: program.value_sets.clone(),
        functions: vec![Function { name, kind: FunctionKind::Control, parameters: Vec::new(), body: deparser }],
        entrances: vec![
            entrance(Stage::Parser, Block::Parser(ParserId(0))),
            entrance(Stage::Deparser, Block::Function(FunctionId(0))),
        ],
        intrinsics: intrinsics.collect(),
        ..Program::default()
    };
    (edges, renumber)
}

/// Removes assignments in the parser that are never read, such as those of indices into stacks, which are known.
fn drop_unread(program: &Program, parser: &mut Parser, deparser: &[Statement], crossing: &BTreeSet<VariableId>) {
    let mut kept = crossing.clone();
    kept.extend(program.headers.iter().flat_map(|header| fields(header).chain([header.valid])));
    loop {
        let mut read = kept.clone();
        let mut visit = |statement: &Statement| {
            let own = match statement {
                Statement::Assign { variable, .. } => Some(*variable),
                _ => None,
            };
            // An assignment's reads of its own variable do not count.
            let variables = statement.expressions().into_iter().flat_map(|expression| expression.variables());
            read.extend(variables.filter(|variable| Some(*variable) != own));
        };
        let code = parser.states.iter().flat_map(|state| &state.body).chain(deparser);
        code.for_each(|statement| statement.walk(&mut visit));
        let compared = parser.states.iter().flat_map(|state| state.transition.expressions());
        read.extend(compared.flat_map(|expression| expression.variables()));
        let dropped = parser.states.iter_mut().map(|state| drop_assignments(&mut state.body, &read));
        if dropped.sum::<usize>() == 0 {
            return;
        }
    }
}

/// Removes assignments of variables that are not read, and returns their number.
fn drop_assignments(code: &mut Vec<Statement>, read: &BTreeSet<VariableId>) -> usize {
    let before = code.len();
    code.retain(|statement| !matches!(statement, Statement::Assign { variable, .. } if !read.contains(variable)));
    let mut dropped = before - code.len();
    for statement in code {
        if let Statement::If { then, otherwise, .. } = statement {
            dropped += drop_assignments(then, read) + drop_assignments(otherwise, read);
        }
    }
    dropped
}

fn renumbered(renumber: &Renumber, header: &Header) -> Header {
    let field = |field: &HeaderField| HeaderField {
        variable: renumber.variable(field.variable),
        length: field.length.map(|length| renumber.variable(length)),
    };
    let fields = header.fields.iter().map(field).collect();
    Header { name: header.name.clone(), valid: renumber.variable(header.valid), fields }
}

/// Renumbers headers by their positions among those that remain.
fn renumber_headers(code: &mut [Statement], headers: &[HeaderId]) {
    for statement in code {
        match statement {
            Statement::Packet(
                PacketStatement::Extract { header, .. }
                | PacketStatement::SetValid { header, .. }
                | PacketStatement::Emit { header },
            ) => {
                if let HeaderReference::Fixed(header) = header {
                    let place = headers.iter().position(|known| known == header);
                    *header = HeaderId::from(place.expect("a header of the code"));
                }
            }
            Statement::If { then, otherwise, .. } => {
                renumber_headers(then, headers);
                renumber_headers(otherwise, headers);
            }
            _ => {}
        }
    }
}
