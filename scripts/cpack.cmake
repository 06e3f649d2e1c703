# Installs the program and makes its packages: `cpack -G DEB`, `-G TGZ` or `-G RPM` in a build directory. CMakeLists.txt
# includes this file at its end. cpack runs it again after it has installed into its staging directory and before it
# packs that directory. For DEB the second run adds the files that Debian's policy requires. For TGZ and RPM it makes a
# directory that brings its own libraries, because each distribution has different ones.

if(CPACK_TEMPORARY_DIRECTORY)
  set(usr ${CPACK_TEMPORARY_DIRECTORY}${CPACK_PACKAGING_INSTALL_PREFIX})
  if(CPACK_GENERATOR STREQUAL "TGZ")
    include(${CMAKE_CURRENT_LIST_DIR}/portable.cmake)
    make_portable(${usr} ${CPACK_TEMPORARY_DIRECTORY})
    file(COPY ${usr}/share DESTINATION ${CPACK_TEMPORARY_DIRECTORY})
    file(REMOVE_RECURSE ${usr})
  elseif(CPACK_GENERATOR STREQUAL "RPM")
    include(${CMAKE_CURRENT_LIST_DIR}/portable.cmake)
    make_portable(${usr} ${usr}/libexec/profile)
    file(MAKE_DIRECTORY ${usr}/sbin)
    file(CREATE_LINK ../libexec/profile/profile ${usr}/sbin/profile SYMBOLIC)
  endif()
  if(NOT CPACK_GENERATOR STREQUAL "DEB")
    return()
  endif()
  set(doc ${usr}/share/doc/profile)

  # put(FILE): writes `content` to a file that all users may read, whatever the umask is.
  function(put file)
    file(WRITE ${file} "${content}")
    file(CHMOD ${file} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  endfunction()
  function(compress file)
    execute_process(COMMAND gzip -9nf ${file} COMMAND_ERROR_IS_FATAL ANY)
  endfunction()

  file(MAKE_DIRECTORY ${usr}/share/zsh/vendor-completions)
  file(RENAME ${usr}/share/zsh/site-functions/_profile ${usr}/share/zsh/vendor-completions/_profile)
  file(REMOVE_RECURSE ${usr}/share/zsh/site-functions)
  compress(${usr}/share/man/man8/profile.8)

  file(READ ${PROFILE_SOURCE_DIR}/README.md content)
  put(${doc}/README.md)

  # string(TIMESTAMP) uses SOURCE_DATE_EPOCH if it is set.
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
  set(content "profile (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium

  * Built by cpack from the sources of version ${CPACK_PACKAGE_VERSION}.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  put(${doc}/changelog.Debian)
  compress(${doc}/changelog.Debian)

  # Debian's form of LICENSE: the full text of the short licence, and for the long one its path on every Debian system.
  file(READ ${PROFILE_SOURCE_DIR}/LICENSE license)
  string(REGEX MATCH "Redistribution and use in source.*OF SUCH DAMAGE\\." bsd "${license}")
  if(bsd STREQUAL "")
    message(FATAL_ERROR "LICENSE does not hold the BSD licence as it did")
  endif()
  string(REPLACE "\n\n" "\n.\n" bsd "${bsd}")
  string(REPLACE "\n" "\n " bsd "${bsd}")
  set(content "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: profile

Files: *
Copyright: the profile authors
License: BSD-2-Clause or GPL-2.0-only

License: BSD-2-Clause
 ${bsd}

License: GPL-2.0-only
 This program is free software; you can redistribute it and/or modify it
 under the terms of version 2 of the GNU General Public License as published
 by the Free Software Foundation.
 .
 On Debian systems the whole text of that licence is in
 /usr/share/common-licenses/GPL-2.
")
  put(${doc}/copyright)
  return()
endif()

# --- What is installed ---------------------------------------------------------------------------------------------
# The program prints the completions itself. Where it cannot run (a cross build), there are none.
if(NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR)
  set(completions ${CMAKE_BINARY_DIR}/completions)
  file(MAKE_DIRECTORY ${completions})
  add_custom_command(
    TARGET profile POST_BUILD
    COMMAND profile --completion bash > ${completions}/profile
    COMMAND profile --completion zsh > ${completions}/_profile
    VERBATIM)
  install(FILES ${completions}/profile DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${completions}/_profile DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endif()
install(TARGETS profile RUNTIME DESTINATION ${CMAKE_INSTALL_SBINDIR})
install(FILES man/profile.8 DESTINATION ${CMAKE_INSTALL_MANDIR}/man8)
install(FILES scripts/agent/profile-agent.service DESTINATION lib/systemd/system)
install(FILES scripts/agent/profile-agent.conf DESTINATION ${CMAKE_INSTALL_DATADIR}/profile)
install(FILES man/profile.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/profile)

# --- The package ---------------------------------------------------------------------------------------------------
set(PROFILE_MAINTAINER "the profile authors <profile@packages.invalid>" CACHE STRING "Maintainer of the package")
set(CPACK_PACKAGE_NAME profile)
set(CPACK_PACKAGE_CONTACT "${PROFILE_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "sampling profiler that counts stacks in the kernel by BPF")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "\
profile shows where programs and the kernel spend time, wait, call and
allocate. A BPF program counts whole stacks in the kernel, so that a sample
costs microseconds, and names are put to them afterwards.

It writes text, flame graphs (HTML, SVG, PNG), pprof, speedscope and JSON,
shows a live flame graph in a browser or in the terminal, compares profiles,
and can run for as long as the machine does.")
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The font of the pictures is recommended. The program looks for the suggested library and program only when it needs
# them.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS fonts-dejavu-core)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libdebuginfod1, libcapstone4, ffmpeg")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/scripts/agent/postinst
                                       ${CMAKE_SOURCE_DIR}/scripts/agent/prerm ${CMAKE_SOURCE_DIR}/scripts/agent/postrm)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/scripts/cpack.cmake)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_BINARY_DIR}/CPackProfile.cmake)

# --- The directory that runs anywhere, as a tarball and as an rpm ------------------------------------------------------
# The package contains all its libraries, so it neither requires anything of the system nor provides anything to other
# packages.
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE "BSD-2-Clause OR GPL-2.0-only")
set(CPACK_RPM_PACKAGE_DESCRIPTION "${CPACK_DEBIAN_PACKAGE_DESCRIPTION}")
set(CPACK_RPM_PACKAGE_AUTOREQPROV OFF)
# rpm must not change these files: they are stripped already, and the libraries come from other packages.
set(CPACK_RPM_SPEC_MORE_DEFINE
    "%define __os_install_post %{nil}\n%define __strip /bin/true\n%define debug_package %{nil}\n%define _build_id_links none")
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION
    /usr/sbin /usr/libexec /usr/lib/systemd /usr/lib/systemd/system /usr/share/man /usr/share/man/man8 /usr/share/bash-completion /usr/share/bash-completion/completions
    /usr/share/zsh /usr/share/zsh/site-functions)
file(WRITE ${CPACK_PROJECT_CONFIG_FILE} "set(PROFILE_SOURCE_DIR \"${CMAKE_SOURCE_DIR}\")
if(CPACK_GENERATOR STREQUAL TGZ)
  set(CPACK_PACKAGE_FILE_NAME profile-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
endif()
")
# Without this a source package would contain the builds, and so itself.
set(CPACK_SOURCE_IGNORE_FILES "/build[^/]*/" "/\\\\.git/")
include(CPack)
