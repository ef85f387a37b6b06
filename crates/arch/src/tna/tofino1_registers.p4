// The registers and register actions of TNA.

#ifndef _TOFINO1_REGISTERS_P4_
#define _TOFINO1_REGISTERS_P4_

// An array of `size` registers. The data plane reads and writes it through register actions.
extern Register<T, I> {
    Register(bit<32> size);
    Register(bit<32> size, T initial_value);
    T read(in I index);
    T write(in I index, in T value);
}

// One register for each entry of the table whose property `registers` names it.
extern DirectRegister<T> {
    DirectRegister();
    DirectRegister(T initial_value);
    T read();
    T write(in T value);
}

// One read and one write of a register, between which `apply` computes the new value and a result.
extern RegisterAction<T, I, U> {
    RegisterAction(Register<_, _> reg);

    // Runs `apply` on the register with an index, and returns its result.
    U execute(in I index);

    // Runs `apply` on the register behind the one of the previous call.
    U execute_log();

    @synchronous(execute, execute_log)
    abstract void apply(inout T value, @optional out U rv);

    // Within `apply`: 4 bits, the one whose number the two conditions make, the second above the first, being 1.
    U predicate(@optional in bool cmplo, @optional in bool cmphi);
}

// A register action on the register of the entry that matched.
extern DirectRegisterAction<T, U> {
    DirectRegisterAction(DirectRegister<T> reg);

    // Runs `apply` on the register of the entry, and returns its result.
    U execute();

    @synchronous(execute)
    abstract void apply(inout T value, @optional out U rv);

    // Within `apply`, as in `RegisterAction`.
    U predicate(@optional in bool cmplo, @optional in bool cmphi);
}

#endif
