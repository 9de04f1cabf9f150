#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The network device of a site: ssh, a network block device, Open MPI and tcpdump, as Debian has
# them, in a lab of sixteen sites.
#
#   programs.sh [MIB]	how much ssh copies
# shellcheck disable=SC2317 # functions are called through the helpers
set -u

# shellcheck source=./selftests/net/lib.sh
. "$(dirname "$0")/lib.sh"

mib=${1:-16}
lab=programs$$
ssh_port=2222 nbd_port=10809
nbd=/dev/nbd0
mpi=$bin/mpi
mpi_sites="1 6 11 12"

cleanup()
{
	umount "$work/mount" 2>/dev/null
	[ -z "${nbd_used:-}" ] || nbd-client -d "$nbd" >/dev/null 2>&1
	# shellcheck disable=SC2046 # a word for each job
	kill $(jobs -p) 2>/dev/null
	fc lab down name "$lab"
	rm -rf "$work"
}
trap cleanup EXIT

# skip NAME REASON
skip() { result 0 "$1 # SKIP $2"; }

# lacks PROGRAM...: sets $lacking to the first that is not there
lacks()
{
	for lacking; do
		command -v "$lacking" >/dev/null || return 0
	done
	return 1
}

# Milliseconds since $since, a time as in $EPOCHREALTIME.
passed() { echo $(((${EPOCHREALTIME/[.,]/} - ${since/[.,]/}) / 1000)); }

# sshd at a site, with a host key and a user's key of its own.
start_sshd() # SITE
{
	mkdir -p /run/sshd "$work/ssh" &&
		ssh-keygen -q -t ed25519 -N "" -f "$work/ssh/host" &&
		ssh-keygen -q -t ed25519 -N "" -f "$work/ssh/user" || return
	echo "[$(address "$1")]:$ssh_port $(cut -d ' ' -f 1,2 "$work/ssh/host.pub")" \
		>"$work/ssh/known"
	cat >"$work/ssh/config" <<-END
		Port $ssh_port
		ListenAddress $(address "$1")
		HostKey $work/ssh/host
		AuthorizedKeysFile $work/ssh/user.pub
		PidFile none
		StrictModes no
		PermitRootLogin yes
		PasswordAuthentication no
		Subsystem sftp internal-sftp
	END
	on "$1" "$(command -v sshd)" -D -e -f "$work/ssh/config" 2>"$work/ssh/log" &
	becomes 20 listens "$1" "$ssh_port"
}

# copy FROM TO
copy()
{
	since=$EPOCHREALTIME
	on "$1" timeout 200 scp -q -F none -i "$work/ssh/user" -P "$ssh_port" -o BatchMode=yes \
		-o UserKnownHostsFile="$work/ssh/known" "$work/image" \
		"$(address "$2"):$work/copy" || { cat "$work/ssh/log" >&2; return 1; }
	took=$(passed)
	cmp "$work/image" "$work/copy"
}

# shell SITE COMMAND: the output of a command at another site
shell()
{
	on 0 timeout 60 ssh -F none -i "$work/ssh/user" -p "$ssh_port" -o BatchMode=yes \
		-o UserKnownHostsFile="$work/ssh/known" "$(address "$1")" "$2"
}

# start_nbd SERVER CLIENT: a block device of 32 MiB of one site at another
start_nbd()
{
	truncate -s 32M "$work/disk" || return
	cat >"$work/nbd" <<-END
		[generic]
		listenaddr = $(address "$1")
		port = $nbd_port
		allowlist = true
		[disk]
		exportname = $work/disk
		flush = true
		sync = true
	END
	on "$1" nbd-server -d -C "$work/nbd" >"$work/nbd-log" 2>&1 &
	becomes 20 listens "$1" "$nbd_port" || { cat "$work/nbd-log" >&2; return 1; }
	nbd_used=1
	# The netlink interface of nbd is in the first namespace only.
	on "$2" nbd-client -L -N disk "$(address "$1")" "$nbd_port" "$nbd" >&2 &&
		becomes 10 has_size
}

has_size() { [ "$(blockdev --getsize64 "$nbd")" = $((32 << 20)) ]; }

# Write a file system, and forget what the page cache has of it.
write_disk()
{
	since=$EPOCHREALTIME
	mkdir -p "$work/mount" && mke2fs -q -t ext4 "$nbd" &&
		mount -t ext4 "$nbd" "$work/mount" && cp "$work/small" "$work/mount/file" &&
		umount "$work/mount" && blockdev --flushbufs "$nbd" || return
	took=$(passed)
}

read_disk()
{
	mount -t ext4 -o ro "$nbd" "$work/mount" && cmp "$work/small" "$work/mount/file" &&
		umount "$work/mount"
}

# The server's file has the data, and no damage.
check_disk()
{
	e2fsck -fn "$work/disk" && debugfs -R "dump /file $work/dumped" "$work/disk" &&
		cmp "$work/small" "$work/dumped"
}

stop_nbd() { nbd-client -d "$nbd" && becomes 10 unused; }
unused() { ! nbd-client -c "$nbd"; }

