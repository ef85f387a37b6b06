#!/usr/bin/env bash
# Records office.pcap and dns.pcap beside this script: real programs talking between two network namespaces.
#
#     sudo programs/captures/record.sh [directory for the files]
#
# Needs root, and iproute2, ethtool, tcpdump, python3, curl, iperf3, socat, dnsmasq and dig (Debian: apt-get install
# iproute2 ethtool tcpdump python3 curl iperf3 socat dnsmasq-base dnsutils). Takes some 15 seconds.
#
# The namespaces know no other interface than the two ends of one virtual cable, so nothing that is said here leaves
# the machine and nothing of the machine's own traffic is recorded. They are removed at the end, whatever happens.
set -euo pipefail

output=$(realpath "${1:-$(dirname "$0")}")
clients=polyplane-office # 10.77.0.1 to .8
servers=polyplane-rack   # 10.77.0.129 to .132
work=$(mktemp -d)
started=()

cleanup() {
  trap - EXIT
  for process in "${started[@]}"; do kill "$process" 2>/dev/null || true; done
  wait 2>/dev/null || true
  ip netns delete "$clients" 2>/dev/null || true
  ip netns delete "$servers" 2>/dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT

at_clients() { ip netns exec "$clients" "$@"; }
at_servers() { ip netns exec "$servers" "$@"; }
serve() { # a server, until the end
  ip netns exec "$servers" "$@" >"$work/log" 2>&1 &
  started+=($!)
}

# --- the cable ------------------------------------------------------------------------------------------------
ip netns add "$clients"
ip netns add "$servers"
ip -n "$clients" link add office0 address 02:00:0a:4d:00:01 type veth \
  peer name rack0 address 02:00:0a:4d:00:81 netns "$servers"
for host in 1 2 3 4 5 6 7 8; do ip -n "$clients" address add "10.77.0.$host/24" dev office0; done
for host in 129 130 131 132; do ip -n "$servers" address add "10.77.0.$host/24" dev rack0; done
for side in "$clients office0" "$servers rack0"; do
  read -r namespace interface <<<"$side"
  # IPv6's neighbour discovery would be the only other thing on the cable.
  ip netns exec "$namespace" sysctl -q -w net.ipv6.conf.all.disable_ipv6=1 || true
  # Packets as they would be on a wire: no segmentation left to a network card that does not exist.
  ip netns exec "$namespace" ethtool -K "$interface" tso off gso off gro off tx off >/dev/null
  ip -n "$namespace" link set lo up
  ip -n "$namespace" link set "$interface" up
done

# --- the servers ----------------------------------------------------------------------------------------------
mkdir "$work/www"
for kilobytes in 1 2 4 8 16 32 120; do head -c "${kilobytes}000" /dev/zero >"$work/www/$kilobytes"; done
serve python3 -m http.server --directory "$work/www" --bind 10.77.0.129 80
serve python3 -m http.server --directory "$work/www" --bind 10.77.0.130 80
serve iperf3 --server --bind 10.77.0.131
serve socat TCP-LISTEN:7,bind=10.77.0.132,fork,reuseaddr EXEC:cat # the echo service, RFC 862
name_server() { # address, further options
  local address=$1
  shift
  serve dnsmasq --keep-in-foreground --conf-file=/dev/null --no-resolv --no-hosts --bind-interfaces --user=root \
    --pid-file= "--listen-address=$address" --except-interface=lo "$@"
}
# Names of one length, so that answers have one layout. Under .lab, times to live are what they are. Answers for .dyn
# come out of a cache, where they run down.
name_server 10.77.0.129 --server=/dyn/10.77.0.130 --host-record=h1.lab,192.0.2.1,300 \
  --host-record=h2.lab,192.0.2.2,3600 --host-record=h3.lab,192.0.2.3,60 --host-record=h4.lab,192.0.2.4,300 \
  --host-record=h5.lab,192.0.2.5,86400 --host-record=h6.lab,192.0.2.6,20
name_server 10.77.0.130 --host-record=f1.dyn,198.51.100.1,2 --host-record=f2.dyn,198.51.100.2,30
sleep 1

# --- what the clients do --------------------------------------------------------------------------------------
record() { # file name: records until stop_recording
  # 96 bytes hold every header; the lengths of the packets are recorded beside them.
  # Not by at_clients: the process to stop is tcpdump itself, which must write what it still holds.
  ip netns exec "$clients" tcpdump -i office0 -s 96 -B 8192 --immediate-mode -Z root -w "$output/$1" ip \
    2>"$work/tcpdump" &
  recorder=$!
  started+=("$recorder")
  sleep 1
}
stop_recording() {
  sleep 0.5
  kill -TERM "$recorder"
  wait "$recorder" || true
  cat "$work/tcpdump"
}
pause() { sleep "0.$(printf %03d "$1")"; } # milliseconds

fetch() { # address of the client, URL, further options
  local client=$1
  shift
  at_clients curl -s -o /dev/null --max-time 8 --interface "$client" "$@" || true
}
browse() { # client: one page after the other, some from each server
  local sizes=(1 4 2 16 1 8 2 4 32 1 2 8 4 1 16 2)
  for page in "${!sizes[@]}"; do
    local server=$((129 + (page + $1) % 2))
    fetch "10.77.0.$1" "http://10.77.0.$server/${sizes[page]}"
    pause $(((page * 37 + $1 * 53) % 90 + 5))
  done
}
download() { # client, bytes a second
  fetch "10.77.0.$1" http://10.77.0.129/120 --limit-rate "$2"
}
look_up() { # client, how often
  local names=(h1.lab f1.dyn h2.lab h3.lab f2.dyn h4.lab h5.lab h6.lab)
  for ((query = 0; query < $2; query++)); do
    local name=${names[(query * 3 + $1) % 8]}
    at_clients dig -b "10.77.0.$1" @10.77.0.129 +noedns +tries=1 +time=1 "$name" >/dev/null || true
    pause $(((query * 29 + $1 * 41) % 60 + 10))
  done
}
type_slowly() { # client: a person at a terminal, who sees what is typed
  {
    for ((key = 0; key < 25; key++)); do
      printf 'x'
      pause $(((key * 71 + $1 * 13) % 150 + 30))
    done
  } | at_clients socat -t 1 - "TCP:10.77.0.132:7,bind=10.77.0.$1" >/dev/null || true
}
knock() { # from outside, at a door that nobody opened: refused by the client, or dropped by a firewall program
  for port in 22 23 80 443 3389 8080; do
    at_servers curl -s -o /dev/null --max-time 1 --interface 10.77.0.132 "http://10.77.0.$1:$port/" || true
    pause 120
  done
}

office_day() {
  local jobs=()
  for client in 1 2 3 4 5 6 7 8; do
    browse "$client" & jobs+=($!)
  done
  for client in 1 4 7; do
    look_up "$client" 25 & jobs+=($!)
    type_slowly "$client" & jobs+=($!)
  done
  download 2 100k & jobs+=($!)
  download 5 200k & jobs+=($!)
  download 8 400k & jobs+=($!)
  knock 3 & jobs+=($!)
  at_clients iperf3 --client 10.77.0.131 --bind 10.77.0.6 --parallel 2 --bytes 150K >/dev/null || true
  at_clients iperf3 --client 10.77.0.131 --bind 10.77.0.6 --udp --bitrate 2M --length 1200 --time 1 >/dev/null || true
  wait "${jobs[@]}"
}
names_only() {
  local jobs=()
  for client in 1 2 3 4; do
    look_up "$client" 60 & jobs+=($!)
  done
  wait "${jobs[@]}"
}

record office.pcap
office_day
stop_recording
record dns.pcap
names_only
stop_recording
