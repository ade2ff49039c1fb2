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
# Part of GCC. Clang's is a package of its own, and only the baselines of the benchmarks need it.
find_package(OpenMP COMPONENTS CXX)

# A baseline of one benchmark.
set(Boost_USE_STATIC_LIBS ON)
find_package(Boost 1.74 QUIET CONFIG COMPONENTS fiber)

# Each MPI library that is there gets a plug-in; the program itself links none.
pkg_check_modules(OPENMPI IMPORTED_TARGET ompi)
pkg_check_modules(MPICH IMPORTED_TARGET mpich)

# Another one, made for the MPI that is Debian's choice. Not by find_package, which would look for an
# MPI compiler as well.
foreach(library IN ITEMS graph_parallel mpi serialization)
  string(TOUPPER "GRAPPA_BOOST_${library}" variable)
  find_library(${variable} boost_${library})
endforeach()
find_program(GRAPPA_OPENMPI_LAUNCHER NAMES mpirun.openmpi mpirun)
