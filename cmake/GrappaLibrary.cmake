# The library: every source of every layer in one static archive.

file(GLOB_RECURSE grappa_sources CONFIGURE_DEPENDS src/grappa/*.cpp src/grappa/*.S)
list(FILTER grappa_sources EXCLUDE REGEX "_(test|main|plugin)\\.cpp$")
if(GRAPPA_LAYERS)
  list(JOIN GRAPPA_LAYERS "|" layers)
  list(FILTER grappa_sources INCLUDE REGEX "/src/grappa/(${layers})/")
endif()

add_library(grappa STATIC ${grappa_sources})
add_library(Grappa::grappa ALIAS grappa)
target_include_directories(grappa PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
  $<INSTALL_INTERFACE:include>)
# Of whoever includes the headers, too.
target_compile_definitions(grappa PUBLIC GRAPPA_VERTEX_BITS=${GRAPPA_VERTEX_BITS})
target_link_libraries(grappa
  PUBLIC grappa_flags Threads::Threads fmt::fmt
  PRIVATE nlohmann_json::nlohmann_json ZLIB::ZLIB
          PkgConfig::HWLOC PkgConfig::ZSTD PkgConfig::DEFLATE PkgConfig::LZ4 PkgConfig::SNAPPY
          PkgConfig::SIMDJSON PkgConfig::RE2 ${CMAKE_DL_LIBS})

grappa_precompile(grappa)
grappa_unite(grappa 12
  "/verify_" 6  "/graph/algorithms/" 1  "/graph/framework/" 2  "/graph/(structure|build|exec)/" 4
  "/graph/load/" 5  "/graph/io/" 12)

# Runs once at the end of a run, and is mostly nlohmann-json.
grappa_optimize_lightly(src/grappa/base/metrics_report.cpp)

# Where programs find the plug-ins is in their run path, as for shared libraries: of a build, here;
# of the tool that is installed, seen from it (GrappaInstall); of a program that uses the package,
# where that was found. What is linked by hand looks in the prefix that was configured.
set(grappa_plugin_build_dir "${PROJECT_BINARY_DIR}/plugins")
list(APPEND CMAKE_BUILD_RPATH "${grappa_plugin_build_dir}")
include(GNUInstallDirs)
set(grappa_plugin_dir "${CMAKE_INSTALL_LIBDIR}/grappa")
target_link_options(grappa INTERFACE
  "$<INSTALL_INTERFACE:-Wl,-rpath,$<INSTALL_PREFIX>/${grappa_plugin_dir}>")
set_property(SOURCE src/grappa/transport/mpi/plugin_loader.cpp APPEND PROPERTY COMPILE_DEFINITIONS
             GRAPPA_PLUGIN_INSTALL_DIR="${CMAKE_INSTALL_FULL_LIBDIR}/grappa")

# libgrappa_mpi_<library>.so: see transport/mpi/mpi_interface.h.
function(grappa_add_mpi_plugin library package)
  if(NOT GRAPPA_HAS_${package})
    return()
  endif()
  add_library(grappa_mpi_${library} MODULE
    src/grappa/transport/mpi/mpi_plugin.cpp src/grappa/transport/mpi/mpi_bench_plugin.cpp)
  target_include_directories(grappa_mpi_${library} PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(grappa_mpi_${library} PRIVATE grappa_flags PkgConfig::${package})
  # Their C++ interfaces are obsolete, and want a library of their own.
  target_compile_definitions(grappa_mpi_${library} PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  set_target_properties(grappa_mpi_${library} PROPERTIES
    CXX_VISIBILITY_PRESET default  # its entry is looked up
    LIBRARY_OUTPUT_DIRECTORY "${grappa_plugin_build_dir}")
endfunction()
grappa_add_mpi_plugin(openmpi OPENMPI)
grappa_add_mpi_plugin(mpich MPICH)

set_property(SOURCE src/grappa/base/version.cpp APPEND PROPERTY COMPILE_DEFINITIONS
             GRAPPA_VERSION="${PROJECT_VERSION}" GRAPPA_BUILD_TYPE="${CMAKE_BUILD_TYPE}")
