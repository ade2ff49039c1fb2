# Language level, optimization, warnings and sanitizers.
#
# Flags that a program using the library must share (a task runs on our stacks, whoever compiled it)
# are usage requirements of `grappa_flags` and travel with the exported package; flags that are only
# about building this project (warnings, optimization) are set for the directory.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

# Only replaces CMake's own defaults: flags that a person gave on the command line stay.
foreach(language IN ITEMS CXX ASM)
  if(CMAKE_${language}_FLAGS_RELEASE MATCHES "^(-O3 -DNDEBUG)?$")
    set(CMAKE_${language}_FLAGS_RELEASE "-O3 -DNDEBUG -g1 -fno-plt")
  endif()
  if(CMAKE_${language}_FLAGS_DEBUG MATCHES "^(-g)?$")
    if(GRAPPA_SANITIZE)
      # Reports name lines; the rest of what -g writes takes a tenth of the time of compiling.
      set(CMAKE_${language}_FLAGS_DEBUG "-O1 -g1")
    else()
      set(CMAKE_${language}_FLAGS_DEBUG "-Og -g")
    endif()
  endif()
endforeach()

# For what is large to compile and never hot: takes two thirds of the time of -O3, and half of that
# of the sanitizers' -O1.
if(GRAPPA_SANITIZE)
  set(grappa_light_optimization "-O0")
else()
  set(grappa_light_optimization "$<$<CONFIG:Release>:-O1>")
endif()

# What is ours is parsed for each source, as it would be parsed again for all with each change; but
# where all is compiled from nothing, once, and takes a tenth of the time less.
if(GRAPPA_UNITY)
  set(grappa_own_headers "${PROJECT_SOURCE_DIR}/src/grappa/grappa.hpp")
endif()

# grappa_precompile(<target> <headers of others>): they are parsed once for all of its sources.
function(grappa_precompile target)
  if(GRAPPA_PRECOMPILE)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
      # ccache may bring what was precompiled when these headers had other times.
      target_compile_options(${target} PRIVATE
        "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
    endif()
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <atomic> <bit> <chrono> <cstdint> <cstring> <functional> <memory> <mutex>
      <optional> <span> <string> <string_view> <type_traits> <utility> <vector> <fmt/format.h> ${ARGN}
      ${grappa_own_headers})
  endif()
endfunction()

# grappa_unite(<target> <size> [<pattern> <size>]...): the sources of a folder are compiled so many at
# a time, as one file, since most of the time goes into the headers that they share; fewer where it
# goes into code. Those whose path matches a pattern are taken together, whatever their folder.
# Sources with options of their own stay alone.
function(grappa_unite target size)
  if(NOT GRAPPA_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # A source that is included looks like a header, in which local types would be a mistake; and a
  # constant of one source is no name of the next.
  target_compile_options(${target} PRIVATE -Wno-shadow
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  foreach(source IN LISTS sources)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE path)
    cmake_path(GET path PARENT_PATH group)
    set(most ${size})
    set(choices ${ARGN})
    while(choices)
      list(POP_FRONT choices pattern pattern_size)
      if(path MATCHES "${pattern}")
        set(group "${pattern}")
        set(most ${pattern_size})
        break()
      endif()
    endwhile()
    string(MAKE_C_IDENTIFIER "${group}" name)
    if(NOT DEFINED count_${name})
      set(count_${name} 0)
    endif()
    math(EXPR number "${count_${name}} / ${most}")
    math(EXPR count_${name} "${count_${name}} + 1")
    set_property(SOURCE "${source}" PROPERTY UNITY_GROUP "${target}_${name}_${number}")
  endforeach()
endfunction()

# grappa_optimize_lightly(<sources>): what is precompiled serves one level of optimization.
function(grappa_optimize_lightly)
  set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS ${grappa_light_optimization})
  set_property(SOURCE ${ARGN} PROPERTY SKIP_PRECOMPILE_HEADERS ON)
endfunction()

add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wall>
                    $<$<COMPILE_LANGUAGE:CXX>:-Wextra>
                    $<$<COMPILE_LANGUAGE:CXX>:-Wpedantic>
                    $<$<COMPILE_LANGUAGE:CXX>:-Wshadow>)
# Vectors that are wider than those of the processor are passed within a build only.
add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-psabi>)
# Messages name places as src/..., wherever the sources and the build are. (ccache may hand the
# compiler names that are relative to the build.)
cmake_path(RELATIVE_PATH PROJECT_SOURCE_DIR BASE_DIRECTORY "${CMAKE_BINARY_DIR}"
           OUTPUT_VARIABLE grappa_source_from_build)
add_compile_options("-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/="
                    "-fmacro-prefix-map=${grappa_source_from_build}/=")
if(GRAPPA_WERROR)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()
if(GRAPPA_NATIVE)
  add_compile_options(-march=native)
elseif(GRAPPA_LEVEL)
  add_compile_options(-march=${GRAPPA_LEVEL})
endif()
if(GRAPPA_LEVEL OR SKBUILD)
  add_compile_options(-g0)  # packages are stripped
endif()

add_library(grappa_flags INTERFACE)
set_target_properties(grappa_flags PROPERTIES EXPORT_NAME flags)
target_compile_features(grappa_flags INTERFACE cxx_std_20)
# Without it, one large frame could jump over the guard page of a task's small stack.
target_compile_options(grappa_flags INTERFACE -fstack-clash-protection)
# A message type is named by its module's build id: every module must have one.
target_link_options(grappa_flags INTERFACE -Wl,--build-id=sha1)

if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  target_compile_definitions(grappa_flags INTERFACE GRAPPA_DEBUG=1)
  target_compile_options(grappa_flags INTERFACE -fno-omit-frame-pointer)
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
endif()

if(GRAPPA_SANITIZE STREQUAL "address")
  set(grappa_sanitize_flags -fsanitize=address,undefined -fno-sanitize-recover=all)
  target_compile_definitions(grappa_flags INTERFACE GRAPPA_ASAN=1)
elseif(GRAPPA_SANITIZE STREQUAL "thread")
  set(grappa_sanitize_flags -fsanitize=thread)
  target_compile_definitions(grappa_flags INTERFACE GRAPPA_TSAN=1)
elseif(GRAPPA_SANITIZE STREQUAL "fuzzer")
  set(grappa_sanitize_flags -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all)
  target_compile_definitions(grappa_flags INTERFACE GRAPPA_ASAN=1)
endif()
if(GRAPPA_SANITIZE)
  target_compile_options(grappa_flags INTERFACE ${grappa_sanitize_flags})
  # They stand between a program and dlopen(), so that only an old-style run path is the program's.
  target_link_options(grappa_flags INTERFACE ${grappa_sanitize_flags} -Wl,--disable-new-dtags)
endif()
