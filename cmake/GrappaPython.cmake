# The compiled part of Python's package, grappa._grappa: of pip, by scikit-build-core
# (pyproject.toml), or of a build folder:
#
#   cmake --preset release -DGRAPPA_PYTHON_MODULE=ON        # with nanobind for its python3

if(NOT GRAPPA_PYTHON_MODULE)
  return()
endif()
find_package(Python 3.10 REQUIRED
  COMPONENTS Interpreter Development.Module ${SKBUILD_SABI_COMPONENT})
execute_process(COMMAND "${Python_EXECUTABLE}" -c
  "import sysconfig; print(sysconfig.get_config_var('Py_GIL_DISABLED') or 0)"
  OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE without_gil)
if(without_gil)
  message(FATAL_ERROR "Grappa is for Python with its GIL, and ${Python_EXECUTABLE} is free-threaded")
endif()
execute_process(COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
  OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE nanobind_ROOT RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "GRAPPA_PYTHON_MODULE needs nanobind: ${Python_EXECUTABLE} -m pip install nanobind")
endif()
find_package(nanobind CONFIG REQUIRED)

file(GLOB sources CONFIGURE_DEPENDS python/module/*.cpp)
nanobind_add_module(grappa_python STABLE_ABI NB_STATIC NOMINSIZE NB_SUPPRESS_WARNINGS ${sources})
foreach(library IN ITEMS nanobind-static nanobind-static-abi3)
  if(TARGET ${library})
    target_compile_options(${library} PRIVATE -w)  # it is others'
  endif()
endforeach()
target_include_directories(grappa_python PRIVATE "${PROJECT_SOURCE_DIR}")
target_link_libraries(grappa_python PRIVATE grappa_cli)
# Beside the sources of the package, so that a build folder can be used as it is.
set_target_properties(grappa_python PROPERTIES
  OUTPUT_NAME _grappa LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/python/grappa")
file(GLOB_RECURSE sources CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}"
     python/grappa/*.py python/grappa/*.pyi python/grappa/py.typed)
file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/python/grappa/serving")
foreach(source IN LISTS sources)
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${source}" "${PROJECT_BINARY_DIR}/${source}" SYMBOLIC)
endforeach()

# Under a launcher it loads a plug-in.
set_target_properties(grappa_python PROPERTIES INSTALL_RPATH "$ORIGIN/${grappa_plugin_dir}")
foreach(library IN ITEMS openmpi mpich)
  if(TARGET grappa_mpi_${library})
    add_dependencies(grappa_python grappa_mpi_${library})
    install(TARGETS grappa_mpi_${library} LIBRARY DESTINATION "${grappa_plugin_dir}" COMPONENT python)
  endif()
endforeach()

# In the folder of the package, where the component `dev` makes a prefix for C++ programs, too.
install(TARGETS grappa_python LIBRARY DESTINATION . COMPONENT python)
