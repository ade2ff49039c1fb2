# tests/fuzz/<name>_fuzz.cpp, each a LLVMFuzzerTestOneInput.
#
# In the preset `fuzz` they are libFuzzer programs, target fuzz_all, run by `./run-tests fuzz`.
# Elsewhere each is linked with a small main that runs it once on every file of its corpus,
# tests/fuzz/corpus/<name>_fuzz/, as the test "fuzz/<name>": what was once found stays fixed.

file(GLOB grappa_fuzz_sources CONFIGURE_DEPENDS tests/fuzz/*_fuzz.cpp)

if(GRAPPA_SANITIZE STREQUAL "fuzzer")
  add_custom_target(fuzz_all)
  set(grappa_fuzz_main "")
  set(grappa_fuzz_link_options -fsanitize=fuzzer)
elseif(COMMAND grappa_add_test)
  set(grappa_fuzz_main tests/fuzz/replay_main.cpp)
  set(grappa_fuzz_link_options "")
else()
  return()
endif()

foreach(source IN LISTS grappa_fuzz_sources)
  cmake_path(GET source STEM program)
  add_executable(${program} "${source}" ${grappa_fuzz_main})
  target_include_directories(${program} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${program} PRIVATE grappa)
  target_link_options(${program} PRIVATE ${grappa_fuzz_link_options})
  set_target_properties(${program} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/fuzz")
  if(TARGET fuzz_all)
    add_dependencies(fuzz_all ${program})
  else()
    string(REGEX REPLACE "_fuzz$" "" name ${program})
    grappa_add_test(fuzz/${name} LABELS fuzz
      COMMAND ${program} "${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${program}")
  endif()
endforeach()
