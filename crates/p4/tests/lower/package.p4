// Another architecture is named, not guessed.
#include <core.p4>

control Only(inout bit<8> value);
package OneStage(Only only);

control Own(inout bit<8> value) {
    apply { }
}

OneStage(Own()) main;
