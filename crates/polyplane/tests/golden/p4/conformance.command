# command: polyplane conformance --compiler $FOLDER/collection --tutorials $FOLDER/collection --tutorial-tests $FOLDER/collection/tests --commit 0123abcd --threads 3
# command: polyplane conformance --compiler $FOLDER/collection --suites samples,translated --only hub --json
# command: polyplane conformance --compiler $FOLDER/collection --suites errors --report $OUT/table.md
# command: polyplane conformance --compiler $FOLDER/collection --only hubb --report $OUT/table.md
# command: polyplane conformance --compiler $FOLDER/collection --suites dash
# command: polyplane conformance
# command: polyplane conformance --compiler $FOLDER --suites sample
# command: polyplane conformance --compiler $FOLDER
