// The program images of one process: since when each ran, and what code it had mapped. A new one begins where code lies
// over other code, and old ones are joined, so that a process that does it without end stays small.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "process/code_files.h"
#include "process/mapping_table.h"
#include "process/timeline.h"

namespace profile {

using CommName = std::array<char, 16>;  // filled up with zeros

struct ProcessImage {
  std::uint64_t start_ns = 0;
  std::shared_ptr<MappingTable> table;
  std::uint32_t number = 0;
  // The number that ProcessTable::image_at() gives. It differs where images were joined: the joined image is another
  // one than those whose frames may have names already.
  std::uint32_t told_as = 0;
  CommName comm{};
  // Of the program, and shared by all that run it, because it may come later than they do. "": not known.
  std::shared_ptr<std::string> command_line;
  bool begins_program = false;  // by exec or fork; otherwise by code mapped over other code

  // As the functions of ProcessTable for an image.
  [[nodiscard]] CodeLocation locate(RuntimeAddress address, CodeFiles& files) const;
  [[nodiscard]] std::vector<MappedFile> files_of(CodeFiles& files) const;
  [[nodiscard]] CodeFile* jit_dump_of(CodeFiles& files) const;
};

class ProcessImages {
 public:
  // Of a process in the middle of its life, whose mappings must still be read.
  [[nodiscard]] static std::shared_ptr<MappingTable> unread_table();

  [[nodiscard]] bool empty() const { return images_.empty(); }
  // By start and number; one may stand for all up to the next.
  [[nodiscard]] std::span<const ProcessImage> all() const { return images_; }
  // Only if it is not empty, like all functions that change the newest image.
  [[nodiscard]] ProcessImage& newest() { return images_.back(); }
  [[nodiscard]] const ProcessImage& newest() const { return images_.back(); }
  // nullptr: nothing is known of it.
  [[nodiscard]] const ProcessImage* find(std::uint32_t number) const;
  // nullptr: none had begun.
  [[nodiscard]] const ProcessImage* at(std::uint64_t time_ns) const;
  // `exit_ns`: of the process.
  [[nodiscard]] ProgramLife life_of(std::uint32_t number, std::uint64_t exit_ns) const;
  [[nodiscard]] bool is_of_replaced_program(std::uint32_t number, RuntimeAddress address) const;
  // What two images share counts twice.
  [[nodiscard]] std::size_t mapping_count() const;

  // `first_number`: of the image if it is the first.
  ProcessImage& begin(std::uint64_t start_ns, std::shared_ptr<MappingTable> table, const CommName& comm,
                      std::uint32_t first_number);
  // Of the same program and comm as the newest.
  ProcessImage& begin_next(std::uint64_t start_ns, std::shared_ptr<MappingTable> table);
  // Adds what the newest image has mapped. True: a new image has begun with that.
  [[nodiscard]] bool add(std::uint64_t time_ns, const Mapping& mapping);
  // Adds what was read at `read_ns`, when mappings may be missing since `since_ns`. True: likewise.
  [[nodiscard]] bool add_read(std::uint64_t since_ns, std::uint64_t read_ns, std::vector<Mapping> read);
  // Fills in a table that was not complete, also for the children that share it.
  void complete(std::span<const Mapping> read);
  // What to add for an entry that is not followed: its place becomes unknown, unless the same code is there already.
  [[nodiscard]] std::optional<Mapping> unfollowed(const MapsEntry& entry, CodeFiles& files);
  void note_snapshot() { unfollowed_ = 0; }
  // Forgets the images that ended before.
  void forget_before(std::uint64_t time_ns);

  // False: it is known already, or there are too many.
  [[nodiscard]] bool add_copy(const CodeCopy& copy);
  [[nodiscard]] std::span<const CodeCopy> copies() const { return copies_; }
  void forget_copies() { copies_.clear(); }

 private:
  void join(std::size_t count);
  void join_where_many();
  void put_copies(std::span<const Mapping> read);
  [[nodiscard]] bool is_copy(std::uint64_t start, std::uint64_t end) const;
  // Whether `table` has the copy as memory without a file, as its record told it.
  [[nodiscard]] bool is_copy_told_as_plain(const MappingTable& table, const Mapping& mapping) const;
  // The first image of the program of that image.
  [[nodiscard]] const ProcessImage* begin_of_program(const ProcessImage* image) const;

  std::vector<ProcessImage> images_;
  std::size_t kept_mappings_ = 0;  // as mapping_count(), when the newest image began
  std::uint32_t unfollowed_ = 0;   // images that began because of a skipped record, since the last snapshot
  std::vector<CodeCopy> copies_;   // since its exec
};

}  // namespace profile
