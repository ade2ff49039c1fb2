# Tests under CTest.
#
#   src/grappa/<layer>/*_test.cpp   one executable a layer, <layer>_test; tests "<layer>/Suite.Name"
#   cli/, bench/ *_test.cpp         cli_test, bench_test
#   tests/<name>_test.cpp           one executable each, tests "<name>/Suite.Name"
#   tests/<name>_test.py            tests "<name>/Class.test_name"; exit status 77 means skipped
#   tests/<name>_test.sh            test "<name>"; exit status 77 means skipped
#   examples/<name>.cpp             run without arguments, test "example/<name>"
#
# Labels: the name of the layer or program, "script", "example", "slow".

if(NOT GRAPPA_BUILD_TESTS)
  return()
endif()
find_package(GTest QUIET)
# Debian's own interpreter first: it is the one that Debian's python3-networkx belongs to.
find_program(GRAPPA_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(GRAPPA_PYTHON python3)
grappa_probe(GRAPPA_HAS_TESTS "the tests" PACKAGES libgtest-dev libgmock-dev python3
             NEEDS GTest::gtest GTest::gtest_main GTest::gmock "${GRAPPA_PYTHON}")
if(NOT GRAPPA_HAS_TESTS)
  if(NOT GRAPPA_BUILD_TESTS STREQUAL "AUTO")
    message(FATAL_ERROR "GRAPPA_BUILD_TESTS is on; scripts/setup --tests installs what they need")
  endif()
  return()
endif()
enable_testing()
include(GoogleTest)

# What every test gets. UBSAN_OPTIONS comes as a modification, because gtest_discover_tests cannot
# be handed an ENVIRONMENT of two variables. The time limit is for what hangs: no test takes a minute
# alone, but others may use the machine.
set(grappa_test_properties TIMEOUT 600)
if(GRAPPA_SANITIZE STREQUAL "address")
  list(APPEND grappa_test_properties
    ENVIRONMENT "ASAN_OPTIONS=check_initialization_order=1:strict_init_order=1:detect_stack_use_after_return=0"
    ENVIRONMENT_MODIFICATION "UBSAN_OPTIONS=set:print_stacktrace=1")
elseif(GRAPPA_SANITIZE STREQUAL "thread")
  list(APPEND grappa_test_properties
    ENVIRONMENT "TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:history_size=4")
else()
  # Each test is a process, and these, which look for graphics processors, a quarter of its start.
  list(APPEND grappa_test_properties ENVIRONMENT "HWLOC_PLUGINS_PATH=${PROJECT_BINARY_DIR}/none")
endif()

# As the compiler has it for programs, also where the library is a part of Python's module: then what
# is precompiled serves all tests.
unset(CMAKE_POSITION_INDEPENDENT_CODE)

# GoogleTest and the standard library, parsed once: they take a third of the time of a small test.
# Twice, since what is precompiled serves one level of optimization.
foreach(kind IN ITEMS normal light)
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/test_headers_${kind}.cpp" CONTENT "" @ONLY)
  add_library(grappa_test_headers_${kind} OBJECT
    "${PROJECT_BINARY_DIR}/test_headers_${kind}.cpp")
  target_link_libraries(grappa_test_headers_${kind} PRIVATE grappa GTest::gmock)
  target_precompile_headers(grappa_test_headers_${kind} PRIVATE
    <algorithm> <array> <atomic> <chrono> <cstddef> <cstdint> <cstring> <functional> <memory>
    <mutex> <optional> <random> <span> <stdexcept> <string> <string_view> <thread> <vector>
    <gmock/gmock.h> <gtest/gtest.h> ${grappa_own_headers})
endforeach()
target_compile_options(grappa_test_headers_light PRIVATE ${grappa_light_optimization})

# grappa_add_gtest(<name> LABEL <label> [LIGHT] LIBRARIES <targets> SOURCES <files>)
# LIGHT: little optimized, which compiles in two thirds of the time. Not where templates of the
# runtime that are compiled into the tests are to race as optimized programs do.
function(grappa_add_gtest name)
  cmake_parse_arguments(arg "LIGHT" "LABEL" "LIBRARIES;SOURCES" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  set(kind normal)
  if(arg_LIGHT)
    set(kind light)
    target_compile_options(${name} PRIVATE ${grappa_light_optimization})
  endif()
  # Other libraries may want flags (OpenMP) that do not go with what is precompiled.
  if(NOT arg_LIBRARIES)
    target_precompile_headers(${name} REUSE_FROM grappa_test_headers_${kind})
  endif()
  # Names in their unnamed namespaces have to differ within a folder, and within these.
  grappa_unite(${name} 6 "/graph/algorithms/" 6 "/graph/framework/" 6 "/graph/(structure|build)/" 6
    "/graph/(io|load)/" 6)
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_definitions(${name} PRIVATE
    GRAPPA_SOURCE_DIR="${PROJECT_SOURCE_DIR}" GRAPPA_BINARY_DIR="${PROJECT_BINARY_DIR}")
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} grappa GTest::gmock GTest::gtest_main)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/bin")
  gtest_discover_tests(${name}
    TEST_PREFIX "${arg_LABEL}/"
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS ${arg_LABEL} ${grappa_test_properties})
endfunction()

