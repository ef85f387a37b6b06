//! Assembles the parts of a flattened program.

use std::collections::{BTreeMap, BTreeSet};

use arch::{EmittedHeaders, Stage};
use ir::parser::Parser;
use ir::{
    Block, Expression, Flat, Function, FunctionId, Program, Statement, Table, Type, Variable, VariableId, VariableKind,
};

use super::edges::{self, set_by_parser};
use super::liveness;
use super::pieces::Pieces;
use super::renumber::Renumber;
use super::switch::Ends;
use super::validity::{self, Live};
use super::walk::{ProgramPart, Walk};
use super::{Carried, DirectCounter, Flattened, Options};
use crate::compile::not_flat;
use crate::report::Finding;

/// The rewritten parts of a program.
struct Parts {
    parser: Parser,
    deparser: Vec<Statement>,
    /// The name of the deparser.
    name: String,
    pipeline: Vec<Statement>,
    ends: Ends,
}

/// Flattens a program.
pub(super) fn run(program: &Program, options: &Options) -> Result<Flattened, Vec<Finding>> {
    if options.architecture.passes_bytes_to_egress() {
        let finding = Finding::new(format!(
            "programs for {} pass bytes from ingress to egress, but a pipeline has one set of headers",
            options.architecture.name
        ));
        return Err(vec![finding]);
    }
    let mut walk = Walk::new(program, options);
    let parts = parts(&mut walk);
    // All findings about the code are reported before any about the widths of values.
    std::mem::take(&mut walk.findings).result()?;
    let Some(mut parts) = parts else {
        return Err(vec![Finding::new(format!(
            "the program is not written for the architecture {}",
            options.architecture.name
        ))]);
    };
    let mut live = Live::default();
    validity::written_out(&walk.program, &parts.deparser, &mut live);
    let leaving: BTreeSet<VariableId> = live.read.union(&live.emitted).copied().collect();
    live.read.extend(of_machine(&walk, parts.ends));
    let pipeline = validity::written_out(&walk.program, &parts.pipeline, &mut live);
    parts.pipeline.clear();
    let mut pieces = Pieces::new(&walk.program);
    let code = pieces.block(&pipeline);
    std::mem::take(&mut pieces.findings).result()?;
    Assembly { walk: &walk, pieces, parts, leaving }.assembled(code)
}

/// Rewrites the blocks of a program; `None` if one is missing or was refused.
fn parts(walk: &mut Walk<'_>) -> Option<Parts> {
    let architecture = walk.options.architecture;
    let parser = match architecture.stage(&walk.program, Stage::Parser) {
        Ok(blocks) => blocks.into_iter().find_map(|(_, block)| match block {
            Block::Parser(parser) => super::parser::unrolled(walk, parser),
            Block::Function(_) => None,
        }),
        Err(finding) => {
            walk.findings.say(finding);
            None
        }
    };
    let (deparser, before) =
        walk.stage(Stage::Deparser)?.split_last().map(|(last, before)| (*last, before.to_vec()))?;
    walk.part = ProgramPart::Deparser;
    walk.knowledge = Default::default();
    let name = walk.program.functions[deparser.index()].name.clone();
    let emitted = EmittedHeaders::of(&walk.program, [Block::Function(deparser)]);
    let deparser = walk.enter(deparser).code;
    walk.part = ProgramPart::Pipeline;
    walk.knowledge = Default::default();
    let (pipeline, ends) = walk.pipeline(&emitted, &before)?;
    Some(Parts { parser: parser?, deparser, name, pipeline, ends })
}

/// Returns the variables that the machine reads after the pipeline.
fn of_machine(walk: &Walk<'_>, ends: Ends) -> impl Iterator<Item = VariableId> {
    let counted = walk.counted.iter().flat_map(|counted| counted.keys.iter().copied().chain([counted.hit]));
    counted.chain([ends.dropped, ends.port])
}

/// The parts that are to be assembled.
struct Assembly<'a> {
    walk: &'a Walk<'a>,
    pieces: Pieces<'a>,
    parts: Parts,
    /// The variables that the deparser reads.
    leaving: BTreeSet<VariableId>,
}

/// The pieces of variables that cross the ends of the pipeline.
struct Crossing {
    arrives: BTreeSet<VariableId>,
    leaves: BTreeSet<VariableId>,
    /// The pieces that only the machine reads or sets.
    of_machine: BTreeSet<VariableId>,
}

