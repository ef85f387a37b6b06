//! Types as text.

use super::{Sort, Type, TypeForm, Types};

/// The length from which a type is abbreviated: a type may double in size with each declaration.
const MOST_CHARACTERS: usize = 120;

impl Types {
    /// Returns a type as P4 writes it, abbreviated if it is long.
    pub fn show(&self, of: Type) -> String {
        let mut text = String::new();
        self.show_into(of, &mut text);
        text
    }

    fn show_into(&self, of: Type, text: &mut String) {
        if text.len() > MOST_CHARACTERS {
            if !text.ends_with("...") {
                text.push_str("...");
            }
            return;
        }
        match self.kind(of) {
            TypeForm::Unknown => text.push('_'),
            TypeForm::Void => text.push_str("void"),
            TypeForm::Bool => text.push_str("bool"),
            TypeForm::String => text.push_str("string"),
            TypeForm::Error => text.push_str("error"),
            TypeForm::MatchKind => text.push_str("match_kind"),
            TypeForm::Integer => text.push_str("int"),
            TypeForm::Bit(width) => text.push_str(&format!("bit<{width}>")),
            TypeForm::Int(width) => text.push_str(&format!("int<{width}>")),
            TypeForm::Varbit(width) => text.push_str(&format!("varbit<{width}>")),
            TypeForm::Tuple(parts) | TypeForm::Listed(parts) => self.show_list("tuple", parts, text),
            TypeForm::Record(fields, _) => {
                text.push_str("{ ");
                for (name, part) in fields {
                    text.push_str(&format!("{name} = "));
                    self.show_into(*part, text);
                    text.push_str(", ");
                }
                text.push('}');
            }
            TypeForm::List(part) => self.show_list("list", &[*part], text),
            TypeForm::Set(part) => self.show_list("set", &[*part], text),
            TypeForm::Stack(element, size) => {
                self.show_into(*element, text);
                text.push_str(&size.map_or("[_]".to_owned(), |size| format!("[{size}]")));
            }
            TypeForm::Named(definition, arguments) => {
                let name = &self.definitions.get(*definition).name;
                if arguments.is_empty() { text.push_str(name) } else { self.show_list(name, arguments, text) }
            }
            TypeForm::Applied(table) => text.push_str(&format!("{}.apply()", self.definitions.get(*table).name)),
            TypeForm::ActionRun(table) => {
                text.push_str(&format!("{}.apply().action_run", self.definitions.get(*table).name));
            }
            TypeForm::Invalid => text.push_str("{#}"),
            TypeForm::Default => text.push_str("..."),
        }
    }

    fn show_list(&self, name: &str, parts: &[Type], text: &mut String) {
        text.push_str(name);
        text.push('<');
        for (number, part) in parts.iter().enumerate() {
            if number > 0 {
                text.push_str(", ");
            }
            self.show_into(*part, text);
        }
        text.push('>');
    }

    /// Returns a type for messages: a declared type with the keyword that declares it.
    pub(crate) fn describe(&self, of: Type) -> String {
        let sort = match self.named(of) {
            Some((_, _, Sort::Container(own))) => own.kind.keyword(),
            Some((_, _, Sort::Enumeration(_))) => "enum",
            Some((_, _, Sort::Extern(_))) => "extern",
            Some((_, _, Sort::Machine(own))) => own.sort.keyword(),
            Some((_, _, Sort::Table(_))) => "table",
            _ => return format!("`{}`", self.show(of)),
        };
        format!("{sort} `{}`", self.show(of))
    }
}
