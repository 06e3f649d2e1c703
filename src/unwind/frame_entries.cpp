#include "unwind/frame_entries.h"

#include <elf.h>

#include <algorithm>
#include <string_view>

#include "dwarf/cursor.h"
#include "unwind/interpreter.h"
#include "unwind/opcodes.h"

namespace profile {
namespace {

// Linkers merge equal CIEs; a large library has a hundred.
constexpr std::size_t most_commons = 16384;
// What running an instruction of a common entry costs beside reading it. The instructions of other entries are paid for
// twice: when the entry is read, and when it is run.
constexpr std::uint64_t steps_a_common_byte = 3;
// Browsers and databases have somewhat more than a million functions.
constexpr std::size_t most_ranges = 6'000'000;
// The header of an entry has at most a 12-byte length and an 8-byte id.
constexpr std::uint32_t longest_header_bytes = 4 + 8 + 8;
// Larger factors have no meaning on any machine. The product of an advance and code_step always fits.
constexpr std::uint64_t most_code_step = 256;
constexpr std::int64_t most_data_step = 4096;

// Reads a pointer of .eh_frame; `address` is its own address after loading. nullopt: a kind that no compiler writes
// there, or the bytes end.
std::optional<std::uint64_t> pointer(DwarfCursor& in, std::uint8_t how, std::uint64_t address) {
  std::uint64_t value = 0;
  switch (how & eh_pe::form_mask) {
    case eh_pe::absptr:
    case eh_pe::udata8:
    case eh_pe::sdata8:
      value = in.u64();
      break;
    case eh_pe::uleb128:
      value = in.uleb();
      break;
    case eh_pe::sleb128:
      value = static_cast<std::uint64_t>(in.sleb());
      break;
    case eh_pe::udata2:
      value = in.u16();
      break;
    case eh_pe::udata4:
      value = in.u32();
      break;
    case eh_pe::sdata2:
      value = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int16_t>(in.u16())});
      break;
    case eh_pe::sdata4:
      value = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(in.u32())});
      break;
    default:
      return std::nullopt;
  }
  if (in.failed()) return std::nullopt;
  if ((how & eh_pe::base_mask) == eh_pe::absolute) return value;
  if ((how & eh_pe::base_mask) == eh_pe::pcrel) return value + address;
  return std::nullopt;
}

}  // namespace

FrameEntries::FrameEntries(const ElfFile& file, const UnwindMachine& machine, FrameBytes& bytes)
    : file_(file), machine_(machine), bytes_(bytes) {
  const std::uint64_t most = std::min<std::uint64_t>(file.size_bytes(), UINT32_MAX);
  for (ElfSegment segment : file.segments()) {
    if (!segment.is_code() || segment.offset >= most) continue;
    segment.file_size = std::min(segment.file_size, most - segment.offset);
    code_.push_back(segment);
  }
}

std::optional<FrameEntries::Header> FrameEntries::header_at(std::uint32_t at) {
  const bool is_eh = bytes_.kind() == FrameSection::eh_frame;
  DwarfCursor in(bytes_.from(at, longest_header_bytes));
  Header header;
  bool is_long = false;
  const std::uint64_t bytes = in.initial_length(is_long);
  header.id_at = static_cast<std::uint32_t>(at + in.at());
  if (in.failed() || bytes > bytes_.size() - header.id_at || bytes > longest_entry_bytes) return std::nullopt;
  header.next = header.id_at + bytes;
  if (bytes == 0) return header;
  const bool is_long_id = is_long && !is_eh;
  header.id = is_long_id ? in.u64() : in.u32();
  header.body = static_cast<std::uint32_t>(at + in.at());
  if (!is_eh && !is_long && header.id == 0xffffffff) header.id = UINT64_MAX;
  if (in.failed() || header.body > header.next) return std::nullopt;
  return header;
}

bool FrameEntries::is_common(const Header& header) const {
  return header.id == (bytes_.kind() == FrameSection::eh_frame ? 0 : UINT64_MAX);
}

bool FrameEntries::read() {
  std::uint32_t at = 0;
  ranges_.reserve(bytes_.size() / 48);
  while (bytes_.size() - at >= sizeof(std::uint32_t)) {
    const auto header = header_at(at);
    if (!header) return false;
    const bool is_empty = header->next == header->id_at;
    if ((is_empty && bytes_.is_open()) || is_full_) break;
    if (!is_empty && !is_common(*header) && !read_range(*header)) return false;
    at = static_cast<std::uint32_t>(header->next);
  }
  return !bytes_.is_unreadable();
}

bool FrameEntries::read_range(const Header& header) {
  const bool is_eh = bytes_.kind() == FrameSection::eh_frame;
  // The id leads to the CIE: in .eh_frame it is the distance back to it, in .debug_frame its offset.
  if (is_eh ? header.id > header.id_at : header.id >= bytes_.size()) return false;
  const auto common = common_at(is_eh ? header.id_at - header.id : header.id);
  if (!common) return true;  // the CIE is of a kind that is unknown here
  const FrameCommon& shared = commons_[*common];
  DwarfCursor in(bytes_.from(header.body, static_cast<std::uint32_t>(header.next - header.body)));
  const auto start = pointer(in, shared.pointers, bytes_.address() + header.body);
  const auto bytes = pointer(in, shared.pointers & eh_pe::form_mask, 0);
  if (!start || !bytes) return !in.failed();
  if (shared.has_augmentation_data) in.skip(in.uleb());
  if (in.failed()) return false;
  add(*start, *bytes,
      {.at = static_cast<std::uint32_t>(header.body + in.at()),
       .instruction_bytes = static_cast<std::uint32_t>(in.left()),
       .common = *common});
  return true;
}

