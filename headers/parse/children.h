// The child processes that do what this process must not do with untrusted files (promise 6): an opener, which opens
// the files and may be abandoned, and a parser, which reads them in a sandbox and may be killed.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace profile {

class FileKeeper;
class FileReader;
class FileProbes;
class StackReader;
class ListingReader;

class Children {
 public:
  // Forks the children. Do it as early as possible, while this process has one thread and little memory.
  // `debug_directories`: where the user says that debug files are. `debuginfod`: its servers are asked, too.
  // `shows_code`: code will be disassembled, if the library for that is there. Throws Error, also when the servers
  // cannot be asked.
  explicit Children(const std::vector<std::string>& debug_directories, bool debuginfod, bool shows_code = false);
  ~Children();

  [[nodiscard]] FileKeeper& files();
  [[nodiscard]] FileReader& reader();
  [[nodiscard]] FileProbes& probes();
  [[nodiscard]] StackReader& stacks();
  [[nodiscard]] ListingReader& listings();
  // Looks at a path that the user named, before this process does: a path whose file system does not answer would hold
  // up this process for ever. Throws Error, its text begun by `what`, when there is no answer. `to_write`: the path
  // will be written.
  struct Seen {
    int error = 0;  // as errno of stat(2)
    bool is_directory = false;
  };
  Seen look(const std::string& what, const std::string& path, bool to_write = false);
  // Readable when files() has answers to take. It is also readable, without an end, when no more answers will come.
  [[nodiscard]] int poll_fd() const;
  [[nodiscard]] bool has_lost_opener() const;
  // Lines for the user about what the children could not do.
  [[nodiscard]] std::vector<std::string> notes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace profile
