# Installs the packages, or a wheel, in a new, minimal Debian and tries their contents: clean_root.bash FOLDER_OF_PACKAGES
# or clean_root.bash FILE.whl
# Needs root, debootstrap and the archive (SKDE_DEBIAN_MIRROR, or deb.debian.org), and takes some minutes; exit code 77
# means that it could not run. No ctest runs it.
set -euo pipefail
packages=$(realpath "$1")
source=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
suite=${SKDE_DEBIAN_SUITE:-bookworm}
mirror=${SKDE_DEBIAN_MIRROR:-http://deb.debian.org/debian}

if [[ $(id -u) != 0 ]] || ! command -v debootstrap >/dev/null; then
  echo "clean_root: needs root and debootstrap"
  exit 77
fi

say() { echo "== $*"; }

root=$(mktemp -d)
chmod 755 "$root"  # apt reads as another user
clean_up() {
  umount "$root/proc" 2>/dev/null || true
  rm -rf --one-file-system "$root"
}
trap clean_up EXIT

inside() {
  chroot "$root" env LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

count_packages() { inside dpkg-query -f . -W | wc -c; }

# install_inside PACKAGES... installs packages, given as names or as files in the root.
install_inside() {
  if ! inside apt-get install -qy --no-install-recommends "$@" >"$root/tmp/apt.log" 2>&1; then
    cat "$root/tmp/apt.log"
    exit 1
  fi
}

say "$suite by debootstrap"
debootstrap --variant=minbase "$suite" "$root" "$mirror" >/dev/null
mount -t proc proc "$root/proc"
cp /etc/resolv.conf "$root/etc/"
inside apt-get update -q >/dev/null

if [[ $packages == *.whl ]]; then
  say "the wheel, beside Python and NumPy alone"
  install_inside python3-venv python3-numpy
  cp "$packages" "$source/data/quakes.csv" "$root/tmp/"
  inside python3 -m venv --system-site-packages /tmp/venv
  inside /tmp/venv/bin/pip install -q "/tmp/$(basename "$packages")"
  inside sh -c 'cd /tmp && for i in 1 2 3; do /tmp/venv/bin/python -X importtime -c "import skde" 2>&1 |
    awk -F"|" "\$3 ~ /^ *(numpy|skde)$/ {print \$3, int(\$2 / 1000), \"ms\"}"; done'
  inside sh -c 'cd /tmp && /tmp/venv/bin/python -' <<'PYTHON'
import struct, numpy, skde
d = skde.density("quakes.csv", columns="long,lat,depth", dims=32)
for kind in ("vti", "nrrd", "nii", "mha", "npy"):
    d.save("d." + kind)
    numpy.testing.assert_array_equal(skde.read("d." + kind).values, d.values)
xyz = numpy.random.default_rng(1).integers(-1000, 1000, (5000, 3)).astype("<i4")
text = "\n".join(f"{x} {y} {z}" for x, y, z in xyz) + "\n"
header = struct.pack("<4sHHIHH8sBB32s32sHHHIIBHI5I12d", b"LASF", 0, 0, 0, 0, 0, b"", 1, 2, b"", b"", 1, 2026, 227, 227, 0, 0, 20,
                     len(xyz), *[0] * 5, 1, 1, 1, 0, 0, 0, *numpy.stack([xyz.max(0), xyz.min(0)], 1).ravel())
names = ("x", "y", "z")
files = {"txt": text.encode(), "las": header + b"".join(p.tobytes() + bytes(8) for p in xyz),
         "ply": ("ply\nformat ascii 1.0\nelement vertex 5000\n" + "".join(f"property int {n}\n" for n in names) + "end_header\n" + text).encode(),
         "pcd": ("VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 5000\nHEIGHT 1\nPOINTS 5000\nDATA ascii\n" + text).encode()}
wanted = skde.density(xyz.astype(float), dims=32).values
for kind, content in files.items():
    open("p." + kind, "wb").write(content)
    numpy.testing.assert_allclose(skde.density("p." + kind, dims=32).values, wanted, rtol=1e-5, err_msg=kind)
fit = skde.fit(xyz[:500].astype(float), 20)
fit.save("fit.ply")
skde.Session("fit.ply")
print(d, fit)
for kind, library in (("nc", "libnetcdf"), ("vdb", "libopenvdb")):
    try:
        d.save("d." + kind)
    except skde.Error as error:
        print(error)
        assert library in str(error)
    else:
        raise AssertionError(kind)
PYTHON
  say "all is well"
  exit 0
fi

cp "$packages"/*.deb "$source/data/quakes.csv" "$source/tests/consumer/main.cpp" "$root/tmp/"

say "the programs"
before=$(count_packages)
install_inside "/tmp/$(basename "$packages"/skde_*.deb)"
say "installed with $(($(count_packages) - before - 1)) packages that they depend on"
inside skde --version
inside skde-view --version
inside skde density /tmp/quakes.csv --columns long,lat,depth --dims 64,64,64 -o /tmp/quakes.vti --picture /tmp/quakes.png
inside skde info /tmp/quakes.vti
install_inside desktop-file-utils shared-mime-info
inside desktop-file-validate /usr/share/applications/skde-view.desktop
inside update-mime-database /usr/share/mime
grep -q '^60:model/x-gaussian-splat:\*.compressed.ply$' "$root/usr/share/mime/globs2"
[[ -s $root/usr/share/icons/hicolor/scalable/apps/skde-view.svg && -s $root/usr/lib/systemd/system/skde-serve.service ]]
[[ -s $root/tmp/quakes.vti && -s $root/tmp/quakes.png ]]

if [[ -f $(echo "$packages"/python3-skde_*.deb) ]]; then
  say "the module for Python"
  install_inside "/tmp/$(basename "$packages"/python3-skde_*.deb)"
  inside python3 -c 'import skde; d = skde.density("/tmp/quakes.csv", columns="long,lat,depth", dims=32)
d.save("/tmp/quakes.nc"); print(skde.read("/tmp/quakes.nc"), d.mass)'
fi

say "man pages and completions"
install_inside man-db groff-base zsh
for page in $(inside sh -c 'cd /usr/share/man/man1 && ls skde*.1.gz'); do
  echo "$page: $(inside man "${page%.1.gz}" | wc -l) lines"
done
for file in skde skde-view; do
  inside bash -n "/usr/share/bash-completion/completions/$file"
  inside zsh -n "/usr/share/zsh/vendor-completions/_$file"
  inside zsh -f -c 'autoload -Uz compinit && compinit -u && [[ ${_comps[$1]} == "_$1" ]]' - "$file"
done

say "libskde"
for file in "$packages"/libskde*.deb; do libraries+=("/tmp/$(basename "$file")"); done
install_inside "${libraries[@]}" g++ pkg-config cmake make
mkdir -p "$root/tmp/consumer"
cp "$source/tests/consumer/"* "$root/tmp/consumer/"
inside cmake -S /tmp/consumer -B /tmp/consumer/build >/dev/null
inside cmake --build /tmp/consumer/build
inside /tmp/consumer/build/consumer
inside sh -c 'c++ -std=c++20 /tmp/main.cpp -o /tmp/program $(pkg-config --cflags --libs skde) && /tmp/program'

say "and away again"
inside apt-get purge -qy 'skde' '^libskde.*' '^python3-skde' >/dev/null
left=$(find "$root" -xdev -name '*skde*' -not -path "$root/tmp/*" -not -path "$root/var/cache/man/*")
if [[ -n $left ]]; then
  echo "$left"
  echo "clean_root: files are left behind"
  exit 1
fi
say "all is well"
