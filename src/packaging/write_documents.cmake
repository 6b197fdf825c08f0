# Writes man1/*.1, NAME.bash and _NAME (for zsh) of a program to FOLDER:
# cmake -D PROGRAM=bin/skde -D NAME=skde -D FOLDER=... -P write_documents.cmake
cmake_minimum_required(VERSION 3.25)

# write_document(FILE WHAT...)
function(write_document file)
  execute_process(COMMAND "${PROGRAM}" --describe ${ARGN} OUTPUT_FILE "${FOLDER}/${file}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE "${FOLDER}")
file(MAKE_DIRECTORY "${FOLDER}/man1")
write_document("${NAME}.bash" bash)
write_document("_${NAME}" zsh)
write_document("man1/${NAME}.1" man)
execute_process(COMMAND "${PROGRAM}" --describe commands OUTPUT_VARIABLE commands COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" commands "${commands}")
foreach(command IN LISTS commands)
  write_document("man1/${NAME}-${command}.1" man ${command})
endforeach()
file(TOUCH "${FOLDER}/written")
