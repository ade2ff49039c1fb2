# Installs a build into an empty folder, then configures, builds and runs the project beside this
# file against it. Variables: BUILD_DIR, SOURCE_DIR, GENERATOR, CXX_COMPILER.

set(work "${BUILD_DIR}/tests/install")
file(REMOVE_RECURSE "${work}")

function(step)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT OUTPUT_VARIABLE output ECHO_OUTPUT_VARIABLE
                  COMMAND_ERROR_IS_FATAL ANY)
  set(output "${output}" PARENT_SCOPE)
endfunction()

step("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${work}/made")
# An installation may be moved as a whole.
file(RENAME "${work}/made" "${work}/prefix")
file(GLOB_RECURSE not_public "${work}/prefix/include/grappa/test_*" "${work}/prefix/include/grappa/*.S")
if(not_public)
  message(FATAL_ERROR "installed, and not for programs: ${not_public}")
endif()
step("${work}/prefix/bin/grappa" bench gups --table 1MiB --updates 1000 --trials 1)
foreach(file IN ITEMS bash-completion/completions/grappa zsh/vendor-completions/_grappa)
  file(STRINGS "${work}/prefix/share/${file}" offers REGEX "^--engine\t")
  if(NOT offers)
    message(FATAL_ERROR "the installed ${file} does not know the option --engine")
  endif()
endforeach()

# Only the package under test may be found, and nothing of the build that made it.
step("${CMAKE_COMMAND}" -S "${SOURCE_DIR}" -B "${work}/build" -G "${GENERATOR}"
     "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}" "-DCMAKE_PREFIX_PATH=${work}/prefix"
     -DCMAKE_BUILD_TYPE=Release)
step("${CMAKE_COMMAND}" --build "${work}/build")
step("${work}/build/outside")

# Under the launcher of each MPI library the tool and the program find the plug-in, and know of none
# in the build.
set(programs "${work}/prefix/bin/grappa" "${work}/build/outside")
foreach(program IN LISTS programs)
  file(STRINGS "${program}" places REGEX "${BUILD_DIR}/plugins")
  if(places)
    message(FATAL_ERROR "${program} looks for plug-ins in the build: ${places}")
  endif()
endforeach()
file(GLOB_RECURSE plugins "${work}/prefix/lib*/libgrappa_mpi_*.so")
foreach(plugin IN LISTS plugins)
  string(REGEX REPLACE ".*libgrappa_mpi_([a-z]+).*" "\\1" library "${plugin}")
  find_program(launcher_of_${library} mpirun.${library})
  if(NOT launcher_of_${library})
    continue()
  endif()
  set(launch env --unset=GRAPPA_PLUGIN_DIR OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
             OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
             RES_OPTIONS=attempts:0 GRAPPA_CORES=1 "${launcher_of_${library}}" -n 2)
  step(${launch} "${work}/prefix/bin/grappa" cc kron:8)
  step(${launch} "${work}/build/outside")
  if(NOT output MATCHES "counted 10000 of 10000 on 2 locales")
    message(FATAL_ERROR "not one job of two processes under ${library}: ${output}")
  endif()
endforeach()
