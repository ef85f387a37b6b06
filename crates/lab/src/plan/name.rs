//! Names of labs, hosts and switches, which become names of network namespaces, interfaces and files.

/// The longest name of a lab, a host or a switch.
const LONGEST: usize = 32;
/// The longest name of an interface of Linux: IFNAMSIZ less the NUL at its end.
pub const LONGEST_INTERFACE: usize = 15;

/// Returns what a name must be like, if it cannot be used.
pub fn problem(name: &str) -> Option<&'static str> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    let is_usable = name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name.len() <= LONGEST
        && name.chars().all(is_plain);
    (!is_usable).then_some("a letter or digit, followed by at most 31 letters, digits, `-` and `_`")
}

/// Returns the name of a lab that comes nearest to a text, such as the name of a folder.
pub fn of_text(text: &str) -> String {
    let plain: String = text.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect();
    let trimmed: String = plain.trim_start_matches('_').chars().take(LONGEST).collect();
    if trimmed.is_empty() { "lab".to_owned() } else { trimmed }
}

/// Returns the two parts of the end of a link at a switch, `s1-p2`: the name of the switch and the number of the port.
pub fn port(text: &str) -> Option<(&str, u16)> {
    let (switch, port) = text.rsplit_once("-p")?;
    let is_number = port.bytes().all(|letter| letter.is_ascii_digit());
    Some((switch, port.parse().ok().filter(|_| is_number)?))
}
