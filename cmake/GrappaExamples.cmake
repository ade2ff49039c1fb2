# examples/<name>.cpp -> build/<preset>/examples/<name>

file(GLOB grappa_example_sources CONFIGURE_DEPENDS examples/*.cpp)
foreach(source IN LISTS grappa_example_sources)
  cmake_path(GET source STEM name)
  add_executable(example_${name} "${source}")
  target_link_libraries(example_${name} PRIVATE grappa)
  set_target_properties(example_${name} PROPERTIES
    OUTPUT_NAME ${name}
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/examples")
endforeach()