std::optional<FrameEntries::Code> FrameEntries::code_at(std::uint32_t at) {
  const auto header = header_at(at);
  if (!header || header->next == header->id_at || is_common(*header)) return std::nullopt;
  ranges_.clear();
  if (!read_range(*header) || ranges_.empty()) return std::nullopt;
  const auto start = file_.address_of(FileOffset{ranges_.front().start});
  if (!start) return std::nullopt;
  return Code{.start = start->value, .bytes = ranges_.front().bytes};
}

// Leaves out entries of code that is not in the file, or that is empty: linkers keep entries of code that they dropped.
void FrameEntries::add(std::uint64_t address, std::uint64_t bytes, FrameRange range) {
  const auto segment = std::ranges::find_if(
      code_, [address](const ElfSegment& each) { return address - each.address < each.file_size; });
  // A file may have a thousand segments of code.
  if (!file_.spend(static_cast<std::uint64_t>(segment - code_.begin())) || segment == code_.end()) return;
  const std::uint64_t inside = address - segment->address;
  range.start = static_cast<std::uint32_t>(segment->offset + inside);
  range.bytes = static_cast<std::uint32_t>(std::min(bytes, segment->file_size - inside));
  if (range.bytes == 0) return;
  is_full_ = ranges_.size() == most_ranges;
  if (!is_full_) ranges_.push_back(range);
}

std::optional<std::uint32_t> FrameEntries::common_at(std::uint64_t at) {
  if (at == last_common_at_) return last_common_;
  auto known = common_by_place_.find(at);
  if (known == common_by_place_.end()) {
    if (common_by_place_.size() == most_commons) return std::nullopt;
    std::optional<std::uint32_t> index;
    const auto header = header_at(static_cast<std::uint32_t>(at));
    if (header && header->next != header->id_at && is_common(*header)) {
      if (const auto common = read_common(*header)) {
        index = static_cast<std::uint32_t>(commons_.size());
        commons_.push_back(*common);
      }
    }
    known = common_by_place_.emplace(at, index).first;
  }
  last_common_at_ = at;
  last_common_ = known->second;
  return last_common_;
}

std::optional<FrameCommon> FrameEntries::read_common(const Header& header) {
  const std::span<const std::byte> bytes =
      bytes_.from(header.body, static_cast<std::uint32_t>(header.next - header.body));
  if (!file_.spend(bytes.size() * steps_a_common_byte)) return std::nullopt;
  DwarfCursor in(bytes);
  FrameCommon common;
  const std::uint8_t version = in.u8();
  if (version != 1 && version != 3 && version != 4) return std::nullopt;
  const std::string_view augmentation = in.text();
  if (version == 4 && (in.u8() != 8 || in.u8() != 0)) return std::nullopt;  // sizes of addresses and of segments
  common.code_step = in.uleb();
  common.data_step = in.sleb();
  common.ra_register = version == 1 ? in.u8() : in.uleb();
  if (in.failed() || common.code_step > most_code_step) return std::nullopt;
  if (common.data_step > most_data_step || common.data_step < -most_data_step) return std::nullopt;
  std::size_t instructions_at = 0;
  for (const char letter : augmentation) {
    switch (letter) {
      case 'z': {
        const std::uint64_t data_bytes = in.uleb();
        if (data_bytes > in.left()) return std::nullopt;
        instructions_at = in.at() + data_bytes;
        common.has_augmentation_data = true;
        break;
      }
      case 'R':
        common.pointers = in.u8();
        break;
      case 'L':
        in.skip(1);
        break;
      case 'P': {  // the handler of exceptions: skipped
        const std::uint8_t how = in.u8();
        if ((how & eh_pe::base_mask) == eh_pe::aligned || !pointer(in, how & eh_pe::form_mask, 0)) return std::nullopt;
        break;
      }
      case 'S':
        common.start.is_signal = true;
        break;
      case 'B':  // arm64: return addresses are signed with another key
      case 'G':  // arm64: memory is tagged
        break;
      default:
        if (instructions_at == 0) return std::nullopt;
        break;
    }
  }
  if (instructions_at != 0) {
    if (in.failed() || in.at() > instructions_at) return std::nullopt;
    in.skip(instructions_at - in.at());
  }
  if (in.failed()) return std::nullopt;
  // No C compiler has this factor for words of 8 bytes: src/cmd/link/internal/ld/dwarf.go
  constexpr std::int64_t step_of_go = -4;
  common.is_of_go = bytes_.kind() == FrameSection::debug_frame && augmentation.empty() &&
                    common.data_step == step_of_go && machine_.elf_machine == EM_X86_64;
  FrameState state = common.start;
  if (!run_common(machine_, common, bytes.subspan(in.at()), state)) return std::nullopt;
  common.start = state;
  return common;
}

}  // namespace profile
