#!/bin/sh
# Installs Pincite from this folder, without a network. Usage: sh install.sh [FOLDER] (default: ./pincite-env)
# PYTHON names the interpreter (default: python3). Nothing runs before all files have been checked.
set -eu
python=${PYTHON:-python3}
target=${1:-pincite-env}
case $target in /*) ;; *) target=$(pwd)/$target ;; esac
cd "$(dirname "$0")"
fail() { echo "error: $1; nothing was installed" >&2; exit 1; }

[ -z "$(find . ! -type f ! -type d)" ] || fail "there is a link or a device among the files"
found=$(find . -type f | sed 's|^\./||' | LC_ALL=C sort)
listed=$( (cut -c67- SHA256SUMS; echo SHA256SUMS) | LC_ALL=C sort)
[ "$found" = "$listed" ] || fail "the files here are not those of SHA256SUMS: some are missing or were added"
if command -v sha256sum >/dev/null 2>&1; then
    sha256sum -c SHA256SUMS >/dev/null || fail "a file is not what it was when the bundle was made"
else
    shasum -a 256 -c SHA256SUMS >/dev/null || fail "a file is not what it was when the bundle was made"
fi

[ ! -e "$target" ] || fail "$target exists already; name another folder"
wanted=$(sed -n 's/^ "python": "\(.*\)",$/\1/p' manifest.json)
there_is=$("$python" -I -c 'import sys; print("%d.%d" % sys.version_info[:2])') || fail "$python does not run"
[ "$there_is" = "$wanted" ] || fail "this bundle is for Python $wanted, $python is $there_is: name another with PYTHON="
undo() { rm -rf "$target"; fail "$1"; }
"$python" -I -m venv "$target" || undo "no environment could be made"
"$target/bin/python" -I -m pip --isolated --disable-pip-version-check install --quiet \
    --no-index --find-links wheels --require-hashes --no-deps -r requirements.txt || undo "pip failed"
for model in models/*.gguf; do
    [ ! -e "$model" ] || "$target/bin/pincite" models add "$model"
done
echo "installed: $target/bin/pincite; try '$target/bin/pincite demo'"
