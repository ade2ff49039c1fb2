# Everything here is in Debian 12; scripts/packages.txt names the packages.

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(DEFLATE REQUIRED IMPORTED_TARGET libdeflate)
pkg_check_modules(LZ4 REQUIRED IMPORTED_TARGET liblz4)
pkg_check_modules(SNAPPY REQUIRED IMPORTED_TARGET snappy)
pkg_check_modules(SIMDJSON REQUIRED IMPORTED_TARGET simdjson)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
# Their -pthread is not needed beside Threads::Threads, and would stand in each command; so would what
# says that streams of documents, which are not used, have threads.
set_property(TARGET PkgConfig::SIMDJSON PkgConfig::RE2 PROPERTY INTERFACE_COMPILE_OPTIONS)

# What follows is optional. Where it is used, GRAPPA_HAS_… says whether it is there.
include(GrappaProbe)

# Each MPI library that is there gets a plug-in; the program itself links none.
set(program_of_mpi "#define OMPI_SKIP_MPICXX
#define MPICH_SKIP_MPICXX
#include <mpi.h>
int main(int argc, char** argv) { if (MPI_Init(&argc, &argv)) {} }")  # (without a semicolon)
pkg_check_modules(OPENMPI QUIET IMPORTED_TARGET ompi)
grappa_probe(GRAPPA_HAS_OPENMPI "the plug-in for Open MPI" PACKAGES libopenmpi-dev
             NEEDS PkgConfig::OPENMPI SOURCE "${program_of_mpi}")
pkg_check_modules(MPICH QUIET IMPORTED_TARGET mpich)
grappa_probe(GRAPPA_HAS_MPICH "the plug-in for MPICH" PACKAGES libmpich-dev
             NEEDS PkgConfig::MPICH SOURCE "${program_of_mpi}")

# Lines of the shell of queries. (GNU readline does the same under a licence that is not ours.)
pkg_check_modules(EDIT QUIET IMPORTED_TARGET libedit)
grappa_probe(GRAPPA_HAS_LIBEDIT "editing, history and completion in the shell of grappa sql"
             PACKAGES libedit-dev NEEDS PkgConfig::EDIT
             SOURCE "#include <histedit.h>
int main() { if (el_init(\"\", nullptr, nullptr, nullptr)) {} }")

# Baselines of the benchmarks. OpenMP is part of GCC; Clang's is a package of its own.
find_package(OpenMP QUIET COMPONENTS CXX)
grappa_probe(GRAPPA_HAS_OPENMP "the OpenMP baselines of benchmarks" PACKAGES libomp-19-dev
             NEEDS OpenMP::OpenMP_CXX)
set(Boost_USE_STATIC_LIBS ON)
find_package(Boost 1.74 QUIET CONFIG COMPONENTS fiber)
grappa_probe(GRAPPA_HAS_BOOST_FIBER "the Boost.Fiber baseline of bench context-switch"
             PACKAGES libboost-fiber-dev NEEDS Boost::fiber)

# Made for the MPI that is Debian's choice. Not by find_package, which would look for an MPI compiler
# as well.
foreach(library IN ITEMS graph_parallel mpi serialization)
  string(TOUPPER "GRAPPA_BOOST_${library}" variable)
  find_library(${variable} boost_${library})
  list(APPEND grappa_pbgl_libraries "${${variable}}")
endforeach()
find_path(GRAPPA_BOOST_GRAPH_HEADERS boost/graph/distributed/mpi_process_group.hpp)
find_program(GRAPPA_OPENMPI_LAUNCHER NAMES mpirun.openmpi mpirun)
if(CMAKE_BUILD_TYPE STREQUAL "Release")  # of use only where things are measured
  grappa_probe(GRAPPA_HAS_PBGL "the PBGL baseline of bench kernels"
               PACKAGES libboost-graph-parallel-dev libboost-mpi-dev libopenmpi-dev
               NEEDS ${grappa_pbgl_libraries} "${GRAPPA_BOOST_GRAPH_HEADERS}" PkgConfig::OPENMPI)
endif()
