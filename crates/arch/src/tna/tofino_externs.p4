// The externs and functions that both native architectures declare alike. The header that includes this one declares
// Register, and defines _TRUE_EGRESS_ACCOUNTING, a further parameter of counters and meters, or leaves it empty.

#ifndef _TOFINO_EXTERNS_P4_
#define _TOFINO_EXTERNS_P4_

#include <tofino_base.p4>

// The Internet checksum (RFC 1071), 16 bits wide. A parser verifies a header with it, or leaves in it what the rest of
// a packet sums to; a deparser computes it anew.
extern Checksum {
    Checksum();

    // In a parser: adds fields, which begin and end at bytes.
    void add<T>(in T data);

    // In a parser: subtracts fields, which begin and end at bytes.
    void subtract<T>(in T data);

    // In a parser: returns true if what was added is wrong, that is, does not contain its own correct checksum.
    bool verify();

    // In a parser: subtracts all that is extracted from here on, and leaves the rest in `residual`, as `get` does.
    void subtract_all_and_deposit<T>(out T residual);

    // In a parser: returns the sum of what was added, less what was subtracted; `update` takes it as one more field.
    bit<16> get();

    // In a deparser: returns the checksum of fields; with `zeros_as_ones`, 0xffff in place of 0 (as UDP wants it).
    bit<16> update<T>(in T data, @optional in bool zeros_as_ones);
}

// The priority of a packet in front of the ingress parser: where the buffer there is full, packets below a threshold
// are dropped.
extern ParserPriority {
    ParserPriority();
    void set(in bit<3> prio);
}

// The polynomial of a cyclic redundancy check: its coefficients without the greatest, whether bits are reflected,
// whether the last bit goes first, whether the value is extended, and the values to begin with and to xor at the end.
extern CRCPolynomial<T> {
    CRCPolynomial(T coeff, bool reversed, bool msb, bool extended, T init, T xor);
}

// A hash function. Where it computes more bits than W has, they are the last ones. As the property `proxy_hash` of a
// table, it makes the table match the hash of its keys.
extern Hash<W> {
    Hash(HashAlgorithm_t algo);
    Hash(HashAlgorithm_t algo, CRCPolynomial<_> poly);

    // Returns the hash of a list of fields.
    W get<D>(in D data);

    // Returns a number from `base` on: `base` and the rest of the hash that `max` leaves.
    W get<D>(in D data, in W base, in W max);
}

// Random numbers, of which all that W can hold are equally likely.
extern Random<W> {
    Random();
    W get();
}

// The greater of two values.
extern T max<T>(in T t1, in T t2);

// The lesser of two values.
extern T min<T>(in T t1, in T t2);

// Makes a field of the metadata invalid: what its consumer does with a value that was never assigned is what happens.
extern void invalidate<T>(in T field);

// Returns true if a header is valid, or a field was assigned and not invalidated.
extern bool is_validated<T>(in T field);

// Extracts the metadata of the port that stands in front of a packet in ingress, as the fields of T.
extern T port_metadata_unpack<T>(packet_in pkt);

// The size of a header in bits.
extern bit<32> sizeInBits<H>(in H h);

// The size of a header in bytes.
extern bit<32> sizeInBytes<H>(in H h);

// An array of `size` counters of W. `adjust_byte_count` is subtracted from the length of the packet.
extern Counter<W, I> {
    Counter(bit<32> size, CounterType_t type _TRUE_EGRESS_ACCOUNTING);
    void count(in I index, @optional in bit<32> adjust_byte_count);
}

// One counter for each entry of the table whose property `counters` names it.
extern DirectCounter<W> {
    DirectCounter(CounterType_t type _TRUE_EGRESS_ACCOUNTING);
    void count(@optional in bit<32> adjust_byte_count);
}

// An array of `size` meters with two rates (RFC 2698). They return a `MeterColor_t`, or the values that the constructor
// gives to the colours. With a `color`, a meter takes it as the colour that the packet has (color-aware), or else as
// green. `adjust_byte_count` is subtracted from the length of the packet.
extern Meter<I> {
    Meter(bit<32> size, MeterType_t type _TRUE_EGRESS_ACCOUNTING);
    Meter(bit<32> size, MeterType_t type, bit<8> red, bit<8> yellow, bit<8> green _TRUE_EGRESS_ACCOUNTING);
    bit<8> execute(in I index, in MeterColor_t color, @optional in bit<32> adjust_byte_count);
    bit<8> execute(in I index, @optional in bit<32> adjust_byte_count);
}

// One meter for each entry of the table whose property `meters` names it.
extern DirectMeter {
    DirectMeter(MeterType_t type _TRUE_EGRESS_ACCOUNTING);
    DirectMeter(MeterType_t type, bit<8> red, bit<8> yellow, bit<8> green _TRUE_EGRESS_ACCOUNTING);
    bit<8> execute(in MeterColor_t color, @optional in bit<32> adjust_byte_count);
    bit<8> execute(@optional in bit<32> adjust_byte_count);
}

// An array of `size` low-pass filters: each returns the moving average, or the rate, of the values that it is given.
extern Lpf<T, I> {
    Lpf(bit<32> size);
    T execute(in T val, in I index);
}

