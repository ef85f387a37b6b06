//! Calls and instances: overload resolution, type inference and arguments of constructors (sections 8.20, 8.21 and
//! 11.3).

mod findings;

use findings::{accepts, refuses};

#[test]
fn infers_type_parameters() {
    let text = |call: &str| {
        format!(
            "extern E<T> {{ E(); void f(in T x); }} extern void g<T>(in T x); extern void o<T>(out T x);
T same<T>(T x) {{ return x; }} control D() {{ apply {{ }} }} action NoAction() {{ }}
control C(inout bit<8> b) {{ E<bit<8>>() e; E<_>() open; table t {{ actions = {{ NoAction; }} }} D() d; apply {{\n{call}; }} }}"
        )
    };
    accepts(&text("e.f(1); g(b); o(b); b = same(b); g({ b, b })"));
    refuses(&text("o(_)"), &["4: the type parameter `T` cannot be inferred"]);
    refuses(&text("open.f(8w1)"), &["4: the type parameter `T` cannot be inferred"]);
    refuses(&text("b = same(255)"), &["4: the width of the result of `same` is not known"]);
    refuses(&text("g({ x = b })"), &["4: the type of this is not known"]);
    refuses(&text("g(\"text\")"), &["4: the argument for `x` cannot be a string"]);
    refuses(&text("g(t)"), &["4: the argument for `x` cannot be table `t`"]);
    refuses(&text("b = same(d)"), &["4: the argument for `x` cannot be control `D`"]);
}

#[test]
fn instances_determine_their_type_arguments() {
    accepts("extern E<T> { E(T x); T get(); } control C(out bit<8> b) { E(8w1) e; apply { b = e.get(); } }");
    refuses("extern E<A, B> { E(A x); B get(); }\nE(8w1) e;", &["2: the type parameter `B` cannot be inferred"]);
    refuses(
        "control T<H>(inout H h); control D<H>(inout H h) { apply { } }\npackage P<H>(T<H> t = D<H>());\nP() main;",
        &["3: the type parameter `H` cannot be inferred"],
    );
    accepts("control T<H>(inout H h); package P<H>(@optional T<H> t); P() main;");
}

#[test]
fn refuses_ambiguous_calls() {
    refuses(
        "extern E { E(); void f<T>(out T a); void f<T>(out T b); } control C() { E() e; apply { bit<8> x;\n\
         e.f(a = x); e.f(x); } }",
        &["2: it is not clear which `f` is called"],
    );
}

#[test]
fn constructor_arguments_are_known_and_of_their_type() {
    refuses(
        "extern W { } extern W make(bit<8> x); control D()(W w) { apply { } }
control C(in bit<8> x) { D(make(1)) a;\nD(make(x)) b; apply { a.apply(); } }",
        &["3: the argument for `w` must be known when the program is compiled"],
    );
    refuses(
        "parser P(); control T(); control B() { apply { } }\ncontrol C()(P p) { apply { } }\ncontrol D()(B b) { \
         apply { } }\ncontrol F()(@optional bit<8> x) { apply { } }\nextern E { E(T t); }",
        &[
            "2: a control has no parser of its own",
            "3: a parameter cannot be control `B`, which has a body",
            "4: `@optional` is only for what architectures declare",
            "5: a parameter cannot be control `T`",
        ],
    );
}

#[test]
fn abstract_methods_are_implemented_as_they_are_declared() {
    let text =
        |method: &str| format!("extern E<T> {{ E(T x); abstract bit<8> f(in T a); }}\nE(16w1) e = {{\n{method} }};");
    accepts(&text("bit<8> f(in bit<16> a) { return 1; }"));
    let wrong = ["3: there is no such abstract method `f` to implement"];
    refuses(&text("bit<8> f(in bit<8> a) { return 1; }"), &wrong);
    refuses(&text("bit<9> f(in bit<16> a) { return 1; }"), &wrong);
    refuses(&text("bit<8> f(inout bit<16> a) { return 1; }"), &wrong);
    refuses(
        "extern E { E();\nabstract int f(); }\npackage P(E e);\nP(E()) main;",
        &["2: a method does not return `int`", "4: an instance of `E` has methods to implement"],
    );
}
