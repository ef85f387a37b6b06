//! Draws a stage map as an SVG picture.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{DependencyRow, StageMap, StageRow};

/// The width of a column. All sizes are in pixels.
const COLUMN: usize = 220;
const GAP: usize = 50;
const LINE: usize = 18;
const MARGIN: usize = 20;
const PADDING: usize = 8;

/// Colours that people with colour blindness can distinguish, too (Okabe and Ito, "Color Universal Design", 2008).
const EXACT: &str = "#56B4E9";
const TERNARY: &str = "#E69F00";
const REGISTERS: &str = "#009E73";
const MATCH: &str = "#D55E00";
const ACTION: &str = "#0072B2";
const SUCCESSOR: &str = "#999999";

/// A table or a group of registers in a stage.
struct Item {
    name: String,
    detail: String,
    color: &'static str,
    /// The name in dependencies; `None` for a part of a table that does not deliver the result.
    anchor: Option<String>,
}

/// Draws the picture.
pub(super) fn draw(map: &StageMap) -> String {
    let items: Vec<Vec<Item>> = map.stages.iter().map(|row| items(map, row)).collect();
    let mut places: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut columns = String::new();
    let mut bottom = 0;
    for (number, row) in map.stages.iter().enumerate() {
        let left = MARGIN + number * (COLUMN + GAP);
        let mut top = MARGIN + 2 * LINE;
        for used in &row.uses {
            bar(&mut columns, left, top, used.used, used.offered, &used.to_string());
            top += LINE;
        }
        for item in &items[number] {
            top += PADDING;
            box_of(&mut columns, left, top, item);
            if let Some(anchor) = &item.anchor {
                places.insert(anchor, (left, top + LINE + PADDING / 2));
            }
            top += 2 * LINE + PADDING;
        }
        let others = row.atoms.iter().filter(|atom| atom.kind == "stateless" && !is_lookup(&atom.statements)).count();
        text(&mut columns, left + PADDING, top + LINE, &format!("{others} stateless operations"), "#444444");
        top += LINE + PADDING;
        bottom = bottom.max(top);
        let purpose = if row.resolves_addresses { ", resolves addresses" } else { "" };
        text(&mut columns, left + PADDING, MARGIN + LINE, &format!("stage {}{purpose}", row.stage), "#000000");
    }
    let width = 2 * MARGIN + map.stages.len().max(1) * (COLUMN + GAP);
    let height = bottom + 3 * LINE + MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    for number in 0..map.stages.len() {
        let left = MARGIN + number * (COLUMN + GAP);
        let _ = writeln!(
            svg,
            "<rect x=\"{left}\" y=\"{MARGIN}\" width=\"{COLUMN}\" height=\"{}\" fill=\"none\" stroke=\"#bbbbbb\"/>",
            bottom.saturating_sub(MARGIN)
        );
    }
    svg.push_str(&columns);
    map.dependencies.iter().for_each(|dependency| arrow(&mut svg, dependency, &places));
    legend(&mut svg, bottom + 2 * LINE);
    svg.push_str("</svg>\n");
    svg
}

/// Returns the tables and registers of a stage.
fn items(map: &StageMap, row: &StageRow) -> Vec<Item> {
    let mut items = Vec::new();
    for table in &map.tables {
        let last = table.parts.last().map(|part| part.stage);
        for part in table.parts.iter().filter(|part| part.stage as usize == row.stage) {
            let answers = Some(part.stage) == last;
            let spans = if table.parts.len() > 1 { ", in parts" } else { "" };
            items.push(Item {
                name: table.table.clone(),
                detail: format!("{} {} bits, {} entries{spans}", table.kind, table.key_bits, part.entries),
                color: if table.kind == "exact" || table.kind == "none" { EXACT } else { TERNARY },
                anchor: answers.then(|| format!("table {}", table.table)),
            });
        }
    }
    let accesses = map.accesses.iter().filter(|access| access.stage as usize == row.stage);
    items.extend(accesses.map(|access| Item {
        name: access.registers.join(", "),
        detail: format!("{} values, {}", access.indices, access.placement),
        color: REGISTERS,
        anchor: Some(format!("register {}", access.registers.join(", "))),
    }));
    items
}