# Open MPI starts its daemon at each site by this in place of ssh; hosts are addresses.
mpi_agent()
{
	cat >"$work/agent" <<-END
		#!/bin/sh
		site=\${1##*.}
		shift
		exec ip netns exec "$lab-\$site" sh -c "\$*"
	END
	chmod +x "$work/agent"
}

run_mpi()
{
	local site hosts=""

	mpi_agent
	for site in $mpi_sites; do
		ip -n "$lab-$site" link set lo up
		hosts+=,$(address "$site")
	done
	since=$EPOCHREALTIME
	on "${mpi_sites%% *}" timeout 120 mpirun --allow-run-as-root --host "${hosts#,}" --bind-to none \
		--mca plm_rsh_agent "$work/agent" --mca mpi_yield_when_idle 1 \
		--mca pml ob1 --mca btl tcp,self --mca btl_tcp_if_include fc0 \
		--mca oob_tcp_if_include fc0 --mca mca_base_component_show_load_errors 0 \
		"$mpi" || return
	took=$(passed)
}

# Has each rank run in a namespace of its own?
mpi_apart()
{
	[ "$(grep -oE 'in net:.*' "$work/mpi" | sort -u | wc -l)" -eq "$(wc -w <<<"$mpi_sites")" ] &&
		grep -q '^all data is right' "$work/mpi"
}

# start_dump SITE COUNT FILTER
start_dump()
{
	on "$1" timeout 60 tcpdump -i fc0 -Z root -U -w "$work/dump" -c "$2" "$3" 2>"$work/dump-log" &
	dumper=$!
	becomes 20 grep -q "listening on fc0" "$work/dump-log"
}

# Prints how tcpdump understands the packets, a line for each: its lines of Ethernet, IP and ICMP are
# joined.
dumped()
{
	tcpdump -nn -e -vv -r "$work/dump" 2>/dev/null |
		awk '/^[0-9]/ && NR > 1 { print "" } { printf "%s ", $0 } END { print "" }'
}

# dump_ping SIZE: five echo requests of that size, and their answers
dump_ping()
{
	local kind

	start_dump 10 10 icmp || { cat "$work/dump-log" >&2; return 1; }
	on 0 ping -q -c 5 -i 0.05 -W 5 -s "$1" "$(address 10)" && wait "$dumper" || return
	dumped >"$work/packets"
	grep -E "cksum 0x[0-9a-f]+ \(|wrong|bad cksum|incorrect|invalid|trunc" "$work/packets" >&2 &&
		return 1
	# Ethernet has 14 bytes, IP has 20, ICMP has 8.
	for kind in request reply; do
		[ "$(grep -E "ethertype IPv4 \(0x0800\), length $(($1 + 42)):" "$work/packets" |
			grep -E "proto ICMP \(1\), length $(($1 + 28))\)" |
			grep -cE "ICMP echo $kind, .* length $(($1 + 8)) ")" -eq 5 ] ||
			{ cat "$work/packets" >&2; return 1; }
	done
}

accepts "lab up: a device at each site" fc lab up torus:4x4 ip name "$lab"
becomes 120 calm 0
result $? "no link is suspected"
becomes 10 carrier 0 && becomes 10 carrier 10
result $? "carrier: links are up"

if lacks ssh scp sshd ssh-keygen; then
	skip "ssh" "needs $lacking"
else
	head -c "${mib}M" /dev/urandom >"$work/image"
	accepts "sshd: listens at site 10" start_sshd 10
	prints "ssh: a command runs at site 10" "10\\.254\\.0\\.0 .* 10\\.254\\.0\\.10 $ssh_port" \
		shell 10 "echo \$SSH_CONNECTION"
	took=0
	accepts "ssh: site 0 copies $mib MiB to site 10" copy 0 10
	echo "# ssh: $mib MiB in $took ms"
fi

if lacks nbd-server nbd-client mke2fs e2fsck debugfs; then
	skip "nbd" "needs $lacking"
elif ! modprobe -q -a nbd ext4; then
	skip "nbd" "needs nbd and ext4 of the kernel"
else
	head -c 8M /dev/urandom >"$work/small"
	took=0
	run start_nbd 15 5
	result "$status" "nbd: site 5 has a block device of site 15"
	accepts "nbd: writes 8 MiB by a file system" write_disk
	echo "# nbd: 8 MiB in $took ms"
	accepts "nbd: reads them back" read_disk
	run check_disk
	result "$status" "nbd: the server has them"
	run stop_nbd
	result "$status" "nbd: disconnects"
fi

if lacks mpirun; then
	skip "Open MPI" "needs $lacking"
elif [ ! -x "$mpi" ]; then
	skip "Open MPI" "needs $mpi: make tests, with mpicc"
else
	took=0
	run run_mpi
	cp "$work/out" "$work/mpi"
	result "$status" "Open MPI: ring, sums and exchanges at sites $mpi_sites"
	grep -h "^all data" "$work/mpi" | sed "s/.*/# Open MPI: & in $took ms/"
	mpi_apart
	result $? "Open MPI: ranks are at different sites"
fi

if lacks tcpdump; then
	skip "tcpdump" "needs $lacking"
else
	accepts "tcpdump: packets of ping, 1000 bytes" dump_ping 1000
	accepts "tcpdump: packets of ping, 20000 bytes" dump_ping 20000
fi
finish
