//! Features of C that Domino lacks, with suggested replacements.

/// Words that cannot be names: the keywords of C and those of Domino.
const KEYWORDS: [&str; 37] = [
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern", "float",
    "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed", "sizeof",
    "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while", "bool", "_Bool", "asm",
];

/// Returns whether a word cannot be a name.
pub(super) fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

/// Returns the error message and the hint for a statement that Domino does not support.
pub(super) fn statement(word: &str) -> Option<(&'static str, &'static str)> {
    let once = "a packet passes each stage of a pipeline once; write out the iterations one after the other";
    Some(match word {
        "for" | "while" | "do" => ("loops are not part of Domino", once),
        "switch" | "case" | "default" => ("`switch` is not part of Domino", "use `if` and `else if`"),
        "goto" => ("`goto` is not part of Domino", "use `if` and `else`"),
        "break" | "continue" => ("there are no loops to leave", "use `if` and `else`, or `return`"),
        "else" => ("this `else` has no `if` before it", "enclose several statements after an `if` in `{ }`"),
        _ => return None,
    })
}

/// Returns the error message and the hint for a type, or a part of one, that Domino does not support.
pub(super) fn type_word(word: &str) -> Option<(String, &'static str)> {
    let hint = match word {
        "float" | "double" => "use `int` with scaled values, such as thousandths",
        "unsigned" | "signed" | "long" | "short" | "char" | "bool" | "_Bool" => {
            "every value is a 32-bit `int`, which also serves as a truth value"
        }
        "const" => "name a constant with `#define NAME value`",
        "static" | "extern" | "register" | "volatile" | "auto" | "inline" | "restrict" => {
            "leave it out; declare state that outlives a packet outside of functions"
        }
        "typedef" | "enum" | "union" => "use `int`, and `#define` to name constants",
        "asm" => "write it in Domino",
        _ => return None,
    };
    Some((format!("`{word}` is not part of Domino"), hint))
}
