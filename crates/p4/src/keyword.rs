//! The words that P4 reserves (P4_16 1.2.5, section 6.4.1 and appendix B).

macro_rules! keywords {
    ($($variant:ident $text:literal)*) => {
        /// A word that P4 reserves, everywhere or in some contexts.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Keyword {
            $(#[doc = concat!("`", $text, "`")] $variant,)*
        }

        impl Keyword {
            /// Every keyword, in alphabetical order.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The spelling of the keyword.
            pub fn text(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// The keyword with this text, if there is one.
            pub fn from_text(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

keywords! {
    Underscore "_"
    Abstract "abstract"
    Action "action"
    Actions "actions"
    Apply "apply"
    Bit "bit"
    Bool "bool"
    Break "break"
    Const "const"
    Continue "continue"
    Control "control"
    Default "default"
    Else "else"
    Entries "entries"
    Enum "enum"
    Error "error"
    Exit "exit"
    Extern "extern"
    False "false"
    For "for"
    Header "header"
    HeaderUnion "header_union"
    If "if"
    In "in"
    Inout "inout"
    Int "int"
    Key "key"
    List "list"
    MatchKind "match_kind"
    Out "out"
    Package "package"
    Parser "parser"
    Pragma "pragma"
    Priority "priority"
    Return "return"
    Select "select"
    State "state"
    String "string"
    Struct "struct"
    Switch "switch"
    Table "table"
    This "this"
    Transition "transition"
    True "true"
    Tuple "tuple"
    Type "type"
    Typedef "typedef"
    ValueSet "value_set"
    Varbit "varbit"
    Void "void"
}

impl Keyword {
    /// True for the keywords that may also be names: of fields, variables, parameters, functions (the grammar's
    /// `nonTypeName` and, for `list`, `name`).
    pub fn is_name(self) -> bool {
        matches!(
            self,
            Self::Apply
                | Self::Key
                | Self::Actions
                | Self::State
                | Self::Entries
                | Self::Type
                | Self::Priority
                | Self::List
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Keyword;

    #[test]
    fn every_keyword_is_read_back_from_its_text() {
        for &keyword in Keyword::ALL {
            assert_eq!(Keyword::from_text(keyword.text()), Some(keyword));
        }
        assert_eq!(Keyword::from_text("Parser"), None);
        assert!(Keyword::ALL.windows(2).all(|pair| pair[0].text() < pair[1].text()));
    }
}
