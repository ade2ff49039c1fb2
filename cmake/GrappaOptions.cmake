# What a person may choose when configuring. Included before project(), so that the choice of
# compiler launcher and build type is known to the first compiler check.

option(GRAPPA_NATIVE "Compile for exactly the processor of this machine (-march=native)" OFF)
set(GRAPPA_LEVEL "" CACHE STRING
    "For a package (scripts/package): the level of x86-64 to compile for, x86-64-v2, -v3 or -v4")
set_property(CACHE GRAPPA_LEVEL PROPERTY STRINGS "" x86-64-v2 x86-64-v3 x86-64-v4)
if(NOT GRAPPA_LEVEL MATCHES "^(x86-64-v[234])?$" OR (GRAPPA_LEVEL AND GRAPPA_NATIVE))
  message(FATAL_ERROR "GRAPPA_LEVEL is '${GRAPPA_LEVEL}'; allowed: x86-64-v2, x86-64-v3 or x86-64-v4, "
    "without GRAPPA_NATIVE, or empty")
endif()
# By default as the environment variable, so that ./grappa and ./run-tests build the same.
option(GRAPPA_WERROR "Treat warnings as errors" "$ENV{GRAPPA_WERROR}")
set(GRAPPA_BUILD_TESTS OFF CACHE STRING
    "Build the tests: ON, OFF, or AUTO (where what they need is found; so in the presets)")
set_property(CACHE GRAPPA_BUILD_TESTS PROPERTY STRINGS OFF AUTO ON)
option(GRAPPA_UNITY "Compile sources of a folder several at a time: faster from nothing" OFF)
option(GRAPPA_CCACHE "Compile through ccache where it is installed" ON)

# Wider numbers cost memory and time, which only graphs of 2^32 vertices and more are worth.
set(GRAPPA_VERTEX_BITS 32 CACHE STRING "Bits of a vertex number in graphs: 32 or 64")
set_property(CACHE GRAPPA_VERTEX_BITS PROPERTY STRINGS 32 64)
if(NOT GRAPPA_VERTEX_BITS MATCHES "^(32|64)$")
  message(FATAL_ERROR "GRAPPA_VERTEX_BITS is '${GRAPPA_VERTEX_BITS}'; allowed: 32 or 64")
endif()

option(GRAPPA_PYTHON_MODULE "Build the compiled part of Python's package; needs nanobind" OFF)
if(GRAPPA_PYTHON_MODULE)
  # It is a shared library, into which everything else goes; nothing but its entry is seen. What is
  # a thread's own is asked for at each switch of tasks: it lies where programs have theirs. That
  # goes for what libstdc++ has of it for std::call_once and futures, too, which is elsewhere when
  # another module has brought libstdc++ already: so neither is used.
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  set(CMAKE_CXX_VISIBILITY_PRESET hidden)
  set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
  add_compile_options(-ftls-model=initial-exec)
endif()

# While one layer is being changed, the layers above it need not compile:
# -DGRAPPA_LAYERS="base;context".
set(GRAPPA_LAYERS "" CACHE STRING "Folders of src/grappa to build; empty means all")

set(GRAPPA_SANITIZE "" CACHE STRING "Sanitizer to build with: address, thread, fuzzer or nothing")
set_property(CACHE GRAPPA_SANITIZE PROPERTY STRINGS "" address thread fuzzer)
if(NOT GRAPPA_SANITIZE MATCHES "^(address|thread|fuzzer)?$")
  message(FATAL_ERROR
    "GRAPPA_SANITIZE is '${GRAPPA_SANITIZE}'; allowed: address, thread, fuzzer or empty")
endif()

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release or Debug" FORCE)
endif()

# A fifth of the time of a full build is reading these again and again. scripts/check-alone finds
# what leans on them.
option(GRAPPA_PRECOMPILE "Precompile headers of the standard library, {fmt} and nlohmann-json" ON)

if(GRAPPA_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(GRAPPA_CCACHE_PROGRAM ccache)
  mark_as_advanced(GRAPPA_CCACHE_PROGRAM)
  if(GRAPPA_CCACHE_PROGRAM)
    # What ccache must overlook to know a compilation with precompiled headers again.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
        CCACHE_SLOPPINESS=pch_defines,time_macros "${GRAPPA_CCACHE_PROGRAM}")
  endif()
endif()

set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
