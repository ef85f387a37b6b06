//! Locations: each piece keeps the location its author wrote it at, and errors are shown there.

mod common;

use common::{Run, findings, spelled};
use diagnostics::Diagnostic;
use preprocessor::Options;

#[test]
fn arguments_keep_their_locations_in_expansions() {
    let text = "#define WIDTH 16\n#define SHR(a) a >> WIDTH\nx = SHR(y+\\\n1)/* c\n*/;WIDTH";
    let run = Run::new(text, &[], &Options::default());
    let mut dump = String::new();
    for piece in &run.result.pieces {
        let (line, column) = run.sources.place(piece.span);
        let written = &text[piece.span.start as usize..piece.span.end as usize];
        let flags = [(piece.first_of_line, " first"), (piece.touches_previous, " touches")];
        let flags: String = flags.iter().filter(|(set, _)| *set).map(|(_, name)| *name).collect();
        dump.push_str(&format!("{line}:{column} {} {written:?}{flags}\n", spelled(piece)));
    }
    let expected = "\
3:1 x \"x\" first
3:3 = \"=\"
3:9 y \"y\"
3:10 + \"+\" touches
4:1 1 \"1\"
3:5 > \"SHR(y+\\\\\\n1)\"
3:5 > \"SHR(y+\\\\\\n1)\" touches
3:5 16 \"SHR(y+\\\\\\n1)\"
5:3 ; \";\"
5:4 16 \"WIDTH\"
";
    assert_eq!(dump, expected);
    assert_eq!(run.sources.place(run.result.end), (5, 9));
}

#[test]
fn pieces_do_not_touch_across_macro_boundaries() {
    let text = "#define GT >\n#define NONE\n#define ID(x) x\n> > >> GT> GT GT >NONE> >ID(>) ID(> >)ID(>>)";
    let run = Run::new(text, &[], &Options::default());
    let joined: Vec<bool> = run.result.pieces.iter().map(|piece| piece.touches_previous).collect();
    let true_at: Vec<usize> = (0..joined.len()).filter(|&at| joined[at]).collect();
    // Only the pieces of a `>>` that is written as such touch, also inside an argument.
    assert_eq!(true_at, [3, run.result.pieces.len() - 1]);
}

#[test]
fn a_macro_at_the_start_of_a_line_begins_it() {
    let run =
        Run::new("#define E\n#define A a\n#define F(x) x\n@pragma p\nE A b\nF(\nc) d\nE\ne", &[], &Options::default());
    let first: Vec<String> = run.result.pieces.iter().filter(|piece| piece.first_of_line).map(spelled).collect();
    assert_eq!(first, ["@", "a", "c", "e"]);
}

#[test]
fn errors_show_the_use_and_the_definition_of_a_macro() {
    let found = findings("#define PASTE(a, b) a##b\n#define OUTER PASTE(+, -)\nx = OUTER;");
    assert!(found.contains("main.c:3:5") && found.contains("from the macro `OUTER`"), "{found}");
    // Later steps explain their diagnostics in the same way.
    let run = Run::new("#define LIMIT 8\nx = LIMIT;", &[], &Options::default());
    let error = Diagnostic::error(run.result.pieces[2].span, "too great");
    assert_eq!(run.result.macro_uses.explain(error).related.len(), 1);
    let error = Diagnostic::error(run.result.pieces[1].span, "here");
    assert!(run.result.macro_uses.explain(error).related.is_empty());
}
