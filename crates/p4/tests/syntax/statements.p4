// Every kind of statement, and the order in which operators bind.
struct point { bit<8> x; bit<8> y; }
header h_t { bit<8> f; }
extern bit<8> read<T>(in T from);
control c(inout point p, inout h_t[4] hs) {
    action act(bit<8> n) { }
    apply @atomic {
        bit<8> a = 1;
        bit<8> b;
        @note(anything "goes" ( 1w1 ) ]) bit<8>[2] pair;
        const bit<8> two = 2;
        ;
        p.x = a; a += 1; a -= 1; a *= 2; a /= 2; a %= 2; a &= 1; a |= 1; a ^= 1; a <<= 1; a >>= 1; a |+|= 1; a |-|= 1;
        (p.y) = 3;
        hs[a + 1].f[7:4] = p.x[3+:4];
        a = a + b * 2 - two;
        a = a - (b - 1);
        a = (a | b) ^ 1 & ~b;
        a = a ++ b == 3 && !(b > 1) || a << 2 >> 1 != 0 ? -a : b < 2 ? + +b : (bit<8>)p.y;
        a = (bit<8>)(-b).f(1) + read<bit<8>>(b) + read<point>({x = 1, ...});
        a = a < b > (1) ? 1 : 2;
        if (p == {x = 1, y = 2,}) { } else if (a > b) act(1); else { hs[0] = {#}; }
        p = (point){1, ...};
        hs.push_front(1);
        act(n = _);
        .act(two);
        @unroll for (bit<8> i = 0, bit<8> j = 2; i < 3; i += 1, act(j)) { break; }
        for (; true; ) continue;
        for (bit<8> i in 1 .. two) { }
        for (@x point q in {p, {1, 2}}) { q.x = 1; }
        switch (a) { 1: 2: { a = 3; } (two): { exit; } default: { return; } }
        h_t later;
        later.setValid();
        @here { return; }
    }
}
bit<8> f(in bit<8> key, in bit<8> type, in bit<8> state) { return key + type * state; }
