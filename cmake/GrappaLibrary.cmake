# The library: every source of every layer in one static archive.

file(GLOB grappa_sources CONFIGURE_DEPENDS
     src/grappa/*/*.cpp src/grappa/*/*.S
     src/grappa/*/*/*.cpp src/grappa/*/*/*.S)
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
          PkgConfig::HWLOC PkgConfig::ZSTD PkgConfig::DEFLATE ${CMAKE_DL_LIBS})

grappa_precompile(grappa)
grappa_unite(grappa 12 kernel 1 program 2 graph 4 verify 6 distributed 5)

# Runs once at the end of a run, and is mostly nlohmann-json.
grappa_optimize_lightly(src/grappa/base/metrics_report.cpp)

set(grappa_plugin_build_dir "${PROJECT_BINARY_DIR}/plugins")
include(GNUInstallDirs)
set(grappa_plugin_install_dir "${CMAKE_INSTALL_FULL_LIBDIR}/grappa")
set(grappa_plugin_first_dir "${grappa_plugin_build_dir}")
if(GRAPPA_LEVEL)
  # Where a package is used, nothing is to be loaded from the folder in which it was made.
  set(grappa_plugin_first_dir "${grappa_plugin_install_dir}")
endif()
set_property(SOURCE src/grappa/transport/mpi/mpi_library.cpp APPEND PROPERTY COMPILE_DEFINITIONS
             GRAPPA_PLUGIN_BUILD_DIR="${grappa_plugin_first_dir}"
             GRAPPA_PLUGIN_INSTALL_DIR="${grappa_plugin_install_dir}")

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
    LIBRARY_OUTPUT_DIRECTORY "${grappa_plugin_build_dir}")
endfunction()
grappa_add_mpi_plugin(openmpi OPENMPI)
grappa_add_mpi_plugin(mpich MPICH)

set_property(SOURCE src/grappa/base/version.cpp APPEND PROPERTY COMPILE_DEFINITIONS
             GRAPPA_VERSION="${PROJECT_VERSION}" GRAPPA_BUILD_TYPE="${CMAKE_BUILD_TYPE}")
