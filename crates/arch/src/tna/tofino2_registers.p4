// The registers and register actions of T2NA. An action is one read and one write of a register, between which `apply`
// computes the new value and up to four results.

#ifndef _TOFINO2_REGISTERS_P4_
#define _TOFINO2_REGISTERS_P4_

// An array of `size` registers. The data plane reads and writes it through register actions. `clear` writes a value to
// all of them over a time in which actions read `busy`.
extern Register<T, I> {
    Register(bit<32> size);
    Register(bit<32> size, T initial_value);
    T read(in I index);
    T write(in I index, in T value);
    void clear(in T value, @optional in T busy);
}

// One register for each entry of the table whose property `registers` names it.
extern DirectRegister<T> {
    DirectRegister();
    DirectRegister(T initial_value);
    T read();
    T write(in T value);
    void clear(in T value, @optional in T busy);
}

// What the body of a register action can return beside the values that it computes. `address` is the index of the
// register, with `subword` of one of its halves; `predicate` has 16 bits, the one whose number the conditions make,
// the last condition first, being 1. TYPE is empty in the externs whose results are of one type.
#define _ADDRESS_AND_PREDICATE(TYPE) \
    U address TYPE(@optional bit<1> subword); \
    U predicate TYPE( \
        @optional in bool cmp0, @optional in bool cmp1, @optional in bool cmp2, @optional in bool cmp3);

// The least and the greatest of the bytes, or of the halfwords, of the register that `mask` selects, and which it is.
#define _LEAST_AND_GREATEST \
    bit<8> min8<I>(in I val, in bit<16> mask, @optional out bit<4> index); \
    bit<8> max8<I>(in I val, in bit<16> mask, @optional out bit<4> index); \
    bit<16> min16<I>(in I val, in bit<8> mask, @optional out bit<3> index); \
    bit<16> max16<I>(in I val, in bit<8> mask, @optional out bit<3> index);

// The same of a whole row of registers; `postmod` is added to the one that was found.
#define _LEAST_AND_GREATEST_OF_ROWS(POSTMOD) \
    bit<8> min8(in bit<128> val, in bit<16> mask, @optional out bit<4> index, @optional in POSTMOD postmod); \
    bit<8> max8(in bit<128> val, in bit<16> mask, @optional out bit<4> index, @optional in POSTMOD postmod); \
    bit<16> min16(in bit<128> val, in bit<8> mask, @optional out bit<3> index, @optional in POSTMOD postmod); \
    bit<16> max16(in bit<128> val, in bit<8> mask, @optional out bit<3> index, @optional in POSTMOD postmod);

// A register action. Registers can also be a first-in-first-out queue or a stack, whose pointers the chip keeps.
extern RegisterAction<T, H, U> {
    RegisterAction(Register<_, _> reg);

    // Runs `apply` on the register with an index, and returns its first result.
    U execute(@optional in H index, @optional out U rv2, @optional out U rv3, @optional out U rv4);

    // Runs `apply` on the register behind the one of the previous call.
    U execute_log(@optional out U rv2, @optional out U rv3, @optional out U rv4);

    // Runs `apply` on the next free register of a queue, and takes it.
    U enqueue(@optional out U rv2, @optional out U rv3, @optional out U rv4);

    // Runs `apply` on the oldest register of a queue, and frees it.
    U dequeue(@optional out U rv2, @optional out U rv3, @optional out U rv4);

    // Runs `apply` on the next free register of a stack, and takes it.
    U push(@optional out U rv2, @optional out U rv3, @optional out U rv4);

    // Runs `apply` on the latest register of a stack, and frees it.
    U pop(@optional out U rv2, @optional out U rv3, @optional out U rv4);

    // Runs `apply` on all registers, over a time in which actions read `busy`.
    void sweep(@optional in U busy);

    @synchronous(execute, execute_log, enqueue, dequeue, push, pop, sweep)
    abstract void apply(
        inout T value, @optional out U rv1, @optional out U rv2, @optional out U rv3, @optional out U rv4);

    // What happens instead where a queue or stack has no free register.
    @synchronous(enqueue, push)
    @optional abstract void overflow(
        @optional inout T value, @optional out U rv1, @optional out U rv2, @optional out U rv3, @optional out U rv4);

    // What happens instead where a queue or stack is empty.
    @synchronous(dequeue, pop)
    @optional abstract void underflow(
        @optional inout T value, @optional out U rv1, @optional out U rv2, @optional out U rv3, @optional out U rv4);

    _ADDRESS_AND_PREDICATE()
    _LEAST_AND_GREATEST
}

