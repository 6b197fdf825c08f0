#!/usr/bin/env bash
# Measures how long a newcomer waits: runs `./dev demo`, then `./dev test`, in a new, minimal Debian with the committed
# tree and nothing else; with arguments, these commands of ./dev. Prints when each of their steps began, and their minutes.
# Needs root, debootstrap and the archive (SKDE_DEBIAN_MIRROR, or deb.debian.org); exit code 77 means that it could
# not run. Settings of apt and npm are those of this machine. No ctest runs it.
set -euo pipefail
source=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")
suite=${SKDE_DEBIAN_SUITE:-bookworm}
mirror=${SKDE_DEBIAN_MIRROR:-http://deb.debian.org/debian}

if [[ $(id -u) != 0 ]] || ! command -v debootstrap >/dev/null; then
  echo "first_minutes: needs root and debootstrap"
  exit 77
fi

root=$(mktemp -d)
chmod 755 "$root"  # apt reads as another user
clean_up() {
  umount "$root/dev/shm" "$root/dev/pts" "$root/dev" "$root/sys" "$root/proc" 2>/dev/null || true
  rm -rf --one-file-system "$root"
}
trap clean_up EXIT

echo "== $suite by debootstrap"
debootstrap --variant=minbase "$suite" "$root" "$mirror" >/dev/null
# As on every machine: MPI places its ranks by /sys, and finds its host by /etc/hosts.
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount --bind /dev "$root/dev"
mount --bind /dev/pts "$root/dev/pts"
mount -t tmpfs tmpfs "$root/dev/shm"
cp /etc/resolv.conf /etc/hosts "$root/etc/"
for file in /etc/npmrc /root/.npmrc; do
  if [[ -f $file ]]; then cp "$file" "$root$file"; fi
done
settings=(HOME=/root LC_ALL=C.UTF-8 PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
if [[ -n ${NODE_EXTRA_CA_CERTS:-} ]]; then
  cp "$NODE_EXTRA_CA_CERTS" "$root/root/certificates"
  settings+=(NODE_EXTRA_CA_CERTS=/root/certificates npm_config_cafile=/root/certificates)
fi
mkdir "$root/root/skde"
git -C "$source" archive HEAD | tar -xf - -C "$root/root/skde"

# timed COMMAND... runs it in the tree; prints the seconds at which its steps began, and the end of its output if it fails.
timed() {
  local begin=$SECONDS status=0 log="$root/tmp/log" line seconds
  chroot "$root" env -i "${settings[@]}" \
    bash -c 'cd /root/skde && "$@" 2>&1; echo "exit code $?"' - "$@" |
    while IFS= read -r line; do printf '%4d s  %s\n' $((SECONDS - begin)) "$line"; done >"$log"
  seconds=$((SECONDS - begin))
  grep '^ *[0-9]* s  == ' "$log" | cut -c1-120 || true
  tail -n 1 "$log" | grep -q ' exit code 0$' || status=1
  if [[ $status != 0 ]]; then tail -n 60 "$log"; fi
  printf '%s: %d min %02d s\n' "$*" $((seconds / 60)) $((seconds % 60))
  return "$status"
}

[[ $# -gt 0 ]] || set -- demo test times
for command; do
  timed ./dev "$command"
  if [[ $command == demo ]]; then [[ -s $root/root/skde/out/quakes.png ]]; fi
  if [[ $command == times ]]; then cat "$root/tmp/log"; fi
done
