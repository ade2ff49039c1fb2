#!/bin/bash
# Configuring where optional parts are absent or half there: it succeeds, leaves those parts out, and
# names for each, in one line, the packages that it needs. Nothing is built.
set -u

source=${GRAPPA_SOURCE_DIR:-$(cd "$(dirname "$0")/.." && pwd)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PKG_CONFIG_PATH PKG_CONFIG_LIBDIR CMAKE_PREFIX_PATH

failures=0
configure() { # scenario, preset and options...
  scenario=$1
  cmake --preset "${@:2}" -S "$source" -B "$work/$scenario" --fresh >"$work/log" 2>&1 && return
  printf 'FAILED: %s: configuring ended with status %d:\n' "$scenario" $?
  cat "$work/log"
  failures=$((failures + 1))
}
expect_lines() { # how many lines of what is said have this in them
  local found
  found=$(grep -c -- "$2" "$work/log")
  [[ $found == "$1" ]] && return
  printf 'FAILED: %s: "%s" is said %d times, not %d:\n' "$scenario" "$2" "$found" "$1"
  cat "$work/log"
  failures=$((failures + 1))
}
expect_target() { # yes or no, name
  local found=no
  ninja -C "$work/$scenario" -t targets all | grep -q "^$2: " && found=yes
  [[ $found == "$1" ]] && return
  printf 'FAILED: %s: is there a target %s? %s, not %s\n' "$scenario" "$2" "$found" "$1"
  failures=$((failures + 1))
}

# libgtest-dev without libgmock-dev, and Boost's headers without Fiber: what they say of themselves.
mkdir -p "$work"/{gtest,boost,pkgconfig,bin}
cat >"$work/gtest/GTestConfig.cmake" <<'END'
add_library(GTest::gtest INTERFACE IMPORTED)
add_library(GTest::gtest_main INTERFACE IMPORTED)
END
cat >"$work/boost/BoostConfig.cmake" <<'END'
add_library(Boost::headers INTERFACE IMPORTED)
END
echo 'set(PACKAGE_VERSION_COMPATIBLE TRUE)' >"$work/boost/BoostConfigVersion.cmake"

without_gmock=(-DGTest_DIR="$work/gtest")
configure no-gmock release "${without_gmock[@]}" -DBoost_DIR="$work/boost"
expect_lines 1 'Left out: the tests .*libgmock-dev'
expect_target no tasking_test
expect_lines 1 'Left out: .*libboost-fiber-dev'
expect_target yes grappa_bench_tool

# As ./grappa does it, which never looks at the tests.
echo 'message(FATAL_ERROR "looked for GoogleTest")' >"$work/gtest/GTestConfig.cmake"
configure tool-alone release "${without_gmock[@]}" -DGRAPPA_BUILD_TESTS=OFF
expect_lines 0 'the tests'

# An MPI of which a part was removed: its description is there, its headers are not.
for library in ompi mpich; do
  cat >"$work/pkgconfig/$library.pc" <<'END'
Name: half
Description: half
Version: 4
Cflags: -I/no/such/folder
Libs: -L/no/such/folder -lno_such_mpi
END
done
PKG_CONFIG_PATH="$work/pkgconfig" configure half-mpi release -DGRAPPA_BUILD_TESTS=OFF \
  -DGRAPPA_BOOST_GRAPH_PARALLEL=/no/such/library.so
expect_lines 1 'Left out: .*Open MPI.*libopenmpi-dev'
expect_lines 1 'Left out: .*MPICH.*libmpich-dev'
expect_lines 1 'Left out: .*libboost-graph-parallel-dev'
for target in grappa_mpi_openmpi grappa_mpi_mpich grappa_pbgl; do expect_target no "$target"; done

# Nothing but the packages of the tool, and a Python that is not Debian's comes first.
rm "$work"/pkgconfig/*
for module in hwloc libzstd libdeflate liblz4 snappy simdjson re2; do
  cp "$(pkg-config --variable=pcfiledir $module)/$module.pc" "$work/pkgconfig/"
done
printf '#!/bin/bash\nexit 1\n' >"$work/bin/python3"
chmod +x "$work/bin/python3"
nothing=(-DCMAKE_DISABLE_FIND_PACKAGE_{OpenMP,Boost,GTest}=ON -DGRAPPA_CCACHE_PROGRAM=)
PATH="$work/bin:$PATH" PKG_CONFIG_LIBDIR="$work/pkgconfig" configure bare release "${nothing[@]}"
for package in libopenmpi-dev libmpich-dev libomp-19-dev libboost-fiber-dev libgmock-dev; do
  expect_lines 1 "Left out: .*Debian's $package\|Left out: the tests .*$package"
done
expect_target yes grappa_tool
[[ ! -x /usr/bin/python3 ]] ||
  grep -q 'GRAPPA_PYTHON:FILEPATH=/usr/bin/python3' "$work/bare/CMakeCache.txt" || {
  echo "FAILED: bare: Debian's own Python is not the one that is taken"
  failures=$((failures + 1))
}

((failures == 0)) && echo 'all as expected'
exit "$((failures > 0))"
