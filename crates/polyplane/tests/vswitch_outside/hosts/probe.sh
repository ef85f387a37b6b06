#!/bin/sh
# Runs inside of a container that systemd has booted, and says at the end whether the unit does what its file says.
set -e
exec > /result/log 2>&1
unit=polyplane-vswitch@host
said=$(systemd-analyze verify --man=no "$unit.service" 2>&1) || true
[ -z "$said" ] || { echo "systemd-analyze verify: $said"; exit 1; }
for number in 1 2; do
    ip netns add "guest$number"
    ip link add "guest$number" type veth peer name eth0 netns "guest$number"
    ip link set "guest$number" up
    ip -n "guest$number" link set eth0 address "02:00:00:00:00:0$number" up
    ip -n "guest$number" address add "10.0.1.$number/24" dev eth0
done
pings() {
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        ip netns exec guest1 ping -q -c 1 -W 1 10.0.1.2 > /dev/null && return 0
    done
    echo "no ping comes back $1"
    exit 1
}
applied() { /usr/bin/polyplane vswitch show switch --json --socket /run/polyplane/host.vswitch | tr -d ' \n'; }

systemctl start "$unit"
pings "after the start"
echo "# the same" >> /etc/polyplane/host.toml
systemctl reload "$unit"
applied | grep -q '"applied":1' || { echo "the file was not applied again: $(applied)"; exit 1; }
cp /etc/polyplane/host.toml /etc/polyplane/good
echo "nonsense = 1" > /etc/polyplane/host.toml
! systemctl reload "$unit" || { echo "a bad file was applied"; exit 1; }
systemctl is-active -q "$unit"
pings "after a bad file"
cp /etc/polyplane/good /etc/polyplane/host.toml
before=$(systemctl show -p MainPID --value "$unit")
kill -9 "$before"
for _ in 1 2 3 4 5 6 7 8 9 10; do
    [ "$(systemctl show -p MainPID --value "$unit")" != 0 ] && [ "$(systemctl show -p MainPID --value "$unit")" != "$before" ] && break
    sleep 0.5
done
pings "after a kill"
before=$(systemctl show -p MainPID --value "$unit")
systemctl kill --kill-whom=main -s USR2 "$unit"
for _ in 1 2 3 4 5 6 7 8 9 10; do
    [ "$(systemctl show -p MainPID --value "$unit")" != "$before" ] && break
    sleep 0.5
done
after=$(systemctl show -p MainPID --value "$unit")
{ [ "$after" != "$before" ] && [ "$after" != 0 ]; } || { echo "nobody took over from $before: $after"; journalctl -u "$unit"; exit 1; }
sleep 1
systemctl is-active -q "$unit" || { echo "the unit has ended with the process that was taken over from"; exit 1; }
[ ! -e "/proc/$before" ] || { echo "the old process is left"; exit 1; }
pings "after an upgrade"
systemctl stop "$unit"
[ "$(systemctl show -p Result --value "$unit")" = success ] || { echo "it did not end well"; systemctl status "$unit"; exit 1; }
[ ! -e /run/polyplane/host.vswitch ] || { echo "its socket is left"; exit 1; }
[ -d /var/log/polyplane/host ] || { echo "there is no folder of flow logs"; exit 1; }
echo "everything is as it should be"
