//! Programs that are nearly those that people wrote.

use crate::Cursor;

/// Changes of one program.
const MOST_CHANGES: usize = 6;

/// A program with a few changes: words become other words of it, and statements go, come twice, or change places.
pub fn mutated(text: &str, draw: &mut Cursor<'_>) -> String {
    let mut pieces = pieces(text);
    for _ in 0..1 + draw.below(MOST_CHANGES) {
        change(&mut pieces, draw);
    }
    pieces.concat()
}

fn change<'t>(pieces: &mut Vec<&'t str>, draw: &mut Cursor<'_>) {
    let place =
        |draw: &mut Cursor<'_>, count: usize| (usize::from(draw.byte()) << 8 | usize::from(draw.byte())) % count.max(1);
    match draw.below(6) {
        // A word becomes another of its kind.
        0..=2 => {
            let words = |is: fn(char) -> bool| -> Vec<usize> {
                (0..pieces.len()).filter(|&number| pieces[number].starts_with(is)).collect()
            };
            let numbers = draw.once_in(2);
            let words =
                if numbers { words(|first| first.is_ascii_digit()) } else { words(|first| first.is_alphabetic()) };
            if let (Some(&one), Some(&other)) =
                (words.get(place(draw, words.len())), words.get(place(draw, words.len())))
            {
                pieces[one] = pieces[other];
            }
        }
        // An operator becomes another.
        3 => {
            const OPERATORS: [&str; 8] = ["+", "-", "&", "|", "^", "<", ">", "*"];
            let places: Vec<usize> = (0..pieces.len()).filter(|&number| OPERATORS.contains(&pieces[number])).collect();
            if let Some(&one) = places.get(place(draw, places.len())) {
                pieces[one] = OPERATORS[draw.below(OPERATORS.len())];
            }
        }
        // A statement or declaration goes, or is inserted elsewhere as well.
        kind => {
            let ends: Vec<usize> =
                (0..pieces.len()).filter(|&number| matches!(pieces[number], ";" | "{" | "}")).collect();
            let Some((begin, end)) =
                ends.windows(2).nth(place(draw, ends.len() - 1)).map(|pair| (pair[0] + 1, pair[1] + 1))
            else {
                return;
            };
            if kind == 4 {
                pieces.drain(begin..end);
            } else {
                let to = ends[place(draw, ends.len())] + 1;
                let statement: Vec<&'t str> = pieces[begin..end].to_vec();
                pieces.splice(to..to, statement);
            }
        }
    }
}

/// Words, spaces, lines of directives, and single characters, which together are the text. Comments are left out.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    for line in text.split_inclusive('\n') {
        if line.starts_with('#') {
            pieces.push(line);
            continue;
        }
        let mut rest = line.find("//").map_or(line, |end| &line[..end]);
        while let Some(first) = rest.chars().next() {
            let is_word = |character: char| character.is_alphanumeric() || character == '_';
            let length = if is_word(first) {
                rest.find(|character| !is_word(character)).unwrap_or(rest.len())
            } else {
                first.len_utf8()
            };
            let (piece, behind) = rest.split_at(length);
            pieces.push(piece);
            rest = behind;
        }
        pieces.push("\n");
    }
    pieces
}
