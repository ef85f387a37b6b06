//! The words of the language, and those of C that it lacks.

/// Words that are never names: keywords of C and of Microcode.
const KEYWORDS: [&str; 48] = [
    "auto", "begin", "bool", "break", "bus", "case", "char", "const", "continue", "default", "do", "double", "else",
    "end", "enum", "exit", "extern", "false", "float", "for", "goto", "if", "inline", "int", "label", "long", "memory",
    "register", "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch", "true", "typedef",
    "union", "unsigned", "virtual", "void", "volatile", "while", "asm", "_Bool", "sram", "dram",
];

/// Words that begin a declaration or a statement; only fields may have these names.
const BEGINNINGS: [&str; 4] = ["async", "flow", "on", "sync"];
/// Words that declare what transactions name; only fields may have these names.
const OBJECTS: [&str; 7] = ["digest", "event", "filter", "hash", "policer", "reason", "timer"];

/// Returns whether a word can never be a name.
pub(super) fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

/// Returns whether a word can only be the name of a field.
pub(super) fn is_reserved(word: &str) -> bool {
    is_keyword(word) || BEGINNINGS.contains(&word) || is_object(word)
}

/// Returns whether a word declares what transactions name.
pub(super) fn is_object(word: &str) -> bool {
    OBJECTS.contains(&word)
}

/// Returns the words that can begin a declaration.
pub(super) fn of_declarations() -> impl Iterator<Item = &'static str> {
    let others = ["struct", "union", "memory", "register", "virtual", "const", "sram", "dram", "void", "begin"];
    others.into_iter().chain(OBJECTS).chain(["flow", "on"])
}

/// Returns the error message and the hint for a statement that Microcode does not have.
pub(super) fn refused_statement(word: &str) -> Option<(&'static str, &'static str)> {
    Some(match word {
        "for" | "while" | "do" | "continue" => (
            "an instruction has no loops",
            "a loop is several instructions: give the first one a label, and `goto` it from the last one",
        ),
        "case" | "default" => ("this is outside of a `switch`", "write `switch (value) { case 1: …; }`"),
        "else" => ("this `else` has no `if` before it", "enclose several statements after an `if` in `{ }`"),
        "begin" => ("this instruction begins inside another one", "end the instruction before it with `end`"),
        "asm" => ("`asm` is not part of Microcode", "write it in Microcode"),
        _ => return None,
    })
}

/// Returns the error message and the hint for a word of C's types that Microcode does not have.
pub(super) fn refused_type(word: &str) -> Option<(String, &'static str)> {
    let hint = match word {
        "float" | "double" => "use integers with scaled values, such as thousandths",
        "long" | "short" | "char" => "write the width of an integer in bits, as in `: 16`",
        "signed" => "write `int : 16` for a signed integer of 16 bits",
        "_Bool" => "write `bool`",
        "static" | "extern" | "volatile" | "auto" | "inline" | "restrict" => {
            "leave it out; `memory`, `register`, `bus` and `virtual` say where a variable is"
        }
        "typedef" => "the name of a struct is a type by itself",
        "enum" => "name numbers by `const : NAME = value;`",
        _ => return None,
    };
    Some((format!("`{word}` is not part of Microcode"), hint))
}
