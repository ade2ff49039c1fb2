# cmake --install: headers, library, tool, and the package Grappa with target Grappa::grappa.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(grappa_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Grappa")

install(DIRECTORY src/grappa DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
foreach(library IN ITEMS openmpi mpich)
  if(TARGET grappa_mpi_${library})
    install(TARGETS grappa_mpi_${library} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/grappa")
  endif()
endforeach()
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
if(TARGET grappa_tool)
  install(TARGETS grappa_tool RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
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
  foreach(program IN ITEMS grappa_bench_tool grappa_pbgl)
    if(TARGET ${program})
      install(TARGETS ${program} RUNTIME DESTINATION "${CMAKE_INSTALL_LIBDIR}/grappa")
    endif()
  endforeach()
  install(DIRECTORY bench/baselines DESTINATION "${CMAKE_INSTALL_DATADIR}/grappa"
          PATTERN "__pycache__" EXCLUDE)
endif()
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
