#!/usr/bin/env bash
# Runs the exercises of the P4 tutorials in labs, from a checkout. Their scripts get a Python with what they import: scapy, and
# p4runtime-shell with the protobuf that it works with.
set -euo pipefail

tutorials=${1:?"TUTORIALS= names a checkout of p4lang/tutorials"}
shift
environment=target/python-tutorials
for tool in python3 ip ping iperf route arp; do
    command -v $tool >/dev/null || {
        echo "$tool is missing: apt install python3-venv iproute2 iputils-ping iperf net-tools" >&2
        exit 1
    }
done
if [ ! -e $environment/done ]; then
    python3 -m venv $environment
    $environment/bin/python -m pip install -q --disable-pip-version-check \
        scapy==2.8.0 psutil==7.2.2 p4runtime-shell==0.0.6 protobuf==3.20.3 googleapis-common-protos==1.56.4
    touch $environment/done
fi
packages=$($environment/bin/python -c 'import p4, pathlib; print(pathlib.Path(p4.__file__).parent)')
mkdir -p "$packages/tmp"
touch "$packages/tmp/__init__.py"
cp scripts/lab/p4config_pb2.py "$packages/tmp/"
exec python3 scripts/conformance_lab.py "$tutorials" --polyplane target/release/polyplane \
    --python $environment/bin/python3 "$@"