impl Assembly<'_> {
    fn assembled(self, code: Vec<Statement>) -> Result<Flattened, Vec<Finding>> {
        let (mut code, crossing) = self.crossing(code);
        let (mut variables, numbers) = self.variables(&code, &crossing);
        numbers.block(&mut code);
        let (functions, function_numbers) = self.functions(&mut variables, &numbers);
        let program = &self.walk.program;
        let flat = Program {
            name: program.name.clone(),
            variables,
            registers: self.pieces.registers.clone(),
            packet: code,
            functions,
            tables: program.tables.iter().map(|table| shape(program, table, &function_numbers)).collect(),
            profiles: program.profiles.clone(),
            ..Program::default()
        };
        let crossed = self.crossed(&crossing);
        let architecture = self.walk.options.architecture;
        let (edges, edge_numbers) = edges::program(
            architecture,
            program,
            self.parts.parser.clone(),
            self.parts.name.clone(),
            self.parts.deparser.clone(),
            &crossed,
        );
        let carried = self.carried(&crossing, &numbers, &edge_numbers);
        let piece = |variable: VariableId| self.pieces.of_variable(variable)[0];
        let field = |variable: VariableId| numbers.variable(piece(variable));
        let direct = self.walk.counted.iter().map(|counted| DirectCounter {
            counter: program.tables[counted.table.index()].counter.expect("a table whose entries count"),
            table: counted.table,
            hit: field(counted.hit),
            keys: {
                let pieces = counted.keys.iter().flat_map(|&key| self.pieces.of_variable(key));
                pieces.map(|&piece| numbers.variable(piece)).collect()
            },
        });
        let registers = self.walk.registers;
        let register = |id: ir::RegisterId| self.pieces.of_register(id)[0];
        let counters = self.walk.counters.iter().map(|part| super::CounterPart {
            packets: part.packets.map(register),
            bytes: part.bytes.map(register),
            ..*part
        });
        let mut counters: Vec<_> = counters.collect();
        counters.sort_by_key(|part| part.counter);
        Ok(Flattened {
            architecture,
            intrinsics: self.intrinsics(&flat, &numbers),
            dropped: field(self.parts.ends.dropped),
            egress_port: field(self.parts.ends.port),
            ports: self.parts.ends.ports,
            registers: self.pieces.parts.iter().filter(|part| part.original.index() < registers).copied().collect(),
            counters,
            direct_counters: direct.collect(),
            edges,
            flat: Flat::new(flat).map_err(|reasons| vec![not_flat(reasons)])?,
            carried,
        })
    }

    /// Removes assignments that are never read, and returns the code with the variables that cross its ends.
    fn crossing(&self, code: Vec<Statement>) -> (Vec<Statement>, Crossing) {
        let assigned = liveness::assigned(&code);
        let set = set_by_parser(self.walk.options.architecture, &self.walk.program, &self.parts.parser);
        let pieces_of = |variables: &BTreeSet<VariableId>| -> BTreeSet<VariableId> {
            variables.iter().flat_map(|&variable| self.pieces.of_variable(variable)).copied().collect()
        };
        let set = pieces_of(&set);
        // Variables that neither the parser nor the pipeline assigns are always 0.
        let mut leaves = pieces_of(&self.leaving);
        leaves.retain(|piece| set.contains(piece) || assigned.contains(piece));
        let of_machine: BTreeSet<VariableId> = of_machine(self.walk, self.parts.ends).collect();
        let described: BTreeSet<VariableId> = self.walk.length.into_iter().chain([self.parts.ends.time]).collect();
        let (mut of_machine, described) = (pieces_of(&of_machine), pieces_of(&described));
        let mut live: BTreeSet<VariableId> = leaves.union(&of_machine).copied().collect();
        let code = liveness::drop_dead(code, &mut live);
        let arrives = live.iter().filter(|piece| set.contains(piece) || leaves.contains(piece)).copied().collect();
        of_machine.extend(live.intersection(&described));
        (code, Crossing { arrives, leaves, of_machine })
    }

    /// Returns the variables of the flat program, fields first, and their numbers by piece.
    fn variables(&self, code: &[Statement], crossing: &Crossing) -> (Vec<Variable>, Renumber) {
        let mut used = liveness::assigned(code);
        for statement in code {
            statement.walk(&mut |statement| {
                used.extend(statement.expressions().into_iter().flat_map(|expression| expression.variables()));
            });
        }
        let fields: BTreeSet<VariableId> =
            [&crossing.arrives, &crossing.leaves, &crossing.of_machine].into_iter().flatten().copied().collect();
        let locals = used.difference(&fields);
        let order: Vec<VariableId> = fields.iter().chain(locals).copied().collect();
        let mut variables = Vec::with_capacity(order.len() + 1);
        for piece in &order {
            let kind = if fields.contains(piece) { VariableKind::Field } else { VariableKind::Local };
            variables.push(Variable { kind, ..self.pieces.variables[piece.index()].clone() });
        }
        // This field is for the machine itself, is not a piece of any variable, and comes before all others.
        let position = Variable { name: POSITION.to_owned(), ty: Type::Bits(32), kind: VariableKind::Field };
        variables.insert(0, position);
        let unused = VariableId(u32::MAX);
        (variables, Renumber::in_order([unused].into_iter().chain(order)))
    }

    /// Returns the actions of tables, which only declare their parameters, and their new numbers.
    fn functions(
        &self,
        variables: &mut Vec<Variable>,
        numbers: &Renumber,
    ) -> (Vec<Function>, BTreeMap<FunctionId, FunctionId>) {
        let program = &self.walk.program;
        let listed = program.tables.iter().flat_map(|table| &table.actions).map(|action| action.function);
        let listed: BTreeSet<FunctionId> = listed.collect();
        let mut made: BTreeMap<VariableId, VariableId> = BTreeMap::new();
        let mut declare = |parameter: VariableId| {
            if let [piece] = self.pieces.of_variable(parameter)
                && let Some(number) = numbers.known(*piece)
            {
                return number;
            }
            *made.entry(parameter).or_insert_with(|| {
                variables.push(Variable { kind: VariableKind::Local, ..program.variable(parameter).clone() });
                VariableId::from(variables.len() - 1)
            })
        };
        let functions = listed.iter().map(|id| {
            let function = &program.functions[id.index()];
            let parameters = function.parameters.iter().map(|&parameter| declare(parameter)).collect();
            Function { parameters, body: Vec::new(), ..function.clone() }
        });
        let functions = functions.collect();
        let numbers = listed.into_iter().enumerate().map(|(new, old)| (old, FunctionId::from(new)));
        (functions, numbers.collect())
    }

    /// Returns the variables of the original program that cross.
    fn crossed(&self, crossing: &Crossing) -> BTreeSet<VariableId> {
        let pieces = crossing.arrives.union(&crossing.leaves);
        pieces.filter_map(|piece| self.pieces.origins[piece.index()]).map(|(variable, _)| variable).collect()
    }

    fn carried(&self, crossing: &Crossing, numbers: &Renumber, edges: &Renumber) -> Vec<Carried> {
        let pieces = crossing.arrives.union(&crossing.leaves);
        let carried = pieces.filter_map(|piece| {
            let (variable, low) = self.pieces.origins[piece.index()]?;
            Some(Carried {
                field: numbers.variable(*piece),
                variable: edges.variable(variable),
                low,
                width: self.pieces.variables[piece.index()].ty.width(),
                arrives: crossing.arrives.contains(piece),
                leaves: crossing.leaves.contains(piece),
            })
        });
        carried.collect()
    }

    /// Returns the fields that the machine knows by name.
    fn intrinsics(&self, flat: &Program, numbers: &Renumber) -> Vec<(String, VariableId)> {
        let is_field = |number: &VariableId| flat.variable(*number).kind == VariableKind::Field;
        let named = |name: &str, variable: VariableId| {
            let number = numbers.known(self.pieces.of_variable(variable)[0]).filter(is_field)?;
            Some((name.to_owned(), number))
        };
        let own = self.walk.program.intrinsics.iter().filter_map(|(name, variable)| named(name, *variable));
        let length = self.walk.length.and_then(|length| named("$length", length));
        let time = named("$time", self.parts.ends.time);
        own.chain([(POSITION.to_owned(), VariableId(0))]).chain(length).chain(time).collect()
    }
}

/// The name of the field that is for the machine itself.
const POSITION: &str = "$position";

/// Reduces a table to what a look-up needs.
fn shape(program: &Program, table: &Table, functions: &BTreeMap<FunctionId, FunctionId>) -> Table {
    let mut table = table.clone();
    let values = table.keys.iter_mut().map(|key| &mut key.value).chain(&mut table.selector);
    values.for_each(|value| *value = Expression::Undefined(program.type_of(value)));
    for action in &mut table.actions {
        action.function = functions[&action.function];
        action.before.clear();
        action.after.clear();
    }
    table.counter = None;
    table.meter = None;
    table.has_slots = false;
    table.registers.clear();
    table.counts_when_called = false;
    table
}
