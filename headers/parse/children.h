// The processes that do for us what must not be done with a stranger's files in this one (promise 6): an opener, which
// opens them and may be abandoned, and a parser, which reads them in a sandbox and may be killed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace profile {

class FileKeeper;
class FileReader;
class FileProbes;
class StackReader;

class Children {
 public:
  // Forks: as early as can be, while this process has one thread and little memory. `debug_directories`: where the
  // person said that debug files are; `debuginfod`: its servers are asked, too. Throws Error, also when those cannot
  // be.
  explicit Children(const std::vector<std::string>& debug_directories, bool debuginfod);
  ~Children();

  [[nodiscard]] FileKeeper& files();
  [[nodiscard]] FileReader& reader();
  [[nodiscard]] FileProbes& probes();
  [[nodiscard]] StackReader& stacks();
  // Looks at what the person named, before this process does: a path whose file system does not answer would hold it up
  // for ever. Throws Error, its text begun by `what`, when there is no answer. `to_write`: it will be written.
  struct Seen {
    int error = 0;  // as errno of stat(2)
    bool is_directory = false;
  };
  Seen look(const std::string& what, const std::string& path, bool to_write = false);
  // Readable when files() has answers to be taken, and, without an end, when it will have none any more.
  [[nodiscard]] int poll_fd() const;
  [[nodiscard]] bool has_lost_opener() const;
  // They are part of the profiler: where it is not counted they are not.
  [[nodiscard]] std::vector<std::uint32_t> tgids() const;
  // Lines for the person about what they could not do.
  [[nodiscard]] std::vector<std::string> notes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace profile