file(GLOB grappa_layer_folders LIST_DIRECTORIES true CONFIGURE_DEPENDS src/grappa/*)
foreach(folder IN LISTS grappa_layer_folders)
  if(NOT IS_DIRECTORY "${folder}")
    continue()
  endif()
  cmake_path(GET folder FILENAME layer)
  if(GRAPPA_LAYERS AND NOT layer IN_LIST GRAPPA_LAYERS)
    continue()
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${folder}/*_test.cpp")
  if(sources)
    set(light "")
    if(layer MATCHES "^(base|memory|sync|delegate|parallel|container|io|graph|mapreduce|query)$")
      set(light LIGHT)
    endif()
    grappa_add_gtest(${layer}_test ${light} LABEL ${layer} SOURCES ${sources})
  endif()
endforeach()

foreach(part IN ITEMS cli bench)
  file(GLOB sources CONFIGURE_DEPENDS "${part}/*_test.cpp")
  if(sources)
    grappa_add_gtest(${part}_test LIGHT LABEL ${part} SOURCES ${sources}
                     LIBRARIES grappa_${part})
  endif()
endforeach()

file(GLOB sources CONFIGURE_DEPENDS tests/*_test.cpp)
foreach(source IN LISTS sources)
  cmake_path(GET source STEM program)
  string(REGEX REPLACE "_test$" "" label ${program})
  set(light LIGHT)
  if(label MATCHES "^(graph_races|linearizability|litmus|locks|random_program|stealing)$")
    set(light "")
  endif()
  grappa_add_gtest(${program} ${light} LABEL ${label} SOURCES "${source}")
endforeach()

# grappa_add_test(<name> LABELS <labels> COMMAND <command>...): anything that is not GoogleTest.
function(grappa_add_test name)
  cmake_parse_arguments(arg "" "" "LABELS;COMMAND" ${ARGN})
  add_test(NAME ${name} COMMAND ${arg_COMMAND})
  set_tests_properties(${name} PROPERTIES ${grappa_test_properties})
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" SKIP_RETURN_CODE 77)
  set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT
    "GRAPPA_TOOL=${PROJECT_BINARY_DIR}/cli/grappa"
    "GRAPPA_SOURCE_DIR=${PROJECT_SOURCE_DIR}"
    "GRAPPA_BINARY_DIR=${PROJECT_BINARY_DIR}"
    "GRAPPA_PYTHON=${GRAPPA_PYTHON}")
endfunction()

# Programs that scripts run: tests/cluster/<name>.cpp, tests/support/<name>.cpp -> tests/bin/<name>
file(GLOB sources CONFIGURE_DEPENDS tests/cluster/*.cpp tests/support/*.cpp)
foreach(source IN LISTS sources)
  cmake_path(GET source STEM name)
  add_executable(${name} "${source}")
  target_link_libraries(${name} PRIVATE grappa)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/bin")
endforeach()

file(GLOB sources CONFIGURE_DEPENDS tests/soak/*.cpp)
grappa_optimize_lightly(tests/soak/keyed_programs.cpp tests/soak/list_programs.cpp
                        tests/soak/other_programs.cpp)
add_executable(soak ${sources})
target_link_libraries(soak PRIVATE grappa)
foreach(library IN ITEMS openmpi mpich)
  if(TARGET grappa_mpi_${library})
    add_dependencies(soak grappa_mpi_${library})
  endif()
endforeach()
set_target_properties(soak PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/bin")

file(GLOB sources CONFIGURE_DEPENDS tests/*_test.sh)
foreach(source IN LISTS sources)
  cmake_path(GET source STEM name)
  string(REGEX REPLACE "_test$" "" name ${name})
  grappa_add_test(${name} LABELS script COMMAND bash "${source}")
endforeach()

# grappa_add_unittests(<script>): each test of a Python script by itself, so that they run at the
# same time, and what fails or is skipped has its name. Classes with a set-up of their own stay whole.
# PYTHON: another interpreter. Those of Python's package have it on their path.
function(grappa_add_unittests script)
  cmake_parse_arguments(arg "" "PYTHON" "" ${ARGN})
  set(python "${GRAPPA_PYTHON}")
  if(arg_PYTHON)
    set(python "${arg_PYTHON}")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${script}")
  cmake_path(GET script STEM name)
  string(REGEX REPLACE "_test$" "" name ${name})
  file(STRINGS "${script}" lines REGEX "^class |^    def (test_|setUpClass)")
  set(tests "")
  foreach(line IN LISTS lines)
    if(line MATCHES "^class ([A-Za-z0-9_]+)")
      set(class ${CMAKE_MATCH_1})
      set(whole FALSE)
    elseif(line MATCHES "def setUpClass")
      set(whole TRUE)
      list(APPEND tests ${class})
    elseif(NOT whole AND line MATCHES "def (test_[A-Za-z0-9_]+)")
      list(APPEND tests ${class}.${CMAKE_MATCH_1})
    endif()
  endforeach()
  if(NOT tests)
    message(FATAL_ERROR "${script} has no tests")
  endif()
  foreach(test IN LISTS tests)
    grappa_add_test(${name}/${test} LABELS script
      COMMAND "${python}" "${script}" ${test})
    set_property(TEST ${name}/${test} APPEND PROPERTY ENVIRONMENT
      "PYTHONPATH=${PROJECT_BINARY_DIR}/python")
    set_tests_properties(${name}/${test} PROPERTIES SKIP_REGULAR_EXPRESSION "OK [(]skipped=")
    # Jobs of several busy processes: beside others they show what a crowded machine does.
    if(name MATCHES "mpi|soak|trace")
      set_tests_properties(${name}/${test} PROPERTIES PROCESSORS 2)
    endif()
  endforeach()
endfunction()

file(GLOB sources CONFIGURE_DEPENDS tests/*_test.py)
foreach(source IN LISTS sources)
  grappa_add_unittests("${source}")
endforeach()

if(TARGET grappa_python)
  file(GLOB sources CONFIGURE_DEPENDS tests/python/*_test.py)
  foreach(source IN LISTS sources)
    grappa_add_unittests("${source}" PYTHON "${Python_EXECUTABLE}")
  endforeach()
endif()

foreach(source IN LISTS grappa_example_sources)
  cmake_path(GET source STEM name)
  grappa_add_test(example/${name} LABELS example COMMAND example_${name})
endforeach()

# The installed package, used from a project outside this one.
if(EXISTS "${PROJECT_SOURCE_DIR}/src/grappa/grappa.hpp" AND NOT GRAPPA_LAYERS)
  grappa_add_test(install LABELS slow COMMAND ${CMAKE_COMMAND}
    -D BUILD_DIR=${PROJECT_BINARY_DIR}
    -D SOURCE_DIR=${PROJECT_SOURCE_DIR}/tests/install
    -D GENERATOR=${CMAKE_GENERATOR}
    -D CXX_COMPILER=${CMAKE_CXX_COMPILER}
    -P ${PROJECT_SOURCE_DIR}/tests/install/run.cmake)
endif()
