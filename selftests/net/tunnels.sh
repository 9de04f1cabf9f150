#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tunnels over the network device of a site carry packets as long as its MTU allows: WireGuard, ESP and
# MACsec make a list of a packet's fragments, with limits of their own.
# shellcheck disable=SC2317 # functions are called through the helpers
set -u

# shellcheck source=./selftests/net/lib.sh
. "$(dirname "$0")/lib.sh"

lab=tunnels$$
for program in ping busybox; do
	command -v "$program" >/dev/null || skip_all "needs $program"
done

cleanup()
{
	# shellcheck disable=SC2046 # a word for each job
	kill $(jobs -p) 2>/dev/null
	fc lab down name "$lab"
	rm -rf "$work"
}
trap cleanup EXIT

# MTU that a device on top of fc0 has left, if it adds so many bytes.
beside() { echo $(($(on 0 cat /sys/class/net/fc0/mtu) - $1)); }

# Both ends of a tunnel: 10.99.NET.SITE on device DEVICE.
configure() # DEVICE NET MTU
{
	local site

	for site in 0 1; do
		ip -n "$lab-$site" link set "$1" mtu "$3" up &&
			ip -n "$lab-$site" addr add "10.99.$2.$site/24" dev "$1" || return
	done
}

wireguard()
{
	local site key=()

	for site in 0 1; do
		(umask 077; wg genkey >"$work/key$site") && key+=("$(wg pubkey <"$work/key$site")") || return
	done
	for site in 0 1; do
		ip -n "$lab-$site" link add wg0 type wireguard &&
			on "$site" wg set wg0 listen-port 51820 private-key "$work/key$site" peer "${key[1 - site]}" \
				allowed-ips 10.99.1.0/24 endpoint "$(address $((1 - site))):51820" || return
	done
	# as wg-quick does
	configure wg0 1 "$(beside 80)"
}

# ESP between two more addresses of fc0, so that other packets remain as they are.
esp()
{
	local site other keys=(enc "cbc(aes)" 0x000102030405060708090a0b0c0d0e0f
		auth "hmac(sha256)" 0x000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f)

	for site in 0 1; do
		other=$((1 - site))
		ip -n "$lab-$site" addr add "10.99.2.$site/24" dev fc0 &&
			ip -n "$lab-$site" xfrm state add src "10.99.2.$site" dst "10.99.2.$other" proto esp \
				spi $((256 + site)) mode transport "${keys[@]}" &&
			ip -n "$lab-$site" xfrm state add src "10.99.2.$other" dst "10.99.2.$site" proto esp \
				spi $((256 + other)) mode transport "${keys[@]}" &&
			ip -n "$lab-$site" xfrm policy add dir out src "10.99.2.$site" dst "10.99.2.$other" \
				tmpl proto esp mode transport &&
			ip -n "$lab-$site" xfrm policy add dir in src "10.99.2.$other" dst "10.99.2.$site" \
				tmpl proto esp mode transport || return
	done
}

mac() { on "$1" cat /sys/class/net/fc0/address; }

over_macsec()
{
	macsec 0 fc0 "$(mac 1)" && macsec 1 fc0 "$(mac 0)" && configure sec0 3 "$(beside 32)"
}

make_image 1M
accepts "lab up: two sites with devices" fc lab up line:2 ip name "$lab"
becomes 10 carrier 0
result $? "carrier"
net=0
for tunnel in wireguard esp over_macsec; do
	net=$((net + 1))
	case $tunnel in
	esp) modprobe -qa esp4 xfrm_user ;;
	wireguard) command -v wg >/dev/null && modprobe -q wireguard ;;
	*) modprobe -q macsec ;;
	esac || {
		result 0 "$tunnel # SKIP needs its module, and wg for WireGuard"
		continue
	}
	accepts "$tunnel: set up" "$tunnel"
	for size in 36000 64000; do
		accepts "$tunnel: ping of $size bytes" on 0 ping -q -c 3 -i 0.05 -W 5 -M "do" -s "$size" 10.99.$net.1
	done
	accepts "$tunnel: TCP" tcp_copy 0 1 10.99.$net.1 $((5000 + net))
	accepts "$tunnel: and back" tcp_copy 1 0 10.99.$net.0 $((5010 + net))
done
finish
