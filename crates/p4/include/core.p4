// The declarations that every P4_16 program may use: language specification 1.2.5, appendix "P4 core library".
// The names are the specification's; how each behaves is what Polyplane's interpreter does.

// The guard has the name that core libraries in circulation use, so that a program that brings its own copy along
// does not get both.
#ifndef _CORE_P4_
#define _CORE_P4_

// Why a parser gave a packet up (section 13.8 of the specification). A program may add errors of its own.
error {
    NoError,
    PacketTooShort,         // `extract`, `lookahead` or `advance` beyond the end of the packet
    NoMatch,                // no case of a `select` fits
    StackOutOfBounds,       // a header stack is full, or an element beyond its end was named
    HeaderTooShort,         // a `varbit` field is to take more bits than it has
    ParserTimeout,          // the parser went through more states than the target allows
    ParserInvalidArgument   // a size that the target cannot extract, such as a broken byte
}

// The packet as a parser reads it: bits, from the first to the last.
extern packet_in {
    // Fills a header of fixed size, makes it valid and moves on behind it.
    void extract<T>(out T hdr);
    // The same for a header with one `varbit` field, which becomes as many bits long as the second argument says.
    void extract<T>(out T variableSizeHeader, in bit<32> variableFieldSizeInBits);
    // The next bits as a value of type T, without moving on.
    T lookahead<T>();
    // Moves on without reading.
    void advance(in bit<32> sizeInBits);
    // Bytes of the whole packet. Some targets do not know them before the end of the packet is there.
    bit<32> length();
}

// The packet as a deparser writes it.
extern packet_out {
    // Appends a header if it is valid, and of a stack, a union or a struct the valid headers in it, in order.
    void emit<T>(in T hdr);
}

// Ends the parser in its state `reject` with this error if `check` is false.
extern void verify(in bool check, in error toSignal);

// Does nothing: what tables default to.
@noWarn("unused")
action NoAction() {
}

// How a key of a table is compared with its entries: with all bits, with the bits of a mask, with the first bits, of
// which more are better.
match_kind {
    exact,
    ternary,
    lpm
}

// A condition that must hold when the program is compiled; otherwise it is refused, with the message.
extern bool static_assert(bool check, string message);
extern bool static_assert(bool check);

#endif
