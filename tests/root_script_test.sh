#!/bin/bash
# The script ./grappa, with a compiler and a tool that are stand-ins: when it builds, when it does
# not, and that only the tool writes to standard output.
set -u

source=${GRAPPA_SOURCE_DIR:-$(cd "$(dirname "$0")/.." && pwd)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root="$work/a clone"
unset OMPI_COMM_WORLD_RANK PMI_RANK PMIX_RANK SLURM_PROCID

mkdir -p "$root/src" "$root/cli" "$root/bench" "$root/scripts" "$work/bin"
cp "$source/grappa" "$root/grappa"
printf '#!/bin/bash\n' >"$root/scripts/setup"
touch "$root/CMakeLists.txt" "$root/CMakePresets.json" "$root/cli/main.cpp"

# The stand-in for cmake: notes that it was called, is noisy on both streams, "builds" slowly.
cat >"$work/bin/cmake" <<'EOF'
#!/bin/bash
echo "cmake is noisy"
echo "cmake warns" >&2
[[ $1 == --preset ]] && { mkdir -p build/release; touch build/release/build.ninja; exit 0; }
echo "$4" >>"$BUILDS"
[[ -n ${BUILD_FAILS-} ]] && exit 1
sleep 0.2
mkdir -p "$2/cli"
printf '#!/bin/bash\nprintf "<%%s>" "$@"; exit 7\n' >"$2/cli/grappa"
chmod +x "$2/cli/grappa"
[[ $4 == grappa_bench_tool ]] || exit 0
mkdir -p "$2/bench"
cp "$2/cli/grappa" "$2/bench/grappa-bench"
EOF
chmod +x "$work/bin/cmake" "$root/scripts/setup"
export PATH="$work/bin:$PATH" BUILDS="$work/builds"
: >"$BUILDS"

failures=0
expect() { # what, expected, actual
  [[ $2 == "$3" ]] && return
  printf 'FAILED: %s: expected "%s", got "%s"\n' "$1" "$2" "$3"
  failures=$((failures + 1))
}
# Runs with the arguments given, and sets out, status and builds (how often it has built so far).
start() {
  out=$("$@" 2>"$work/stderr")
  status=$?
  builds=$(wc -l <"$BUILDS")
}
make_stale() {
  sleep 0.02
  touch "$1"
}

PMI_RANK=0 start "$root/grappa" x
expect 'under a launcher without a build: status' 1 "$status"
expect 'under a launcher without a build: output' '' "$out"
expect 'under a launcher nothing is built' 0 "$builds"
grep -q 'not built yet' "$work/stderr"
expect 'under a launcher without a build: says so' 0 $?

BUILD_FAILS=1 start "$root/grappa" x
expect 'failed build: status' 1 "$status"
expect 'failed build: output' '' "$out"

: >"$BUILDS"
"$root/grappa" one >"$work/first" 2>/dev/null &
start "$root/grappa" two
wait
expect 'two first starts build once' 1 "$builds"
expect 'two first starts both run' '<one><two>' "$(cat "$work/first")$out"

start "$root/grappa" 'a b' '*' ''
expect 'arguments' '<a b><*><>' "$out"
expect 'exit status of the tool' 7 "$status"
expect 'up to date' 1 "$builds"
expect 'quiet when up to date' '' "$(cat "$work/stderr")"

ln -s "$root/grappa" "$work/link"
cd "$root" && start bash grappa here
expect 'from its own folder' '<here>' "$out"
cd "$work" && start ./link there
expect 'through a link' '<there>' "$out"
expect 'elsewhere it is up to date as well' 1 "$builds"

make_stale "$root/src/layer_test.cpp"
touch -r "$root/grappa" "$root/src"
start "$root/grappa" x
expect 'a changed test does not build the tool' 1 "$builds"

make_stale "$root/cli/main.cpp"
PMIX_RANK=3 start "$root/grappa" x
expect 'under a launcher the existing build runs' '1 <x>' "$builds $out"
start "$root/grappa" x
expect 'a changed source builds' 2 "$builds"
expect 'only the tool writes to standard output' '<x>' "$out"

make_stale "$root/src"
start "$root/grappa" x
expect 'a removed source builds' 3 "$builds"

make_stale "$root/cli/main.cpp"
BUILD_FAILS=1 start "$root/grappa" x
expect 'a failed rebuild does not run the old tool' '1 ' "$status $out"
start "$root/grappa" x
expect 'and is tried again' '5 <x>' "$builds $out"

# The benchmarks are built when they are asked for, and then only.
: >"$BUILDS"
PMI_RANK=0 start "$root/grappa" bench gups
expect 'no benchmarks under a launcher: status, builds' '1 0' "$status $builds"
grep -q "not built under a launcher: run '.*grappa bench' once" "$work/stderr"
expect 'no benchmarks under a launcher: says how to build them' 0 $?
start "$root/grappa" bench gups
expect 'bench builds them' 'grappa_bench_tool <bench><gups>' "$(cat "$BUILDS") $out"
start "$root/grappa" help bench
expect 'they are up to date' '1 <help><bench>' "$builds $out"
make_stale "$root/bench/gups.cpp"
start "$root/grappa" info bench
expect 'a changed benchmark does not build the tool' '1 <info><bench>' "$builds $out"
start "$root/grappa" help bench gups
expect 'but the benchmarks' 'grappa_bench_tool <help><bench><gups>' "$(tail -n 1 "$BUILDS") $out"

((failures == 0)) && echo 'all as expected'
exit "$((failures > 0))"
