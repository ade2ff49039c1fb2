# Installs what programs include, and what that includes; nothing else. Variables: source, the folder
# that includes are relative to, and destination.

cmake_policy(VERSION 3.24)

set(pending grappa/grappa.hpp grappa/graph.hpp grappa/mapreduce.hpp grappa/query.hpp)
set(found "")
while(pending)
  list(POP_FRONT pending header)
  if(header IN_LIST found)
    continue()
  endif()
  list(APPEND found "${header}")
  file(STRINGS "${source}/${header}" includes REGEX "^#include \"grappa/")
  list(TRANSFORM includes REPLACE "^#include \"(.*)\"" "\\1")
  list(APPEND pending ${includes})
  get_filename_component(folder "${header}" DIRECTORY)
  file(INSTALL "${source}/${header}" DESTINATION "${destination}/${folder}")
endwhile()
