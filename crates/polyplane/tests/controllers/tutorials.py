"""Runs a controller of the P4 tutorials, unmodified, until it has read its counters.

The tutorials' library needs the message p4.tmp.P4DeviceConfig, which no package of PyPI has: it is declared here by its two
fields that the library sets.
"""

import runpy
import sys
import time
import types

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
import p4

Field = descriptor_pb2.FieldDescriptorProto
declared = descriptor_pb2.FileDescriptorProto(name="p4/tmp/p4config.proto", package="p4.tmp", syntax="proto3")
message = declared.message_type.add(name="P4DeviceConfig")
message.field.add(name="reassign", number=1, type=Field.TYPE_BOOL, label=Field.LABEL_OPTIONAL)
message.field.add(name="device_data", number=3, type=Field.TYPE_BYTES, label=Field.LABEL_OPTIONAL)
pool = descriptor_pool.Default()
pool.Add(declared)
found = pool.FindMessageTypeByName("p4.tmp.P4DeviceConfig")
package, module = types.ModuleType("p4.tmp"), types.ModuleType("p4.tmp.p4config_pb2")
package.p4config_pb2 = module
module.P4DeviceConfig = message_factory.MessageFactory(pool).GetPrototype(found)
sys.modules.update({"p4.tmp": package, "p4.tmp.p4config_pb2": module})

# The controller reads its counters every two seconds until somebody interrupts it.
turns = iter(range(2))


def sleep(_):
    if next(turns, None) is None:
        raise KeyboardInterrupt


time.sleep = sleep
sys.path.insert(0, sys.argv[1])
sys.argv = sys.argv[2:]
runpy.run_path(sys.argv[0], run_name="__main__")
