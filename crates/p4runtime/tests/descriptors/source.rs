//! The facts of our structs, read from their source: prost's attributes are what the code that encodes them is made
//! from, and the compiler holds the attributes against the types of the fields.

use std::collections::BTreeMap;
use std::path::Path;

use syn::{Attribute, Expr, Fields, Item, ItemEnum, ItemStruct, Lit, Type, UseTree};

use crate::facts::{Facts, Field, Label};

/// A module of the source: the protobuf name of what it stands for, what it imports, and its items.
struct Module {
    /// The package, and in a nested module the message: `p4.v1` or `p4.v1.TableEntry`.
    scope: String,
    /// The Rust paths of imported names.
    imports: BTreeMap<String, String>,
    /// The names that are defined here.
    items: Vec<Item>,
}

/// Returns the facts of the messages below `crates/p4runtime/src/message`.
pub fn facts() -> Facts {
    let mut modules = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/message");
    for (file, package) in
        [("google/protobuf.rs", "google.protobuf"), ("google/rpc.rs", "google.rpc"), ("p4/tmp.rs", "p4.tmp")]
    {
        read(&root.join(file), package, &mut modules);
    }
    for (folder, package) in [("p4/v1", "p4.v1"), ("p4/config/v1", "p4.config.v1")] {
        for entry in std::fs::read_dir(root.join(folder)).expect("the folder of a package") {
            let path = entry.expect("a file").path();
            if path.is_file() && !path.ends_with("mod.rs") {
                read(&path, package, &mut modules);
            }
        }
    }
    let mut facts = Facts::default();
    for module in &modules {
        for item in &module.items {
            match item {
                Item::Struct(item) if derives(&item.attrs, "Message") => {
                    let name = proto_name(&module.scope, &item.ident.to_string());
                    facts.messages.insert(name, fields(item, module, &modules));
                }
                Item::Enum(item) if derives(&item.attrs, "Enumeration") => {
                    let name = proto_name(&module.scope, &item.ident.to_string());
                    facts.enumerations.insert(name, values(item));
                }
                _ => {}
            }
        }
    }
    facts
}

fn read(path: &Path, scope: &str, modules: &mut Vec<Module>) {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let file = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    add(file.items, scope, modules);
}

fn add(items: Vec<Item>, scope: &str, modules: &mut Vec<Module>) {
    let structs: Vec<String> = items
        .iter()
        .filter_map(|item| if let Item::Struct(item) = item { Some(item.ident.to_string()) } else { None })
        .collect();
    let (mut imports, mut own) = (BTreeMap::new(), Vec::new());
    for item in items {
        match item {
            Item::Use(item) => import(&item.tree, String::new(), &mut imports),
            Item::Mod(item) => {
                let Some((_, items)) = item.content else { continue };
                // A module holds what belongs to the message of the same name.
                let name = item.ident.to_string();
                let of = structs.iter().find(|of| snake(of) == name);
                let of = of.unwrap_or_else(|| panic!("module {name} belongs to no message"));
                add(items, &format!("{scope}.{of}"), modules);
            }
            other => own.push(other),
        }
    }
    modules.push(Module { scope: scope.to_owned(), imports, items: own });
}

fn import(tree: &UseTree, before: String, imports: &mut BTreeMap<String, String>) {
    match tree {
        UseTree::Path(path) => import(&path.tree, format!("{before}{}.", path.ident), imports),
        UseTree::Name(name) => _ = imports.insert(name.ident.to_string(), format!("{before}{}", name.ident)),
        UseTree::Group(group) => group.items.iter().for_each(|tree| import(tree, before.clone(), imports)),
        UseTree::Rename(_) | UseTree::Glob(_) => panic!("messages import by plain names"),
    }
}

