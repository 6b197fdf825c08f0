# skde_documents(PROGRAM): builds and installs the man pages and the completions of a program, which writes them itself
# from its tables of flags.
function(skde_documents program)
  set(folder "${PROJECT_BINARY_DIR}/documents/${program}")
  add_custom_command(
    OUTPUT "${folder}/written"
    COMMAND "${CMAKE_COMMAND}" -D "PROGRAM=$<TARGET_FILE:${program}>" -D "NAME=${program}" -D "FOLDER=${folder}" -P
            "${PROJECT_SOURCE_DIR}/src/packaging/write_documents.cmake"
    DEPENDS ${program} "${PROJECT_SOURCE_DIR}/src/packaging/write_documents.cmake"
    COMMENT "Writing the man pages and completions of ${program}"
    VERBATIM)
  add_custom_target(${program}_documents ALL DEPENDS "${folder}/written")
  if(SKDE_INSTALL)
    install(DIRECTORY "${folder}/man1" DESTINATION "${CMAKE_INSTALL_MANDIR}" COMPONENT programs)
    install(FILES "${folder}/${program}.bash" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
            RENAME "${program}" COMPONENT programs)
    install(FILES "${folder}/_${program}" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" COMPONENT programs)
  endif()
endfunction()
