// swapper SECONDS (of CPU time). For half of it thread `first` is in main;run_from;use_library;library_turn;in_first of
// libfirst.so. After that, libsecond.so replaces this library at the same address, and thread `second` is in in_second.
// Exits with 3 if libsecond.so has another address. The libraries are in the directory of the program.
#include <dlfcn.h>
#include <sys/prctl.h>
#include <time.h>

#include <string>

#include "workload.h"

static double now() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

extern "C" void use_library(void (*turn)(), double seconds) {
  for (const double end = now() + seconds; now() < end;) {
    for (int i = 0; i < 100; i++) turn();
  }
}

static void* run_from(const std::string& path, const char* name, double seconds) {
  prctl(PR_SET_NAME, name);
  void* const library = dlopen(path.c_str(), RTLD_NOW);
  void* const turn = library ? dlsym(library, "library_turn") : nullptr;
  if (!turn) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  use_library(reinterpret_cast<void (*)()>(turn), seconds);
  // The time of unloading belongs to neither name.
  prctl(PR_SET_NAME, "swapper");
  dlclose(library);
  return turn;
}

int main(int argc, char** argv) {
  const double seconds = seconds_of(argc, argv);
  const std::string program = argv[0];
  const std::string directory = program.substr(0, program.rfind('/') + 1);
  const void* const first = run_from(directory + "libfirst.so", "first", seconds / 2);
  const void* const second = run_from(directory + "libsecond.so", "second", seconds / 2);
  return first == second ? 0 : 3;
}
