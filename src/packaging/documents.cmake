# skde_documents(PROGRAM COMPONENT): builds and installs the man pages and the completions of a program, which writes
# them itself from its tables of flags, in the package of this component.
function(skde_documents program component)
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
    install(DIRECTORY "${folder}/man1" DESTINATION "${CMAKE_INSTALL_MANDIR}" COMPONENT ${component})
    install(FILES "${folder}/${program}.bash" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
            RENAME "${program}" COMPONENT ${component})
    install(FILES "${folder}/_${program}" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" COMPONENT ${component})
  endif()
endfunction()