fn fields(item: &ItemStruct, module: &Module, modules: &[Module]) -> BTreeMap<i32, Field> {
    let Fields::Named(named) = &item.fields else { panic!("{} has named fields", item.ident) };
    let mut found = BTreeMap::new();
    for field in &named.named {
        let name = plain(&field.ident.as_ref().expect("a name").to_string());
        let attribute = Prost::of(&field.attrs).unwrap_or_else(|| panic!("{}.{name} has no tag", item.ident));
        if let Some(path) = &attribute.oneof {
            let (inner, chosen) = resolve_enum(path, module, modules);
            let mut tags = Vec::new();
            for variant in &chosen.variants {
                let attribute = Prost::of(&variant.attrs).expect("a tag");
                let Fields::Unnamed(content) = &variant.fields else { panic!("a variant has a value") };
                let own = Field {
                    name: snake(&variant.ident.to_string()),
                    kind: kind(&attribute, &content.unnamed[0].ty, inner, modules),
                    label: Label::Single,
                    oneof: Some(name.clone()),
                };
                tags.push(attribute.tags[0]);
                assert!(found.insert(attribute.tags[0], own).is_none(), "{} uses a tag twice", item.ident);
            }
            // Fields whose tags are not listed with the `oneof` would be dropped.
            assert_eq!(sorted(tags), sorted(attribute.tags), "tags of {}.{name}", item.ident);
            continue;
        }
        let label = match &attribute.map {
            Some([from, to]) => {
                let to = if to == "message" { message(inner_type(&field.ty), module, modules) } else { to.clone() };
                Label::Map(Box::new([from.clone(), to]))
            }
            None if attribute.words.iter().any(|word| word == "repeated") => Label::Repeated,
            None => Label::Single,
        };
        let kind =
            if attribute.map.is_some() { "map".to_owned() } else { kind(&attribute, &field.ty, module, modules) };
        let tag = attribute.tags[0];
        assert!(
            found.insert(tag, Field { name, kind, label, oneof: None }).is_none(),
            "{} uses a tag twice",
            item.ident
        );
    }
    found
}

fn values(item: &ItemEnum) -> BTreeMap<i32, String> {
    // As everywhere in Rust, a value does not begin with the name of its type.
    let prefix = if item.ident == "SdnPort" { "SDN_PORT_" } else { "" };
    let value = |variant: &syn::Variant| {
        let (_, number) = variant.discriminant.as_ref().expect("a number");
        (integer(number), format!("{prefix}{}", snake(&variant.ident.to_string()).to_uppercase()))
    };
    item.variants.iter().map(value).collect()
}

fn integer(expression: &Expr) -> i32 {
    match expression {
        Expr::Unary(negative) => -integer(&negative.expr),
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) => number.base10_parse().expect("a number of 32 bits"),
            _ => panic!("a number"),
        },
        _ => panic!("a number"),
    }
}

/// The attribute `prost` of a field.
#[derive(Default)]
struct Prost {
    /// Words without a value, such as `uint32` and `repeated`, and the keys of others.
    words: Vec<String>,
    enumeration: Option<String>,
    oneof: Option<String>,
    map: Option<[String; 2]>,
    tags: Vec<i32>,
}

impl Prost {
    fn of(attributes: &[Attribute]) -> Option<Self> {
        let attribute = attributes.iter().find(|own| own.path().is_ident("prost"))?;
        let mut found = Self::default();
        let parsed = attribute.parse_nested_meta(|meta| {
            let key = meta.path.get_ident().expect("a word").to_string();
            if meta.input.peek(syn::Token![=]) {
                let value = meta.value()?.parse::<syn::LitStr>()?.value();
                let list = || value.split(',').map(|part| part.trim().to_owned());
                match &*key {
                    "tag" | "tags" => found.tags = list().map(|tag| tag.parse().expect("a tag")).collect(),
                    "enumeration" => found.enumeration = Some(value),
                    "oneof" => found.oneof = Some(value),
                    "btree_map" => found.map = list().collect::<Vec<_>>().try_into().ok(),
                    _ => found.words.push(key),
                }
            } else {
                found.words.push(key);
            }
            Ok(())
        });
        parsed.expect("prost's attribute");
        Some(found)
    }
}

fn derives(attributes: &[Attribute], name: &str) -> bool {
    attributes.iter().filter(|own| own.path().is_ident("derive")).any(|own| {
        let mut found = false;
        let parsed = own.parse_nested_meta(|meta| {
            found |= meta.path.segments.last().is_some_and(|last| last.ident == name);
            Ok(())
        });
        parsed.is_ok() && found
    })
}

