"""Prints the protobuf descriptors inside Python wheels, each in hexadecimal on a line of its own.

protoc's Python modules hold the descriptor of their file as a literal of bytes, which is read here without running the
module, so that no version of protobuf for Python is needed.
"""

import ast
import sys
import zipfile


def descriptors(source):
    for call in ast.walk(ast.parse(source)):
        if not isinstance(call, ast.Call):
            continue
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        if name == "AddSerializedFile":
            yield ast.literal_eval(call.args[0])
        elif name == "FileDescriptor":
            yield from (ast.literal_eval(each.value) for each in call.keywords if each.arg == "serialized_pb")


for path, *modules in (argument.split(",") for argument in sys.argv[1:]):
    with zipfile.ZipFile(path) as wheel:
        for module in modules:
            found = list(descriptors(wheel.read(module).decode()))
            assert len(found) == 1, f"{module} holds {len(found)} descriptors"
            print(found[0].hex())
