# The command-line tool, build/<preset>/cli/grappa, with the benchmark suite inside.
# Both folders are object libraries, so that what registers itself is never dropped by the linker.

file(GLOB grappa_bench_sources CONFIGURE_DEPENDS bench/*.cpp)
list(FILTER grappa_bench_sources EXCLUDE REGEX "_test\\.cpp$")
file(GLOB grappa_cli_sources CONFIGURE_DEPENDS cli/*.cpp)
list(FILTER grappa_cli_sources EXCLUDE REGEX "(_test|/main)\\.cpp$")

# grappa_object_library(<name> <sources>): a part of the tool, also linked to its unit tests;
# an interface library where there are no sources yet.
function(grappa_object_library name)
  if(ARGN)
    add_library(${name} OBJECT ${ARGN})
    target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}")
    target_link_libraries(${name} PUBLIC grappa CLI11::CLI11 nlohmann_json::nlohmann_json)
    grappa_precompile(${name} <nlohmann/json.hpp>)
  else()
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE "${PROJECT_SOURCE_DIR}")
    target_link_libraries(${name} INTERFACE grappa CLI11::CLI11 nlohmann_json::nlohmann_json)
  endif()
endfunction()

grappa_object_library(grappa_bench ${grappa_bench_sources})
if(OpenMP_CXX_FOUND)
  # The hand-written baselines; the library itself has no use for it.
  target_link_libraries(grappa_bench PUBLIC OpenMP::OpenMP_CXX)
endif()
if(TARGET Boost::fiber)
  target_link_libraries(grappa_bench PUBLIC $<LINK_ONLY:Boost::fiber>)
  set_property(SOURCE bench/switch_fibers.cpp
               APPEND PROPERTY COMPILE_DEFINITIONS GRAPPA_BENCH_BOOST_FIBER)
endif()
# Baselines that are Python's: their scripts, and the interpreter that scripts/setup --baselines makes.
include(GNUInstallDirs)
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
grappa_object_library(grappa_cli ${grappa_cli_sources})
# They run once, and are mostly the code of others: optimising it takes longer than compiling it.
grappa_optimise_lightly(cli/bench_options.cpp cli/command_line.cpp cli/engine_option.cpp
                        cli/order_option.cpp cli/output_options.cpp cli/pagerank_command.cpp)

if(EXISTS "${PROJECT_SOURCE_DIR}/cli/main.cpp")
  add_executable(grappa_tool cli/main.cpp)
  target_link_libraries(grappa_tool PRIVATE grappa_cli grappa_bench)
  set_target_properties(grappa_tool PROPERTIES
    OUTPUT_NAME grappa
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/cli")
  # It loads them under a launcher, and ./grappa builds nothing but the tool.
  foreach(library IN ITEMS openmpi mpich)
    if(TARGET grappa_mpi_${library})
      add_dependencies(grappa_tool grappa_mpi_${library})
    endif()
  endforeach()
endif()

# The baseline of one benchmark that is MPI processes. It takes half a minute to compile, and is of
# use only where things are measured.
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND TARGET PkgConfig::OPENMPI
   AND GRAPPA_BOOST_GRAPH_PARALLEL AND GRAPPA_BOOST_MPI AND GRAPPA_BOOST_SERIALIZATION)
  add_executable(grappa_pbgl bench/pbgl/worker.cpp bench/pbgl/pbgl_system.cpp)
  target_include_directories(grappa_pbgl PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_definitions(grappa_pbgl PRIVATE
    OMPI_SKIP_MPICXX BOOST_BIND_GLOBAL_PLACEHOLDERS BOOST_ALLOW_DEPRECATED_HEADERS)
  target_compile_options(grappa_pbgl PRIVATE -Wno-deprecated-declarations)  # in its headers
  target_link_libraries(grappa_pbgl PRIVATE
    nlohmann_json::nlohmann_json PkgConfig::OPENMPI
    "${GRAPPA_BOOST_GRAPH_PARALLEL}" "${GRAPPA_BOOST_MPI}" "${GRAPPA_BOOST_SERIALIZATION}")
  set_target_properties(grappa_pbgl PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${grappa_pbgl_build_dir}")
  if(TARGET grappa_tool)
    add_dependencies(grappa_tool grappa_pbgl)
  endif()
endif()
