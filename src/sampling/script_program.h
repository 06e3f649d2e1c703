// The program that shows functions of scripts, for a source that begins without it: the kernel's verifier takes three
// times as long for it as for one that walks native frames alone. It is loaded when an interpreter's file is met, works
// on the maps of the first one, and takes its place.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <thread>

#include "support/bpf.h"
#include "support/fd.h"

namespace profile {

class ScriptProgram {
 public:
  struct Source {
    const char* name;                        // of the object
    const void* (*elf_bytes)(std::size_t*);  // of its skeleton
    const char* program;
    const char* place;  // the map of the first object whose element 0 is the program that runs
  };
  // `first` is loaded; it must outlive this object.
  ScriptProgram(const Source& source, bpf_object& first) : source_(source), first_(first) {}
  // Waits until the kernel is done with it.
  ~ScriptProgram();
  ScriptProgram(const ScriptProgram&) = delete;
  ScriptProgram& operator=(const ScriptProgram&) = delete;

  // True when it has taken its place, and when it never will. The first call begins to load it, in a thread.
  [[nodiscard]] bool is_settled();
  // Waits until it is settled.
  void settle();
  // Why the kernel does not take it; empty: it does, or nobody knows yet.
  [[nodiscard]] std::string refusal() const { return is_over_ ? refusal_ : std::string(); }

 private:
  void load();

  Source source_;
  bpf_object& first_;
  Fd program_;
  std::thread thread_;
  bool has_begun_ = false;
  std::atomic<bool> is_over_ = false;  // the thread writes the members above and below no more
  std::string refusal_;
};

}  // namespace profile
