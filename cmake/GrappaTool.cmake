# The command-line tool, build/<preset>/cli/grappa, and the program of the benchmarks,
# build/<preset>/bench/grappa-bench, which `grappa bench` becomes.

include(GNUInstallDirs)

# grappa_part(<name> <kind> <folder>): what a program and its unit tests share.
function(grappa_part name kind folder)
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "(_test|/main)\\.cpp$")
  add_library(${name} ${kind} ${sources})
  target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PUBLIC grappa CLI11::CLI11 nlohmann_json::nlohmann_json)
  grappa_precompile(${name} <nlohmann/json.hpp>)
endfunction()

# grappa_program(<target> <main> <name> <part>...): build/<preset>/<folder of main>/<name>. Under a
# launcher it loads a plug-in, and ./grappa builds nothing but the program.
function(grappa_program target main name)
  cmake_path(GET main PARENT_PATH folder)
  add_executable(${target} ${main})
  target_link_libraries(${target} PRIVATE ${ARGN})
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${folder}")
  foreach(library IN ITEMS openmpi mpich)
    if(TARGET grappa_mpi_${library})
      add_dependencies(${target} grappa_mpi_${library})
    endif()
  endforeach()
endfunction()

grappa_part(grappa_cli STATIC cli)
# Where the two are installed. A package has them for each level of processors, and a program in
# the place of the tool that becomes the right one.
set(grappa_tool_dir "${CMAKE_INSTALL_BINDIR}")
set(grappa_bench_dir "${CMAKE_INSTALL_LIBDIR}/grappa")
if(GRAPPA_LEVEL)
  string(APPEND grappa_bench_dir "/${GRAPPA_LEVEL}")
  set(grappa_tool_dir "${grappa_bench_dir}")
endif()
file(RELATIVE_PATH grappa_bench_from_tool
     "/${grappa_tool_dir}" "/${grappa_bench_dir}/grappa-bench")
set_property(SOURCE cli/bench_program.cpp APPEND PROPERTY COMPILE_DEFINITIONS
  GRAPPA_BENCH_FROM_TOOL_BUILD="../bench/grappa-bench"
  GRAPPA_BENCH_FROM_TOOL_INSTALL="${grappa_bench_from_tool}")
if(GRAPPA_HAS_LIBEDIT)
  target_link_libraries(grappa_cli PUBLIC $<LINK_ONLY:PkgConfig::EDIT>)
  set_property(SOURCE cli/line_editor.cpp APPEND PROPERTY COMPILE_DEFINITIONS GRAPPA_CLI_LIBEDIT)
endif()
# It runs once, and is mostly the code of others: optimizing it takes longer than compiling it.
grappa_optimize_lightly(cli/command_line.cpp)
target_compile_options(grappa_cli PRIVATE $<$<CONFIG:Release>:-O2>)  # nothing in it is hot
grappa_unite(grappa_cli 17)
grappa_program(grappa_tool cli/main.cpp grappa grappa_cli)

# An object library, so that what registers itself is never dropped by the linker.
grappa_part(grappa_bench OBJECT bench)
target_link_libraries(grappa_bench PUBLIC grappa_cli)
grappa_unite(grappa_bench 4)
if(GRAPPA_HAS_OPENMP)
  # The hand-written baselines; the library itself has no use for it.
  target_link_libraries(grappa_bench PUBLIC OpenMP::OpenMP_CXX)
endif()
if(GRAPPA_HAS_BOOST_FIBER)
  target_link_libraries(grappa_bench PUBLIC $<LINK_ONLY:Boost::fiber>)
  set_property(SOURCE bench/switch_fibers.cpp
               APPEND PROPERTY COMPILE_DEFINITIONS GRAPPA_BENCH_BOOST_FIBER)
endif()
# Baselines that are Python's: their scripts, and the interpreter that scripts/setup --baselines makes.
set_property(SOURCE bench/baseline_program.cpp APPEND PROPERTY COMPILE_DEFINITIONS
  GRAPPA_BASELINES_SOURCE_DIR="${PROJECT_SOURCE_DIR}/bench/baselines"
  GRAPPA_BASELINES_INSTALL_DIR="${CMAKE_INSTALL_FULL_DATADIR}/grappa/baselines"
  GRAPPA_BASELINE_PYTHON_BUILD="${PROJECT_SOURCE_DIR}/build/baselines/bin/python3")
set(grappa_pbgl_build_dir "${PROJECT_BINARY_DIR}/pbgl")
set(grappa_pbgl_launcher "mpirun.openmpi")
if(GRAPPA_OPENMPI_LAUNCHER)
  set(grappa_pbgl_launcher "${GRAPPA_OPENMPI_LAUNCHER}")
endif()
set_property(SOURCE bench/baseline_program.cpp APPEND PROPERTY COMPILE_DEFINITIONS
  GRAPPA_PBGL_BUILD="${grappa_pbgl_build_dir}/grappa_pbgl"
  GRAPPA_PBGL_INSTALL="${CMAKE_INSTALL_FULL_LIBDIR}/grappa/grappa_pbgl"
  GRAPPA_PBGL_LAUNCHER="${grappa_pbgl_launcher}")
grappa_program(grappa_bench_tool bench/main.cpp grappa-bench grappa_bench)
add_dependencies(grappa_bench_tool grappa_tool)  # which is what starts it

if(GRAPPA_LEVEL STREQUAL "x86-64-v2")
  add_executable(grappa_level cli/level/main.cpp)
  file(RELATIVE_PATH levels_from_tool "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}/grappa")
  target_compile_definitions(grappa_level PRIVATE GRAPPA_LEVELS_FROM_TOOL="${levels_from_tool}")
  set_target_properties(grappa_level PROPERTIES
    OUTPUT_NAME grappa RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/level")
endif()

# The baseline of one benchmark that is MPI processes. It takes half a minute to compile.
if(GRAPPA_HAS_PBGL)
  add_executable(grappa_pbgl bench/pbgl/worker.cpp bench/pbgl/pbgl_system.cpp)
  target_include_directories(grappa_pbgl PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_definitions(grappa_pbgl PRIVATE
    OMPI_SKIP_MPICXX BOOST_BIND_GLOBAL_PLACEHOLDERS BOOST_ALLOW_DEPRECATED_HEADERS)
  target_compile_options(grappa_pbgl PRIVATE -Wno-deprecated-declarations)  # in its headers
  target_link_libraries(grappa_pbgl PRIVATE
    nlohmann_json::nlohmann_json PkgConfig::OPENMPI ${grappa_pbgl_libraries})
  set_target_properties(grappa_pbgl PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${grappa_pbgl_build_dir}")
  add_dependencies(grappa_bench_tool grappa_pbgl)
endif()
