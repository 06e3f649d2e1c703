#include "unwind/function_starts.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "unwind/frame_bytes.h"
#include "unwind/frame_entries.h"
#include "unwind/machine.h"

namespace profile {
namespace {

// Browsers have somewhat more than a million functions.
constexpr std::uint32_t most_entries = 4'000'000;
// Steps for an entry that a search looks at.
constexpr std::uint64_t entry_steps = 4;

// The index in .eh_frame_hdr that linkers make for debuggers and for exceptions.
class Index {
 public:
  // nullopt: the file has none in the form that every linker writes.
  static std::optional<Index> read(const ElfFile& file) {
    const auto segment = std::ranges::find(file.segments(), std::uint32_t{PT_GNU_EH_FRAME}, &ElfSegment::type);
    if (segment == file.segments().end()) return std::nullopt;
    struct {
      std::uint8_t version;
      std::uint8_t pointer_encoding;
      std::uint8_t count_encoding;
      std::uint8_t table_encoding;
      std::int32_t distance;
      std::uint32_t count;
    } head{};
    constexpr std::uint8_t absolute_4_bytes = 0x03;        // DW_EH_PE_udata4
    constexpr std::uint8_t from_the_index_4_bytes = 0x3b;  // DW_EH_PE_datarel | DW_EH_PE_sdata4
    constexpr std::uint8_t from_the_field_4_bytes = 0x1b;  // DW_EH_PE_pcrel | DW_EH_PE_sdata4
    if (segment->file_size < sizeof head) return std::nullopt;
    if (!file.read_at(segment->offset, std::as_writable_bytes(std::span(&head, 1)))) return std::nullopt;
    if (head.version != 1 || head.pointer_encoding != from_the_field_4_bytes ||
        head.count_encoding != absolute_4_bytes || head.table_encoding != from_the_index_4_bytes) {
      return std::nullopt;
    }
    const std::uint64_t room = (segment->file_size - sizeof head) / sizeof(Entry);
    if (head.count == 0 || head.count > most_entries || head.count > room) return std::nullopt;
    Index index(file, segment->address);
    const std::uint64_t bytes = head.count * sizeof(Entry);
    if (!file.spend(bytes / sizeof(std::uint64_t))) return std::nullopt;
    index.entries_.resize(head.count);
    if (!file.read_at(segment->offset + sizeof head, std::as_writable_bytes(std::span(index.entries_)))) {
      return std::nullopt;
    }
    return index;
  }

  struct Found {
    std::uint64_t description = 0;    // its address
    std::uint64_t next = UINT64_MAX;  // where the code of the next one begins
  };
  // The last description that begins at or below `address`; nullopt: there is none.
  [[nodiscard]] std::optional<Found> description_of(std::uint64_t address) const {
    if (!file_->spend(entry_steps * 32)) return std::nullopt;
    const auto after =
        std::ranges::upper_bound(entries_, address, {}, [this](const Entry& entry) { return address_of(entry.start); });
    if (after == entries_.begin()) return std::nullopt;
    Found found{.description = address_of((after - 1)->description)};
    if (after != entries_.end()) found.next = address_of(after->start);
    return found;
  }

 private:
  struct Entry {
    std::int32_t start;
    std::int32_t description;
  };
  Index(const ElfFile& file, std::uint64_t address) : file_(&file), address_(address) {}
  [[nodiscard]] std::uint64_t address_of(std::int32_t distance) const {
    return address_ + static_cast<std::uint64_t>(std::int64_t{distance});
  }

  const ElfFile* file_;
  std::uint64_t address_;
  std::vector<Entry> entries_;
};

struct DescribedCode {
  std::uint64_t start = 0;  // 0: the address is between two functions
  ValidRange range;         // around the address that was asked for
};

DescribedCode code_around(std::uint64_t address, const Index& index, FrameEntries& entries, const FrameBytes& bytes) {
  const DescribedCode unknown{.range = valid_for_one};
  const auto found = index.description_of(address);
  if (!found || found->description - bytes.address() >= bytes.size()) return unknown;
  const auto code = entries.code_at(static_cast<std::uint32_t>(found->description - bytes.address()));
  if (!code || address < code->start) return unknown;
  const std::uint64_t end = code->start + code->bytes;
  if (address < end)
    return {.start = code->start, .range = {.before = address - code->start, .after = end - 1 - address}};
  return {.range = {.before = address - end, .after = found->next - 1 - address}};
}

}  // namespace

void find_function_starts(const ElfFile& file, std::span<const ElfAddress> addresses, std::span<Symbol> answers) {
  const UnwindMachine* const machine = unwind_machine_of(file);
  if (machine == nullptr) return;
  const auto index = Index::read(file);
  if (!index) return;
  auto bytes = FrameBytes::find(file, FrameSection::eh_frame);
  if (!bytes) return;
  FrameEntries entries(file, *machine, *bytes);
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (answers[i].unnamed == Unnamed::named) continue;
    const DescribedCode code = code_around(addresses[i].value, *index, entries, *bytes);
    answers[i].valid_range.keep_within(code.range);
    answers[i].start = code.start;
  }
}

}  // namespace profile
