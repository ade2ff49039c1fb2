# cmake --install: headers, library, tool, and the package Grappa with target Grappa::grappa.
#
# Components: `tool`, and `dev` for programs that use the library. Of a build for one of the higher
# levels of processors, only what runs hot is installed, beside what the lowest one brings.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME tool)
if(TARGET grappa_tool)
  file(RELATIVE_PATH from_tool "/${grappa_tool_dir}" "/${grappa_plugin_dir}")
  file(RELATIVE_PATH from_bench "/${grappa_bench_dir}" "/${grappa_plugin_dir}")
  set_target_properties(grappa_tool PROPERTIES INSTALL_RPATH "$ORIGIN/${from_tool}")
  set_target_properties(grappa_bench_tool PROPERTIES INSTALL_RPATH "$ORIGIN/${from_bench}")
  install(TARGETS grappa_tool RUNTIME DESTINATION "${grappa_tool_dir}")
  install(TARGETS grappa_bench_tool RUNTIME DESTINATION "${grappa_bench_dir}")
endif()
if(GRAPPA_LEVEL AND NOT GRAPPA_LEVEL STREQUAL "x86-64-v2")
  return()
endif()

set(grappa_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Grappa")

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME dev)
install(CODE "
  set(source \"${PROJECT_SOURCE_DIR}/src\")
  set(destination \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}\")")
install(SCRIPT cmake/InstallHeaders.cmake)
install(TARGETS grappa grappa_flags EXPORT GrappaTargets
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(EXPORT GrappaTargets NAMESPACE Grappa:: DESTINATION "${grappa_package_dir}")
configure_package_config_file(cmake/GrappaConfig.cmake.in
  "${PROJECT_BINARY_DIR}/GrappaConfig.cmake" INSTALL_DESTINATION "${grappa_package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/GrappaConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/GrappaConfig.cmake"
              "${PROJECT_BINARY_DIR}/GrappaConfigVersion.cmake"
        DESTINATION "${grappa_package_dir}")
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME tool)
foreach(library IN ITEMS openmpi mpich)
  if(TARGET grappa_mpi_${library})
    install(TARGETS grappa_mpi_${library} LIBRARY DESTINATION "${grappa_plugin_dir}")
  endif()
endforeach()
if(TARGET grappa_tool)
  # Completion, where the packages of either shell look for it; by the tool, whose options it knows.
  set(grappa_completion_dir "${PROJECT_BINARY_DIR}/completion")
  install(CODE "
    foreach(shell IN ITEMS bash zsh)
      file(MAKE_DIRECTORY \"${grappa_completion_dir}/\${shell}\")
      execute_process(COMMAND \"$<TARGET_FILE:grappa_tool>\" completion \${shell}
        OUTPUT_FILE \"${grappa_completion_dir}/\${shell}/grappa\" COMMAND_ERROR_IS_FATAL ANY)
    endforeach()")
  install(FILES "${grappa_completion_dir}/bash/grappa"
          DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
  install(FILES "${grappa_completion_dir}/zsh/grappa" RENAME _grappa
          DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions")
  if(TARGET grappa_pbgl AND NOT GRAPPA_LEVEL)  # a package would need its libraries
    install(TARGETS grappa_pbgl RUNTIME DESTINATION "${CMAKE_INSTALL_LIBDIR}/grappa")
  endif()
  install(DIRECTORY bench/baselines DESTINATION "${CMAKE_INSTALL_DATADIR}/grappa"
          PATTERN "__pycache__" EXCLUDE)
endif()
if(TARGET grappa_level)
  install(TARGETS grappa_level RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  include(GrappaPackage)
else()
  install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
endif()