/// Returns the protobuf type of a field or variant.
fn kind(attribute: &Prost, rust: &Type, module: &Module, modules: &[Module]) -> String {
    if let Some(path) = &attribute.enumeration {
        let (inner, item) = resolve_enum(path, module, modules);
        return proto_name(&inner.scope, &item.ident.to_string());
    }
    match attribute.words.iter().find(|word| !matches!(&***word, "repeated" | "optional" | "boxed")) {
        Some(word) if word == "message" => message(inner_type(rust), module, modules),
        Some(word) => word.clone(),
        None => panic!("a field has no type"),
    }
}

/// Returns the type inside `Option`, `Vec` and maps.
fn inner_type(rust: &Type) -> &Type {
    let Type::Path(path) = rust else { panic!("types of fields are paths") };
    match &path.path.segments.last().expect("a path").arguments {
        syn::PathArguments::AngleBracketed(generic) => match generic.args.last() {
            Some(syn::GenericArgument::Type(inner)) => inner_type(inner),
            _ => panic!("a type"),
        },
        _ => rust,
    }
}

/// Returns the full protobuf name of the message that a Rust type is.
fn message(rust: &Type, module: &Module, modules: &[Module]) -> String {
    let Type::Path(path) = rust else { panic!("types of fields are paths") };
    let names: Vec<String> = path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    let (name, scopes) = names.split_last().expect("a path");
    let package = package_of(&module.scope);
    if let Some(inner) = scopes.last() {
        let found = modules.iter().find(|own| own.scope.starts_with(&package) && is_of(own, inner) && has(own, name));
        return proto_name(&found.unwrap_or_else(|| panic!("nothing is {inner}::{name}")).scope, name);
    }
    if has(module, name) {
        return proto_name(&module.scope, name);
    }
    let imported = module.imports.get(name).unwrap_or_else(|| panic!("{name} is not imported in {}", module.scope));
    match imported.strip_prefix("crate.message.") {
        Some(full) => full.to_owned(),
        None => format!("{package}.{name}"),
    }
}

fn resolve_enum<'m>(path: &str, module: &'m Module, modules: &'m [Module]) -> (&'m Module, &'m ItemEnum) {
    let names: Vec<&str> = path.split("::").collect();
    let (name, scopes) = names.split_last().expect("a path");
    let package = package_of(&module.scope);
    let is_named = |own: &&Module| match scopes.last() {
        Some(inner) => package_of(&own.scope) == package && is_of(own, inner),
        None => own.scope == module.scope,
    };
    let enums = modules.iter().filter(is_named).flat_map(|own| own.items.iter().map(move |item| (own, item)));
    let mut named = enums.filter_map(|(own, item)| match item {
        Item::Enum(item) if item.ident == name => Some((own, item)),
        _ => None,
    });
    named.next().unwrap_or_else(|| panic!("no enum {path} for {}", module.scope))
}

fn has(module: &Module, name: &str) -> bool {
    module.items.iter().any(|item| matches!(item, Item::Struct(item) if item.ident == name))
}

/// Returns whether a module is the one of this name, which belongs to a message.
fn is_of(module: &Module, name: &str) -> bool {
    let message = module.scope.strip_prefix(&package_of(&module.scope)).unwrap_or_default();
    snake(message.trim_start_matches('.')) == name
}

/// Returns the package of a scope: its part in lower case.
fn package_of(scope: &str) -> String {
    let parts = scope.split('.').take_while(|part| part.starts_with(|letter: char| letter.is_ascii_lowercase()));
    parts.collect::<Vec<_>>().join(".")
}

/// Returns the full name in protobuf, where one message is spelt other than Rust spells it.
fn proto_name(scope: &str, name: &str) -> String {
    format!("{scope}.{}", if name == "Lpm" { "LPM" } else { name })
}

fn plain(name: &str) -> String {
    name.trim_start_matches("r#").to_owned()
}

/// Converts `TableEntry` to `table_entry`.
fn snake(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}

fn sorted(mut tags: Vec<i32>) -> Vec<i32> {
    tags.sort_unstable();
    tags
}
