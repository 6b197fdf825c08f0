# Run by CPack over the files of the packages, before they are made: man pages are packed, as Debian's policy wants them,
# and completions go to where Debian's zsh looks for those of packages.
set(programs "${CPACK_TEMPORARY_DIRECTORY}/programs${CPACK_PACKAGING_INSTALL_PREFIX}/share")
file(GLOB pages "${programs}/man/man1/*.1")
if(pages)
  execute_process(COMMAND gzip -9n ${pages} COMMAND_ERROR_IS_FATAL ANY)
endif()
if(EXISTS "${programs}/zsh/site-functions")
  file(RENAME "${programs}/zsh/site-functions" "${programs}/zsh/vendor-completions")
endif()
