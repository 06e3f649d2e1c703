// Opens debug files for tests in this process, by the same rules as the opener (child process).
// A test then needs no child process.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "parse/debug_file_search.h"
#include "parse/debug_files.h"
#include "parse/debuginfod.h"
#include "process/file_rights.h"
#include "support/file_status.h"

namespace profile::test {

class DirectSupplier final : public DebugSupplier {
 public:
  static constexpr FileNumber the_file{1};

  // `fd` is the open file, which the caller owns. `path` is its path as the profiled process sees it.
  DirectSupplier(const std::vector<std::string>& directories, int fd, std::string path, Debuginfod* server = nullptr)
      : places_(directories), server_(server) {
    set(fd, std::move(path));
  }
  [[nodiscard]] FileRef file() const {
    return {.number = the_file, .path = bases_.at(the_file).path, .mapped_by = {.own_mounts = true}};
  }
  // Replaces the file.
  void set(int fd, std::string path) {
    const auto status = status_of(fd);
    bases_[the_file] = {.fd = fd,
                        .path = std::move(path),
                        .mapped_by = {.own_mounts = true},
                        .owner = content_owner_of_user(status ? status->owner : 0, true)};
  }
  DebugFile open(const DebugQuestion& question, FileNumber base, unsigned& next, std::string& why) override {
    DebugFile found{.fd = places_.open(
                        question, bases_.at(base), [](const std::string&) { return true; }, next, why),
                    .number = FileNumber{bases_.size() + 1}};
    if (found) bases_[found.number] = {.fd = found.fd.get(), .path = bases_.at(base).path, .mapped_by = {}};
    return found;
  }
  DebugFile from_server(const std::string& build_id) override {
    return {.fd = server_ != nullptr ? server_->find(build_id, 0) : Fd(), .number = FileNumber::none};
  }

 private:
  DebugFileSearch places_;
  Debuginfod* server_;
  std::map<FileNumber, DebugBase> bases_;
};

}  // namespace profile::test