// A register action with two results of different types.
extern RegisterAction2<T, H, U1, U2> {
    RegisterAction2(Register<_, _> reg);
    U1 execute(in H index, out U2 rv2);
    U1 execute_log(out U2 rv2);
    U1 enqueue(out U2 rv2);
    U1 dequeue(out U2 rv2);
    U1 push(out U2 rv2);
    U1 pop(out U2 rv2);

    @synchronous(execute, execute_log, enqueue, dequeue, push, pop)
    abstract void apply(inout T value, out U1 rv1, out U2 rv2);

    @synchronous(enqueue, push)
    @optional abstract void overflow(@optional inout T value, out U1 rv1, out U2 rv2);

    @synchronous(dequeue, pop)
    @optional abstract void underflow(@optional inout T value, out U1 rv1, out U2 rv);

    _ADDRESS_AND_PREDICATE(<U>)
    _LEAST_AND_GREATEST
}

// A register action with three results of different types.
extern RegisterAction3<T, H, U1, U2, U3> {
    RegisterAction3(Register<_, _> reg);
    U1 execute(in H index, out U2 rv2, out U3 rv3);
    U1 execute_log(out U2 rv2, out U3 rv3);
    U1 enqueue(out U2 rv2, out U3 rv3);
    U1 dequeue(out U2 rv2, out U3 rv3);
    U1 push(out U2 rv2, out U3 rv3);
    U1 pop(out U2 rv2, out U3 rv3);

    @synchronous(execute, execute_log, enqueue, dequeue, push, pop)
    abstract void apply(inout T value, out U1 rv1, out U2 rv2, out U3 rv3);

    @synchronous(enqueue, push)
    @optional abstract void overflow(@optional inout T value, out U1 rv1, out U2 rv2, out U3 rv3);

    @synchronous(dequeue, pop)
    @optional abstract void underflow(@optional inout T value, out U1 rv1, out U2 rv2, out U3 rv3);

    _ADDRESS_AND_PREDICATE(<U>)
    _LEAST_AND_GREATEST
}

// A register action with four results of different types.
extern RegisterAction4<T, H, U1, U2, U3, U4> {
    RegisterAction4(Register<_, _> reg);
    U1 execute(in H index, out U2 rv2, out U3 rv3, out U4 rv4);
    U1 execute_log(out U2 rv2, out U3 rv3, out U4 rv4);
    U1 enqueue(out U2 rv2, out U3 rv3, out U4 rv4);
    U1 dequeue(out U2 rv2, out U3 rv3, out U4 rv4);
    U1 push(out U2 rv2, out U3 rv3, out U4 rv4);
    U1 pop(out U2 rv2, out U3 rv3, out U4 rv4);

    @synchronous(execute, execute_log, enqueue, dequeue, push, pop)
    abstract void apply(inout T value, out U1 rv1, out U2 rv2, out U3 rv3, out U4 rv4);

    @synchronous(enqueue, push)
    @optional abstract void overflow(
        @optional inout T value, out U1 rv1, out U2 rv2, out U3 rv3, out U4 rv4);

    @synchronous(dequeue, pop)
    @optional abstract void underflow(
        @optional inout T value, out U1 rv1, out U2 rv2, out U3 rv3, out U4 rv4);

    _ADDRESS_AND_PREDICATE(<U>)
    _LEAST_AND_GREATEST
}

// A register action on the register of the entry that matched.
extern DirectRegisterAction<T, U> {
    DirectRegisterAction(DirectRegister<T> reg);
    U execute(@optional out U rv2, @optional out U rv3, @optional out U rv4);

    @synchronous(execute)
    abstract void apply(
        inout T value, @optional out U rv, @optional out U rv2, @optional out U rv3, @optional out U rv4);

    _ADDRESS_AND_PREDICATE()
    _LEAST_AND_GREATEST
}

// A register action on the register of the entry that matched, with two results of different types.
extern DirectRegisterAction2<T, U1, U2> {
    DirectRegisterAction2(DirectRegister<T> reg);
    U1 execute(out U2 rv2);

    @synchronous(execute)
    abstract void apply(inout T value, out U1 rv1, out U2 rv2);

    _ADDRESS_AND_PREDICATE(<U>)
    _LEAST_AND_GREATEST
}

// A register action on the register of the entry that matched, with three results of different types.
extern DirectRegisterAction3<T, U1, U2, U3> {
    DirectRegisterAction3(DirectRegister<T> reg);
    U1 execute(out U2 rv2, out U3 rv3);

    @synchronous(execute)
    abstract void apply(inout T value, out U1 rv1, out U2 rv2, out U3 rv3);

    _ADDRESS_AND_PREDICATE(<U>)
    _LEAST_AND_GREATEST
}

