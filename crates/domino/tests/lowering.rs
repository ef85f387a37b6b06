//! Expected IR of lowered programs: conversions between numbers and truth values, and the code that replaces calls and
//! returns.

mod common;

/// Returns the packet block of a program's IR.
fn lowered(text: &str) -> String {
    let program = common::compile(text).to_string();
    let start = program.find("packet {").expect("every program has a packet part");
    program[start..].trim_end().to_owned()
}

#[test]
fn converts_values_only_where_necessary() {
    let text = "int s; struct Packet { int a; int b; int r; };
        void f(struct Packet p) {
          p.r = (p.a == p.b);
          p.r = p.a == 1 && p.b;
          p.r = !p.a;
          p.r = !(p.a < p.b) & (s == 3);
          p.r = (p.a < p.b) + 1;
          p.r = p.a && 1 ? p.a == 2 : p.b == 2;
          if ((p.a == 1) != (p.b == 1)) s = -1;
          if (0) { } else s = p.a ? 1 : p.a > 2;
        }";
    assert_eq!(
        lowered(text),
        "packet {
  r = int<32>(a == b)
  r = int<32>((a == 1i32) & (b != 0i32))
  r = int<32>(!(a != 0i32))
  r = int<32>((!(a < b)) & (@s == 3i32))
  r = int<32>(a < b) + 1i32
  r = int<32>(((a != 0i32) & true) ? (a == 2i32) : (b == 2i32))
  if (a == 1i32) != (b == 1i32) {
    @s = -1i32
  }
  if false {
  } else {
    @s = (a != 0i32) ? 1i32 : int<32>(a > 2i32)
  }
}"
    );
}

#[test]
fn inlines_calls() {
    let text = "int s; int t[4]; struct Packet { int a; int r; };
        int square(int x) { return x * x; }
        int clamp(int x, int most) { if (x > most) return most; x -= 1; return x; }
        int old(int i) { int v = t[i]; return v; }
        void keep(int what) { s = what; }
        void f(struct Packet p) {
          p.r = square(p.a) + square(p.a + 1);
          p.r = clamp(p.a, 5);
          p.r = p.a ? old(p.a) : 0;
          keep(p.r);
        }";
    assert_eq!(
        lowered(text),
        "packet {
  square.x = a + 1i32
  r = (a * a) + (square.x * square.x)
  clamp.x = a
  if clamp.x > 5i32 {
    clamp.result = 5i32
  } else {
    clamp.x = clamp.x - 1i32
    clamp.result = clamp.x
  }
  r = clamp.result
  if a != 0i32 {
    old.v = @t[a]
    choice = old.v
  } else {
    choice = 0i32
  }
  r = choice
  @s = r
}"
    );
}

#[test]
fn records_returns_inside_nested_branches() {
    let text = "int s; struct Packet { int a; };
        void f(struct Packet p) {
          if (p.a) { if (p.a == 2) return; s = 1; }
          s = 2;
        }";
    assert_eq!(
        lowered(text),
        "packet {
  if a != 0i32 {
    if a == 2i32 {
      done = true
    } else {
      @s = 1i32
    }
  }
  if !done {
    @s = 2i32
  }
}"
    );
}
