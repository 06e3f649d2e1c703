# Compiles for arm64 with the clang and lld that are here, against Debian's packages unpacked in SYSROOT: nothing of another
# architecture is installed.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
# CMake's own trials of the compiler read this file without the command line's settings.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SYSROOT)
set(CMAKE_SYSROOT ${SYSROOT})

set(triplet aarch64-linux-gnu)
foreach(language C CXX)
  set(CMAKE_${language}_COMPILER_TARGET ${triplet})
  # A guest gains little from more, and the compiler takes a third less time.
  set(CMAKE_${language}_FLAGS_RELEASE "-O1 -DNDEBUG" CACHE STRING "")
endforeach()
find_program(CMAKE_C_COMPILER NAMES clang clang-14 REQUIRED)
find_program(CMAKE_CXX_COMPILER NAMES clang++ clang++-14 REQUIRED)
# The workloads: their return addresses are signed, which a stack must not show.
set(CMAKE_C_FLAGS_INIT -mbranch-protection=standard)
set(CMAKE_EXE_LINKER_FLAGS_INIT -fuse-ld=lld)
set(CMAKE_SHARED_LINKER_FLAGS_INIT -fuse-ld=lld)
set(CMAKE_MODULE_LINKER_FLAGS_INIT -fuse-ld=lld)

set(CMAKE_LIBRARY_ARCHITECTURE ${triplet})
set(CMAKE_FIND_ROOT_PATH ${SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${SYSROOT}/usr/lib/${triplet}/pkgconfig:${SYSROOT}/usr/share/pkgconfig)