// A register action on the register of the entry that matched, with four results of different types.
extern DirectRegisterAction4<T, U1, U2, U3, U4> {
    DirectRegisterAction4(DirectRegister<T> reg);
    U1 execute(out U2 rv2, out U3 rv3, out U4 rv4);

    @synchronous(execute)
    abstract void apply(inout T value, out U1 rv1, out U2 rv2, out U3 rv3, out U4 rv4);

    _ADDRESS_AND_PREDICATE(<U>)
    _LEAST_AND_GREATEST
}

// A register action that learns: `digest` is the hash of the packet's key, and `learn` says that the table missed.
extern LearnAction<T, H, D, U> {
    LearnAction(Register<T, H> reg);
    U execute(in H index, @optional out U rv2, @optional out U rv3, @optional out U rv4);

    @synchronous(execute)
    abstract void apply(
        inout T value, in D digest, in bool learn,
        @optional out U rv1, @optional out U rv2, @optional out U rv3, @optional out U rv4);

    _ADDRESS_AND_PREDICATE()
    _LEAST_AND_GREATEST
}

// A register action that learns, with two results of different types.
extern LearnAction2<T, H, D, U1, U2> {
    LearnAction2(Register<T, H> reg);
    U1 execute(in H index, out U2 rv2);

    @synchronous(execute)
    abstract void apply(inout T value, in D digest, in bool learn, out U1 rv1, out U2 rv2);

    _ADDRESS_AND_PREDICATE(<U>)
    _LEAST_AND_GREATEST
}

// A register action that learns, with three results of different types.
extern LearnAction3<T, H, D, U1, U2, U3> {
    LearnAction3(Register<T, H> reg);
    U1 execute(in H index, out U2 rv2, out U3 rv3);

    @synchronous(execute)
    abstract void apply(inout T value, in D digest, in bool learn, out U1 rv1, out U2 rv2, out U3 rv3);

    _ADDRESS_AND_PREDICATE(<U>)
    _LEAST_AND_GREATEST
}

// A register action that learns, with four results of different types.
extern LearnAction4<T, H, D, U1, U2, U3, U4> {
    LearnAction4(Register<T, H> reg);
    U1 execute(in H index, out U2 rv2, out U3 rv3, out U4 rv4);

    @synchronous(execute)
    abstract void apply(inout T value, in D digest, in bool learn, out U1 rv1, out U2 rv2, out U3 rv3, out U4 rv4);

    _ADDRESS_AND_PREDICATE(<U>)
    _LEAST_AND_GREATEST
}

// A register action on a whole row of registers, 128 bits, for its least and greatest parts.
extern MinMaxAction<T, H, U> {
    MinMaxAction(Register<T, _> reg);
    U execute(@optional in H index, @optional out U rv2, @optional out U rv3, @optional out U rv4);

    @synchronous(execute)
    abstract void apply(
        inout bit<128> value, @optional out U rv1, @optional out U rv2, @optional out U rv3, @optional out U rv4);

    _ADDRESS_AND_PREDICATE()
    _LEAST_AND_GREATEST_OF_ROWS(int<8>)
}

// A register action on a whole row of registers, with two results of different types.
extern MinMaxAction2<T, H, U1, U2> {
    MinMaxAction2(Register<T, _> reg);
    U1 execute(@optional in H index, out U2 rv2);

    @synchronous(execute)
    abstract void apply(inout bit<128> value, out U1 rv1, out U2 rv2);

    _ADDRESS_AND_PREDICATE(<U>)
    _LEAST_AND_GREATEST_OF_ROWS(int<9>)
}

// A register action on a whole row of registers, with three results of different types.
extern MinMaxAction3<T, H, U1, U2, U3> {
    MinMaxAction3(Register<T, _> reg);
    U1 execute(@optional in H index, out U2 rv2, out U3 rv3);

    @synchronous(execute)
    abstract void apply(inout bit<128> value, out U1 rv1, out U2 rv2, out U3 rv3);

    _ADDRESS_AND_PREDICATE(<U>)
    _LEAST_AND_GREATEST_OF_ROWS(int<9>)
}

// A register action on a whole row of registers, with four results of different types.
extern MinMaxAction4<T, H, U1, U2, U3, U4> {
    MinMaxAction4(Register<T, _> reg);
    U1 execute(@optional in H index, out U2 rv2, out U3 rv3, out U4 rv4);

    @synchronous(execute)
    abstract void apply(inout bit<128> value, out U1 rv1, out U2 rv2, out U3 rv3, out U4 rv4);

    _ADDRESS_AND_PREDICATE(<U>)
    _LEAST_AND_GREATEST_OF_ROWS(int<9>)
}

#endif
