# Installs a build into an empty folder, then configures, builds and runs the project beside this
# file against it. Variables: BUILD_DIR, SOURCE_DIR, GENERATOR, CXX_COMPILER.

set(work "${BUILD_DIR}/tests/install")
file(REMOVE_RECURSE "${work}")

function(step)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

step("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${work}/made")
# An installation may be moved as a whole.
file(RENAME "${work}/made" "${work}/prefix")
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
