//! What C has and Domino has not, and what to write instead.

/// Words that are no names: those of C and those that mean something here.
const KEYWORDS: [&str; 37] = [
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern", "float",
    "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed", "sizeof",
    "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while", "bool", "_Bool", "asm",
];

/// True for a word that cannot be a name.
pub(super) fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

/// A statement that Domino refuses: what it is and what to do instead.
pub(super) fn statement(word: &str) -> Option<(&'static str, &'static str)> {
    let once = "a packet passes each stage of a pipeline once; write the steps out one after the other";
    Some(match word {
        "for" | "while" | "do" => ("loops are not part of Domino", once),
        "switch" | "case" | "default" => ("`switch` is not part of Domino", "use `if` and `else if`"),
        "goto" => ("`goto` is not part of Domino", "use `if` and `else`"),
        "break" | "continue" => ("there are no loops to leave", "use `if` and `else`, or `return`"),
        "else" => ("this `else` has no `if` before it", "put several statements after an `if` into `{ }`"),
        _ => return None,
    })
}

/// A type or a part of one that Domino refuses: what it is and what to do instead.
pub(super) fn type_word(word: &str) -> Option<(String, &'static str)> {
    let hint = match word {
        "float" | "double" => "scale the value and use `int`, such as thousandths instead of parts",
        "unsigned" | "signed" | "long" | "short" | "char" | "bool" | "_Bool" => {
            "every value is a 32-bit `int`, which also serves as a truth value"
        }
        "const" => "name a constant with `#define NAME value`",
        "static" | "extern" | "register" | "volatile" | "auto" | "inline" | "restrict" => {
            "leave it out; what has to stay between packets is declared outside of functions"
        }
        "typedef" | "enum" | "union" => "use `int`, and `#define` for names of constants",
        "asm" => "say it in Domino",
        _ => return None,
    };
    Some((format!("`{word}` is not part of Domino"), hint))
}