// One low-pass filter for each entry of the table whose property `filters` names it.
extern DirectLpf<T> {
    DirectLpf();
    T execute(in T val);
}

// An array of `size` instances of weighted random early detection: each averages the values that it is given, and
// returns `drop_value` the more often the greater the average is, and else `no_drop_value`.
extern Wred<T, I> {
    Wred(bit<32> size, bit<8> drop_value, bit<8> no_drop_value);
    bit<8> execute(in T val, in I index);
}

// One instance of weighted random early detection for each entry of the table whose property `filters` names it.
extern DirectWred<T> {
    DirectWred(bit<8> drop_value, bit<8> no_drop_value);
    bit<8> execute(in T val);
}

// A number that register actions read and only the control plane changes.
extern RegisterParam<T> {
    RegisterParam(T initial_value);
    T read();
}

// What a math unit computes of x.
enum MathOp_t {
    MUL,                                    // x
    SQR,                                    // x squared
    SQRT,                                   // the square root of x
    DIV,                                    // 1/x
    RSQR,                                   // 1/(x squared)
    RSQRT                                   // 1/(the square root of x)
}

// A function that a register action can apply, approximated by a table of 16 numbers: x is a number from 1 to less than 2
// (from a half, if the exponent is halved) times a power of two; eight times the number chooses one, and the exponent says
// how far it is shifted.
extern MathUnit<T> {
    // By the table itself, from the entry of 15 to that of 0. `shift` is what happens to the exponent: doubled (1),
    // kept (0) or halved (-1), negated with `invert`; 2 to the power of `scale` is a factor.
    MathUnit(bool invert, int<2> shift, int<6> scale, tuple<
        bit<8>, bit<8>, bit<8>, bit<8>,
        bit<8>, bit<8>, bit<8>, bit<8>,
        bit<8>, bit<8>, bit<8>, bit<8>,
        bit<8>, bit<8>, bit<8>, bit<8>> data);

    // Computes `factor` times the operation.
    MathUnit(MathOp_t op, int factor);

    // Computes A/B times the operation.
    MathUnit(MathOp_t op, int A, int B);

    T execute(in T x);
}

// For the property `implementation` of a table: its entries name members, each an action with its data.
extern ActionProfile {
    ActionProfile(bit<32> size);
}

// An action profile whose entries may name groups of members: the hash of the keys of kind `selector` chooses one. With
// a register, a bit a member says whether it is there, and a `SelectorAction` can write it.
extern ActionSelector {
    ActionSelector(
        ActionProfile action_profile,
        Hash<_> hash,
        SelectorMode_t mode,
        bit<32> max_group_size,
        bit<32> num_groups);
    ActionSelector(
        ActionProfile action_profile,
        Hash<_> hash,
        SelectorMode_t mode,
        Register<bit<1>, _> reg,
        bit<32> max_group_size,
        bit<32> num_groups);
    @deprecated("pass an ActionProfile")
    ActionSelector(bit<32> size, Hash<_> hash, SelectorMode_t mode);
    @deprecated("pass an ActionProfile")
    ActionSelector(bit<32> size, Hash<_> hash, SelectorMode_t mode, Register<bit<1>, _> reg);
}

// One read and one write of the bit that says whether a member of a selector is there.
extern SelectorAction {
    SelectorAction(ActionSelector sel);

    // Runs `apply` on the bit with an index, and returns its result.
    bit<1> execute(@optional in bit<32> index);

    @synchronous(execute)
    abstract void apply(inout bit<1> value, @optional out bit<1> rv);
}

// A mirror: where `mirror_type` selects it, the deparser sends a copy of the packet, as it arrived in ingress or as it
// leaves egress, to a session, with a header in front.
extern Mirror {
    @deprecated("pass the value of mirror_type that selects it")
    Mirror();
    Mirror(MirrorType_t mirror_type);
    void emit(in MirrorId_t session_id);
    void emit<T>(in MirrorId_t session_id, in T hdr);
}

// A resubmission: where `resubmit_type` selects it, the packet goes through ingress again as it arrived, with a header
// of at most PORT_METADATA_SIZE bits where the metadata of the port was.
extern Resubmit {
    @deprecated("pass the value of resubmit_type that selects it")
    Resubmit();
    Resubmit(ResubmitType_t resubmit_type);
    void emit();
    void emit<T>(in T hdr);
}

// A digest: where `digest_type` selects it, values are sent to the control plane.
extern Digest<T> {
    @deprecated("pass the value of digest_type that selects it")
    Digest();
    Digest(DigestType_t digest_type);
    void pack(in T data);
}

// For the property `implementation` or `atcam` of a table: a ternary table in partitions, one of which the key of kind
// `atcam_partition_index` selects.
extern Atcam {
    Atcam(@optional bit<32> number_partitions);
}

// For the property `implementation` or `alpm` of a table: longest prefixes, looked for in partitions that the chip
// makes of them.
extern Alpm {
    Alpm(
        @optional bit<32> number_partitions,
        @optional bit<32> subtrees_per_partition,
        @optional bit<32> atcam_subset_width,
        @optional bit<32> shift_granularity);
}

#endif
