# examples/<name>.cpp -> build/<preset>/examples/<name>

file(GLOB grappa_example_sources CONFIGURE_DEPENDS examples/*.cpp)

# What they all include is half of what their compilation takes.
set(grappa_example_headers OFF)
if(GRAPPA_PRECOMPILE AND grappa_own_headers)
  set(grappa_example_headers ON)
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/example_headers.cpp" CONTENT "" @ONLY)
  add_library(grappa_example_headers OBJECT "${PROJECT_BINARY_DIR}/example_headers.cpp")
  target_link_libraries(grappa_example_headers PRIVATE grappa)
  target_precompile_headers(grappa_example_headers PRIVATE ${grappa_own_headers})
endif()

foreach(source IN LISTS grappa_example_sources)
  cmake_path(GET source STEM name)
  add_executable(example_${name} "${source}")
  target_link_libraries(example_${name} PRIVATE grappa)
  set_target_properties(example_${name} PROPERTIES
    OUTPUT_NAME ${name}
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/examples")
  if(grappa_example_headers)
    target_precompile_headers(example_${name} REUSE_FROM grappa_example_headers)
  endif()
endforeach()
