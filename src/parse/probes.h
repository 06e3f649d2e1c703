// The main process's side of probing files. It uses opener, parser and prober together.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "children/keeper.h"
#include "parse/file_probes.h"
#include "parse/opener.h"
#include "parse/parser.h"

namespace profile {

class Probes final : public FileProbes {
 public:
  // All arguments must outlive this.
  Probes(Keeper& keeper, Opener& opener, Parser& parser) : keeper_(keeper), opener_(opener), parser_(parser) {}

  std::optional<ProbedFile> open(const std::string& path, std::string& why) override;
  std::optional<ProbedFile> open_mapped(const FileIdentity& identity, const std::string& path,
                                        const MappedBy& mapped_by, std::string& why) override;
  void close(const ProbedFile& file) override { opener_.close(file.number); }
  NameSearch search(const ProbedFile& file, std::string_view name, std::uint64_t added) override;
  std::vector<AllocatorFunction> allocator_functions(const ProbedFile& file) override;
  Fd probe(const ProbedFile& file, const UserProbe& probe, int& error) override;
  Fd link(const ProbedFile& file, const ProbeGroup& group, const Fd& program, int& error) override;

 private:
  // The file, if it is an ELF file.
  [[nodiscard]] std::optional<ProbedFile> checked(ProbedFile file, const FileStamp& stamp, std::string& why);
  [[nodiscard]] static FileRef ref(const ProbedFile& file) {
    return {.number = file.number, .path = file.path, .mapped_by = {.own_mounts = true}};
  }
  [[nodiscard]] bool start();
  // Returns the descriptor that the prober answers with. The kernel may take `most_ns` for the probes.
  Fd ask(const ProbedFile& file, const std::string& question, std::vector<Fd> fds, std::uint64_t most_ns, int& error);

  Keeper& keeper_;
  Opener& opener_;
  Parser& parser_;
  std::optional<Keeper::Child> prober_;
};

}  // namespace profile
