//! Renders a pipeline as Graphviz text: stages as boxes that hold their atoms, edges for the data flow between atoms.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::pipeline::{Atom, Division, Pipeline, Predicate};
use crate::{Expression, Statement, VariableId, print};

/// Returns the stage map as input for `dot -Tsvg`. Equal pipelines give equal text.
pub fn pipeline(pipeline: &Pipeline) -> String {
    let mut text = String::new();
    let name = escape(&pipeline.program.name);
    let _ = writeln!(text, "digraph \"{name}\" {{");
    let _ =
        writeln!(text, "  rankdir=LR;\n  node [shape=box, fontname=\"monospace\"];\n  edge [fontname=\"monospace\"];");
    let mut makers = BTreeMap::new();
    for (number, stage) in pipeline.stages.iter().enumerate() {
        let resolves = if number < pipeline.early_stages as usize { " (address resolution)" } else { "" };
        let _ = writeln!(text, "  subgraph cluster_{number} {{\n    label=\"stage {number}{resolves}\";");
        if stage.atoms.is_empty() {
            let _ = writeln!(text, "    stage_{number} [label=\"\", style=invis];");
        }
        for (place, atom) in stage.atoms.iter().enumerate() {
            let node = format!("atom_{number}_{place}");
            let _ = writeln!(text, "    {node} [label=\"{}\"{}];", label(pipeline, number, atom), style(atom));
            for variable in assigned(atom) {
                makers.insert(variable, node.clone());
            }
        }
        let _ = writeln!(text, "  }}");
    }
    edges(pipeline, &makers, &mut text);
    text.push_str("}\n");
    text
}

/// The label of an atom: its template, its statements, and what is known of its accesses.
fn label(pipeline: &Pipeline, stage: usize, atom: &Atom) -> String {
    let mut lines: Vec<String> = atom.template.iter().map(|template| format!("[{template}]")).collect();
    for statement in &atom.body {
        lines.extend(print::statement(&pipeline.program, statement).to_string().lines().map(str::to_owned));
    }
    let accesses = pipeline.accesses.iter().filter(|access| access.stage as usize == stage);
    for access in accesses.filter(|access| atom.body.iter().any(|s| touches(s, &access.registers))) {
        let when = match &access.predicate {
            Predicate::Always => "always".to_owned(),
            Predicate::Early(predicate) => format!("if {}", print::expression(&pipeline.program, predicate)),
            Predicate::Late(predicate) => {
                format!("if-late {}", print::expression(&pipeline.program, predicate))
            }
        };
        let place = match access.division {
            Division::ByIndex => "sharded",
            Division::Whole => "pinned",
        };
        lines.push(format!("({when}, {place})"));
    }
    // In Graphviz `\l` ends a line and aligns it to the left.
    lines.iter().map(|line| escape(line) + "\\l").collect()
}

fn style(atom: &Atom) -> &'static str {
    if atom.is_stateful() { ", style=filled, fillcolor=lightgrey" } else { "" }
}

/// Writes one edge for every variable that an atom reads and an earlier atom assigns, and one from each atom that makes
/// an exported value to its export.
fn edges(pipeline: &Pipeline, makers: &BTreeMap<VariableId, String>, text: &mut String) {
    for (number, stage) in pipeline.stages.iter().enumerate() {
        for (place, atom) in stage.atoms.iter().enumerate() {
            let node = format!("atom_{number}_{place}");
            let expressions = atom.body.iter().flat_map(expressions);
            let read: BTreeSet<VariableId> = expressions.flat_map(Expression::variables).collect();
            for variable in read {
                if let Some(maker) = makers.get(&variable).filter(|maker| **maker != node) {
                    let name = escape(&print::variable(&pipeline.program, variable).to_string());
                    let _ = writeln!(text, "  {maker} -> {node} [label=\"{name}\"];");
                }
            }
        }
    }
    for (place, export) in pipeline.program.exports.iter().enumerate() {
        let field = escape(&print::variable(&pipeline.program, export.field).to_string());
        let _ = writeln!(text, "  export_{place} [label=\"{field}\", shape=ellipse];");
        for maker in export.value.variables().iter().filter_map(|variable| makers.get(variable)) {
            let _ = writeln!(text, "  {maker} -> export_{place};");
        }
    }
}

/// The expressions of a statement and of the statements nested in it.
fn expressions(statement: &Statement) -> Vec<&Expression> {
    let mut all = statement.expressions();
    all.extend(statement.blocks().into_iter().flatten().flat_map(expressions));
    all
}

fn assigned(atom: &Atom) -> impl Iterator<Item = VariableId> {
    atom.body.iter().filter_map(|statement| match statement {
        Statement::Assign { variable, .. } => Some(*variable),
        _ => None,
    })
}

fn touches(statement: &Statement, registers: &[crate::RegisterId]) -> bool {
    let written = matches!(statement, Statement::Write { register, .. } if registers.contains(register));
    let mut found = written;
    for expression in expressions(statement) {
        expression.walk(&mut |inner| {
            found |= matches!(inner, Expression::Read { register, .. } if registers.contains(register));
        });
    }
    found
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " ")
}
