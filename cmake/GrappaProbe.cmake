# grappa_probe(<variable> <part> PACKAGES <Debian packages> NEEDS <targets and paths>...
#              [SOURCE <text>])
#
# Sets <variable> to whether an optional part can be built: every target and path that it needs is
# there, and with SOURCE a program of this text compiles and links with the targets. A part that
# lacks something is left out, which is said in one line.

function(grappa_probe variable part)
  cmake_parse_arguments(arg "" "SOURCE" "PACKAGES;NEEDS" ${ARGN})
  set(paths ${arg_NEEDS})
  foreach(need IN LISTS arg_NEEDS)
    if(TARGET ${need})
      get_target_property(folders ${need} INTERFACE_INCLUDE_DIRECTORIES)
      list(REMOVE_ITEM paths ${need})
      list(APPEND paths ${folders})
    endif()
  endforeach()
  list(FILTER paths EXCLUDE REGEX "^folders-NOTFOUND$|\\$<")  # it has none, or an expression
  set(there TRUE)
  foreach(path IN LISTS paths)
    if(NOT EXISTS "${path}")
      set(there FALSE)
    endif()
  endforeach()
  # What has worked is not tried again; what has not may have been installed since.
  if(arg_SOURCE AND there AND NOT ${variable}_WORKS)
    set(folder "${PROJECT_BINARY_DIR}/CMakeFiles/probe/${variable}")
    file(WRITE "${folder}/probe.cpp" "${arg_SOURCE}\n")
    try_compile(${variable}_WORKS "${folder}" "${folder}/probe.cpp" LINK_LIBRARIES ${arg_NEEDS})
    set(there ${${variable}_WORKS})
  endif()
  set(${variable} ${there} PARENT_SCOPE)
  if(NOT there)
    list(JOIN arg_PACKAGES " " packages)
    message(STATUS "Left out: ${part} (what it needs is in Debian's ${packages})")
  endif()
endfunction()
