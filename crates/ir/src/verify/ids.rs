//! Resolution of ids, which fails for ids that are out of range.

use crate::{
    Array, ArrayId, Counter, CounterId, Digest, DigestId, Filter, FilterId, Function, FunctionId, Header, HeaderId,
    Meter, MeterId, Parser, ParserId, Profile, ProfileId, Program, Register, RegisterId, Stack, StackId, Table,
    TableId, Type, ValueSet, ValueSetId, VariableId, Wred, WredId,
};

/// Returns the type of a variable.
pub(super) fn variable(program: &Program, id: VariableId) -> Result<Type, String> {
    Ok(find(&program.variables, id.index(), "variable")?.ty)
}

macro_rules! lookups {
    ($($function:ident: $id:ty, $list:ident, $kind:ty, $what:literal;)*) => {
        $(pub(super) fn $function(program: &Program, id: $id) -> Result<&$kind, String> {
            find(&program.$list, id.index(), $what)
        })*
    };
}

lookups! {
    register: RegisterId, registers, Register, "register";
    array: ArrayId, arrays, Array, "array";
    header: HeaderId, headers, Header, "header";
    stack: StackId, stacks, Stack, "stack";
    parser: ParserId, parsers, Parser, "parser";
    value_set: ValueSetId, value_sets, ValueSet, "value set";
    function: FunctionId, functions, Function, "function";
    table: TableId, tables, Table, "table";
    profile: ProfileId, profiles, Profile, "profile";
    counter: CounterId, counters, Counter, "counter";
    meter: MeterId, meters, Meter, "meter";
    filter: FilterId, filters, Filter, "filter";
    wred: WredId, wreds, Wred, "wred";
    digest: DigestId, digests, Digest, "digest";
}

/// Returns the element of a list at an index.
fn find<'p, T>(list: &'p [T], place: usize, what: &str) -> Result<&'p T, String> {
    list.get(place).ok_or_else(|| format!("{what} {place} does not exist"))
}
