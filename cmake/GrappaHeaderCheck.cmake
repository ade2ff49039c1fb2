# Target header_check (not part of `all`): each header compiled alone, so that none leans on what
# its users happen to include before it. A header that x.cpp includes before anything else is
# checked wherever x.cpp compiles, unless with what is precompiled, and is left out.

file(GLOB_RECURSE grappa_headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}"
     src/grappa/*.hpp cli/*.hpp bench/*.hpp)

set(grappa_header_sources "")
foreach(header IN LISTS grappa_headers)
  string(REGEX REPLACE "^src/" "" include_path "${header}")
  string(REGEX REPLACE "\\.hpp$" ".cpp" implementation "${header}")
  if(NOT GRAPPA_PRECOMPILE AND EXISTS "${PROJECT_SOURCE_DIR}/${implementation}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${implementation}")
    file(STRINGS "${implementation}" includes REGEX "^ *# *include" LIMIT_COUNT 1)
    if(includes STREQUAL "#include \"${include_path}\"")
      continue()
    endif()
  endif()
  string(REGEX REPLACE "\\.hpp$" ".cpp" source "${PROJECT_BINARY_DIR}/header_check/${include_path}")
  file(CONFIGURE OUTPUT "${source}" CONTENT "#include \"${include_path}\"\n" @ONLY)
  list(APPEND grappa_header_sources "${source}")
endforeach()

if(grappa_header_sources)
  add_library(header_check OBJECT EXCLUDE_FROM_ALL ${grappa_header_sources})
  target_compile_options(header_check PRIVATE -O0)
  target_include_directories(header_check PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(header_check PRIVATE grappa CLI11::CLI11 nlohmann_json::nlohmann_json)
else()
  add_custom_target(header_check)
endif()
