# The Debian packages grappa and grappa-dev, for any x86-64 processor from x86-64-v2 on. Made by
# scripts/package, which adds what is compiled for higher levels, and what grappa depends on.

foreach(component IN ITEMS tool dev)
  set(name grappa)
  if(component STREQUAL "dev")
    set(name grappa-dev)
  endif()
  install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${name}" RENAME copyright
          COMPONENT ${component})
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The Grappa authors <grappa@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX "${CMAKE_INSTALL_PREFIX}")
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL tool dev)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_HOMEPAGE "https://www.usenix.org/conference/atc15/technical-session/presentation/nelson")

set(CPACK_COMPONENT_TOOL_DESCRIPTION
"The command-line tool grappa, which crunches graphs, and its benchmarks; runs alone, or on a
cluster under the launcher of Open MPI or MPICH.")
set(CPACK_DEBIAN_TOOL_PACKAGE_SECTION science)
# The plug-ins are loaded under a launcher only, which brings the library that they want.
set(CPACK_DEBIAN_TOOL_PACKAGE_RECOMMENDS "openmpi-bin | mpich")
set(CPACK_DEBIAN_TOOL_PACKAGE_SUGGESTS "grappa-dev")

set(CPACK_COMPONENT_DEV_DESCRIPTION
"The headers and the static library of the Grappa runtime, and its CMake package.")
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
# It has the plug-ins that a program loads under a launcher.
set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS "grappa (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libfmt-dev, libhwloc-dev, libzstd-dev, libdeflate-dev,\
 liblz4-dev, libsnappy-dev, libsimdjson-dev, libre2-dev, nlohmann-json3-dev, zlib1g-dev,\
 pkg-config")
include(CPack)
