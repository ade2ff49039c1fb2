# The compiled part of Python's package, grappa._grappa: of pip, by scikit-build-core
# (pyproject.toml), or of a build folder:
#
#   cmake --preset release -DGRAPPA_PYTHON_MODULE=ON        # with nanobind for its python3

if(NOT GRAPPA_PYTHON_MODULE)
  return()
endif()
find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module)
execute_process(COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
  OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE nanobind_ROOT RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "GRAPPA_PYTHON_MODULE needs nanobind: ${Python_EXECUTABLE} -m pip install nanobind")
endif()
find_package(nanobind CONFIG REQUIRED)

file(GLOB sources CONFIGURE_DEPENDS python/module/*.cpp)
nanobind_add_module(grappa_python NB_STATIC NOMINSIZE NB_SUPPRESS_WARNINGS ${sources})
target_compile_options(nanobind-static PRIVATE -w)  # it is others'
target_include_directories(grappa_python PRIVATE "${PROJECT_SOURCE_DIR}")
target_link_libraries(grappa_python PRIVATE grappa_cli)
# Beside the sources of the package, so that a build folder can be used as it is.
set_target_properties(grappa_python PROPERTIES
  OUTPUT_NAME _grappa LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/python/grappa")
file(GLOB sources CONFIGURE_DEPENDS python/grappa/*.py python/grappa/*.pyi python/grappa/py.typed)
file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/python/grappa")
foreach(source IN LISTS sources)
  cmake_path(GET source FILENAME name)
  file(CREATE_LINK "${source}" "${PROJECT_BINARY_DIR}/python/grappa/${name}" SYMBOLIC)
endforeach()

install(TARGETS grappa_python LIBRARY DESTINATION grappa COMPONENT python)
