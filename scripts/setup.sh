#!/usr/bin/env bash
# Sees that the tools to build with are there: a C linker and stable Rust. Everything else comes by cargo. With the
# argument `tests`, also that those are there which tests hold Polyplane against: Wireshark's tshark, what makes a
# network namespace, what hosts say to each other through `polyplane live`, a browser that renders the reports, and the
# published descriptors of P4Runtime's messages, and controllers of others. With `tests outside`, also what is started only around a virtual
# switch: QEMU with a kernel for its guests, podman, and a container in which systemd boots.
# Tests say so and pass where they are missing, so that nobody must install them.
set -euo pipefail

lowest=1.93 # edition 2024, and the lowest version that the libraries in Cargo.lock ask for

install_packages() {
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@"
    else
        echo "please install: $*" >&2
        exit 1
    fi
}

missing=()
command -v cc >/dev/null || missing+=(build-essential)
command -v cargo >/dev/null || missing+=(rustup)
[ ${#missing[@]} = 0 ] || install_packages "${missing[@]}"
[[ " ${missing[*]-} " != *" rustup "* ]] || rustup default stable
version=$(cargo --version | awk '{print $2}')
if [ "$(printf '%s\n%s\n' "$lowest" "$version" | sort -V | head -n 1)" != "$lowest" ]; then
    echo "Rust $lowest or later is needed, this is $version: 'rustup update stable' brings it" >&2
    exit 1
fi

if [ "${1:-}" = tests ]; then
    missing=()
    command -v tshark >/dev/null || missing+=(tshark)
    command -v ip >/dev/null || missing+=(iproute2)
    command -v unshare >/dev/null || missing+=(util-linux)
    command -v ping >/dev/null || missing+=(iputils-ping)
    command -v ethtool >/dev/null || missing+=(ethtool)
    command -v iperf3 >/dev/null || missing+=(iperf3)
    # The exercises of the P4 tutorials (`make conformance-lab`) measure with iperf 2, and their hosts use route and arp.
    command -v iperf >/dev/null || missing+=(iperf)
    { command -v route && command -v arp; } >/dev/null || missing+=(net-tools)
    command -v nginx >/dev/null || missing+=(nginx-light)
    command -v wrk >/dev/null || missing+=(wrk)
    command -v redis-server >/dev/null || missing+=(redis-server)
    command -v redis-benchmark >/dev/null || missing+=(redis-tools)
    command -v memcached >/dev/null || missing+=(memcached)
    # QEMU, podman and what they need take 300 MB: only who asks for them gets them.
    if [ "${2:-}" = outside ]; then
        command -v qemu-system-x86_64 >/dev/null || missing+=(qemu-system-x86)
        command -v busybox >/dev/null || missing+=(busybox-static)
        command -v podman >/dev/null || missing+=(podman crun)
        [ -x /usr/lib/cni/host-local ] || missing+=(containernetworking-plugins)
        command -v systemd-nspawn >/dev/null || missing+=(systemd-container)
    fi
    command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null ||
        missing+=(chromium)
    if [ ${#missing[@]} -gt 0 ]; then
        (install_packages "${missing[@]}") || echo "without ${missing[*]} some tests are skipped" >&2
    fi
    # The kernel of guests in QEMU is unpacked and not installed.
    if [ "${2:-}" = outside ] && [ ! -f target/guest-kernel/vmlinuz ]; then
        (
            set -e
            target=$PWD/target/guest-kernel
            cd "$(mktemp -d)"
            trap 'rm -rf "$PWD"' EXIT
            apt-get update -qq
            package=$(apt-cache depends linux-image-cloud-amd64 | awk '/Depends: linux-image/ { print $2; exit }')
            apt-get download -qq "$package"
            dpkg-deb --extract ./*.deb .
            mkdir -p "$target"
            find . \( -name virtio.ko -o -name 'virtio_[rpn]*.ko' -o -name '*failover.ko' \) -exec cp {} "$target" \;
            cp boot/vmlinuz-* "$target/vmlinuz"
        ) || echo "without the kernel of Debian's package linux-image-cloud-amd64 no guests run in QEMU" >&2
    fi
    # Wheels are archives that tests read; nothing is installed.
    python3 -m pip download -q --no-deps --disable-pip-version-check -d target/wheels \
        p4runtime==1.6.0 googleapis-common-protos==1.56.4 protobuf==3.20.3 ||
        echo "without pip and PyPI the messages of P4Runtime are held against nothing" >&2
    # Controllers that others have written, each with the protobuf that it wants.
    environment() {
        [ -x "target/python/$1/bin/python" ] || python3 -m venv "target/python/$1" || return
        "target/python/$1/bin/python" -m pip install -q --disable-pip-version-check "${@:2}"
    }
    # The messages of p4runtime 1.4.1 are those that this protobuf takes; ptf brings none of its own.
    { environment finsy finsy==0.30.0 && environment shell p4runtime-shell==0.0.6 'protobuf<3.21' &&
        environment ptf ptf==0.12.0 p4runtime==1.4.1 'protobuf<3.21'; } ||
        echo "without python3-venv and PyPI no other controllers are tried" >&2
fi
