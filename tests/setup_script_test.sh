#!/bin/bash
# scripts/setup, with stand-ins for dpkg-query, apt-get, sudo and python3: what it installs, and what
# it says when it may not.
set -u

source=${GRAPPA_SOURCE_DIR:-$(cd "$(dirname "$0")/.." && pwd)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir -p "$work/bin" "$work/scripts" "$work/bench/baselines"
cp "$source/scripts/setup" "$work/scripts/"
printf '# a comment\nbuild one\nbuild two\ntests three\nfuzz four\nbaselines five\nuseful six\npython seven\nspark eight\n' \
  >"$work/scripts/packages.txt"
printf 'networkit==1.0\n' >"$work/bench/baselines/requirements.txt"
printf 'duckdb==1.0\n' >"$work/bench/baselines/generators.txt"
printf 'pyspark==1.0\n' >"$work/bench/baselines/spark.txt"

# Installed is what stands in the file; one more is known but removed.
cat >"$work/bin/dpkg-query" <<EOF
#!/bin/bash
for package in \$(cat "$work/installed"); do printf '%s=installed ' "\$package"; done
printf 'two=config-files '
exit 1
EOF
cat >"$work/bin/apt-get" <<EOF
#!/bin/bash
echo "\$*" >>"$work/apt"
echo 'apt-get is noisy'
[[ \$* == *update* ]] && { touch "$work/updated"; exit 0; }
[[ -e $work/updated ]]
EOF
cat >"$work/bin/sudo" <<'EOF'
#!/bin/bash
[[ -n ${NO_SUDO-} ]] && exit 1
shift
exec "$@"
EOF
# Makes an environment with a copy of itself in it, and notes what is asked of it.
cat >"$work/bin/python3" <<EOF
#!/bin/bash
echo "\$*" >>"$work/python"
echo 'python is noisy'
[[ \$2 == venv ]] && { mkdir -p "\${!#}/bin" && cp "\$0" "\${!#}/bin/python3"; exit; }
[[ ! -e $work/offline ]]
EOF
chmod +x "$work/bin/"*
export GRAPPA_PYTHON=$work/bin/python3
export PATH="$work/bin:$PATH"

failures=0
expect() { # what, expected, actual
  [[ $2 == "$3" ]] && return
  printf 'FAILED: %s: expected "%s", got "%s"\n' "$1" "$2" "$3"
  failures=$((failures + 1))
}
setup() { # installed packages, arguments...
  echo "$1" >"$work/installed"
  : >"$work/apt"
  : >"$work/python"
  rm -f "$work/updated"
  shift
  out=$("$work/scripts/setup" "$@" 2>"$work/stderr")
  status=$?
}

setup 'one two three four six' --tests --fuzz
expect 'nothing missing: status' 0 "$status"
expect 'nothing missing: apt-get is not called' '' "$(cat "$work/apt")"
expect 'nothing missing: says nothing' '' "$(cat "$work/stderr")"

setup 'one'
expect 'missing: status' 0 "$status"
expect 'missing: output' '' "$out"
grep -q 'install.* two six$' "$work/apt"
expect 'missing: exactly that is installed' 0 $?
expect 'old lists are fetched once' 1 "$(grep -c update "$work/apt")"

setup 'one two six' --tests
grep -q 'install.* three$' "$work/apt"
expect '--tests adds what the tests need' 0 $?

setup 'one two six' --python
grep -q 'install.* seven$' "$work/apt"
expect '--python adds what pip install needs' 0 $?

setup 'one two' --unknown
expect 'unknown argument' 2 "$status"

setup 'one two three four five six' --tests
expect 'without --baselines there is no Python' '' "$(cat "$work/python")"

touch "$work/offline"
setup 'one two five six' --baselines
expect 'baselines, no network: status' 2 "$status"
grep -q 'could not install the packages of bench/baselines' "$work/stderr"
expect 'baselines, no network: says so' 0 $?
rm "$work/offline"

setup 'one two six' --baselines
expect 'baselines: status' 0 "$status"
expect 'baselines: output' '' "$out"
grep -q 'install.* five$' "$work/apt"
expect 'baselines: what Python needs is installed' 0 $?
grep -q '^-m venv .*build/baselines$' "$work/python"
expect 'baselines: an environment is made' 0 $?
grep -q 'pip install .*requirements.txt$' "$work/python"
expect 'baselines: the list is installed' 0 $?
grep -q 'pip install .*--target .*build/baselines/generators .*generators.txt$' "$work/python"
expect 'baselines: what makes inputs is installed apart' 0 $?
grep -q 'spark' "$work/python"
expect 'baselines: Spark is not installed' 1 $?

setup 'one two five six' --baselines
expect 'baselines are there: Python is not called' '' "$(cat "$work/python")"
expect 'baselines are there: says nothing' '' "$(cat "$work/stderr")"

echo 'igraph==2.0' >>"$work/bench/baselines/requirements.txt"
setup 'one two five six' --baselines
grep -q 'pip install' "$work/python"
expect 'a list that has changed is installed again' 0 $?
echo '# another comment' >>"$work/bench/baselines/generators.txt"
setup 'one two five six' --baselines
grep -q 'pip install' "$work/python"
expect 'so is the other one' 0 $?

setup 'one two five six' --spark
expect 'Spark: status' 0 "$status"
grep -q 'install.* eight$' "$work/apt"
expect 'Spark: a Java is installed' 0 $?
expect 'Spark: it is added to the baselines that are there' 1 "$(grep -c 'pip install' "$work/python")"
grep -q 'pip install .*--no-binary pyspark .*spark.txt$' "$work/python"
expect 'Spark: its list is installed' 0 $?
setup 'one two five six eight' --spark --baselines
expect 'Spark is there: Python is not called' '' "$(cat "$work/python")"
echo 'igraph==3.0' >>"$work/bench/baselines/requirements.txt"
setup 'one two five six eight' --spark
expect 'where the baselines are made anew, so is Spark' 3 "$(grep -c 'pip install' "$work/python")"
echo 'py4j==1.0' >>"$work/bench/baselines/spark.txt"
touch "$work/offline"
setup 'one two five six eight' --spark
expect 'Spark, no network: status' 2 "$status"
rm "$work/offline"
setup 'one two five six eight' --baselines
expect 'a list of Spark that has changed is nothing to --baselines' '' "$(cat "$work/python")"

# Without the rights to install; as another user where the test has them.
as_nobody=()
if ((EUID == 0)); then
  chmod 755 "$work"
  as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
fi
if type -P setpriv >/dev/null; then
  : >"$work/installed"
  NO_SUDO=1 "${as_nobody[@]}" "$work/scripts/setup" >"$work/out" 2>"$work/stderr"
  expect 'no rights: status' 2 $?
  grep -q '^  sudo apt-get install .*-y one two six$' "$work/stderr"
  expect 'no rights: prints the line to run' 0 $?
  echo 'one two' >"$work/installed"
  NO_SUDO=1 "${as_nobody[@]}" "$work/scripts/setup" >"$work/out" 2>"$work/stderr"
  expect 'no rights, only what is useful missing: status and what it says' 0 "$?$(cat "$work/stderr")"
fi

((failures == 0)) && echo 'all as expected'
exit "$((failures > 0))"