fn is_lookup(statements: &[String]) -> bool {
    statements.iter().any(|statement| statement.contains(" = lookup("))
}

fn box_of(svg: &mut String, left: usize, top: usize, item: &Item) {
    let (x, width, height) = (left + PADDING, COLUMN - 2 * PADDING, 2 * LINE + PADDING / 2);
    let _ = writeln!(
        svg,
        "<rect x=\"{x}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" rx=\"4\" fill=\"{}\" fill-opacity=\"0.35\" \
         stroke=\"{}\"/>",
        item.color, item.color
    );
    text(svg, x + PADDING, top + LINE - 4, &item.name, "#000000");
    text(svg, x + PADDING, top + 2 * LINE - 4, &item.detail, "#444444");
}

/// Draws a bar that shows how much of a resource is used.
fn bar(svg: &mut String, left: usize, top: usize, used: u64, offered: u64, label: &str) {
    let (x, width) = (left + PADDING, COLUMN - 2 * PADDING);
    let filled = width as u64 * used.min(offered) / offered.max(1);
    let _ = writeln!(
        svg,
        "<rect x=\"{x}\" y=\"{top}\" width=\"{width}\" height=\"{0}\" fill=\"#eeeeee\"/>\n\
         <rect x=\"{x}\" y=\"{top}\" width=\"{filled}\" height=\"{0}\" fill=\"#cccccc\"/>",
        LINE - 2
    );
    text(svg, x + 4, top + LINE - 5, label, "#222222");
}

fn arrow(svg: &mut String, dependency: &DependencyRow, places: &BTreeMap<&str, (usize, usize)>) {
    let ends = (places.get(dependency.from.as_str()), places.get(dependency.to.as_str()));
    let (Some(&(from_x, from_y)), Some(&(to_x, to_y))) = ends else { return };
    let (start, end) = (from_x + COLUMN - PADDING, to_x + PADDING);
    let color = color_of(&dependency.kind);
    let path = if to_x > from_x {
        let middle = usize::midpoint(start, end);
        format!("M{start},{from_y} C{middle},{from_y} {middle},{to_y} {end},{to_y}")
    } else {
        // Within one stage, the arrow goes around the right side.
        let far = start + GAP / 2;
        format!("M{start},{from_y} C{far},{from_y} {far},{to_y} {start},{to_y}")
    };
    let _ = writeln!(svg, "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"1.5\"/>");
}

fn color_of(kind: &str) -> &'static str {
    match kind {
        "match" => MATCH,
        "action" => ACTION,
        _ => SUCCESSOR,
    }
}

fn legend(svg: &mut String, y: usize) {
    let entries = [
        ("exact match", EXACT),
        ("other match", TERNARY),
        ("registers", REGISTERS),
        ("match dependency", MATCH),
        ("action dependency", ACTION),
        ("successor", SUCCESSOR),
    ];
    for (place, (label, color)) in entries.into_iter().enumerate() {
        let x = MARGIN + place % 3 * 140;
        let y = y + place / 3 * LINE;
        let _ = writeln!(svg, "<rect x=\"{x}\" y=\"{}\" width=\"12\" height=\"12\" fill=\"{color}\"/>", y - 10);
        text(svg, x + 18, y, label, "#222222");
    }
}

/// Draws a line of text, truncated to the width of a column.
fn text(svg: &mut String, x: usize, y: usize, content: &str, color: &str) {
    const LONGEST: usize = 34;
    let mut shown: String = content.chars().take(LONGEST).collect();
    if content.chars().count() > LONGEST {
        shown.push('…');
    }
    let shown = shown.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let _ = writeln!(svg, "<text x=\"{x}\" y=\"{y}\" fill=\"{color}\">{shown}</text>");
}
