# The library: every source of every layer in one static archive.

file(GLOB grappa_sources CONFIGURE_DEPENDS
     src/grappa/*/*.cpp src/grappa/*/*.S
     src/grappa/*/*/*.cpp src/grappa/*/*/*.S)
list(FILTER grappa_sources EXCLUDE REGEX "_(test|main)\\.cpp$")
if(GRAPPA_LAYERS)
  list(JOIN GRAPPA_LAYERS "|" layers)
  list(FILTER grappa_sources INCLUDE REGEX "/src/grappa/(${layers})/")
endif()

add_library(grappa STATIC ${grappa_sources})
add_library(Grappa::grappa ALIAS grappa)
target_include_directories(grappa PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
  $<INSTALL_INTERFACE:include>)
target_link_libraries(grappa
  PUBLIC grappa_flags Threads::Threads fmt::fmt
  PRIVATE nlohmann_json::nlohmann_json ZLIB::ZLIB
          PkgConfig::HWLOC PkgConfig::ZSTD PkgConfig::DEFLATE)

# Runs once at the end of a run, and is mostly nlohmann-json.
set_property(SOURCE src/grappa/base/metrics_report.cpp
             APPEND PROPERTY COMPILE_OPTIONS ${grappa_light_optimisation})

set_property(SOURCE src/grappa/base/version.cpp APPEND PROPERTY COMPILE_DEFINITIONS
             GRAPPA_VERSION="${PROJECT_VERSION}" GRAPPA_BUILD_TYPE="${CMAKE_BUILD_TYPE}")
