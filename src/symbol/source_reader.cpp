#include "symbol/source_reader.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "parse/file_reader.h"
#include "support/text_parts.h"
#include "support/work_budget.h"

namespace profile {
namespace {

// For one file, as the symboliser has for all files of an owner.
constexpr std::uint64_t most_steps = std::uint64_t{1} << 30;
// A function with more lines is shown near its lines with values.
constexpr std::uint32_t most_lines_whole = 2000;
constexpr std::uint32_t lines_around = 2;  // before the first and behind the last line of a whole function
constexpr std::uint32_t lines_near = 5;    // before and behind each line with a value
constexpr std::size_t instructions_near = 8;
constexpr std::size_t most_target_bytes = 200;  // a file may call one function with a long name from everywhere

FileOffset offset_of(const Binary& binary, ElfAddress address) {
  if (!binary.code.is_known()) return FileOffset{address.value};  // all that is known of it is where it is in the file
  return FileOffset{address.value - binary.code.start.value + binary.code.offset.value};
}

template <class Place>
std::vector<Place> distinct(std::vector<Place> places) {
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

template <class Wanted>
std::map<BinaryId, std::vector<FrameId>> frames_by_binary(const Profile& profile, const Wanted& is_wanted) {
  std::map<BinaryId, std::vector<FrameId>> frames;
  for (std::size_t i = 0; i < profile.frames().size(); ++i) {
    const auto id = static_cast<FrameId>(i);
    const Frame& frame = profile.frame(id);
    const bool is_in_file = frame.kind == FrameKind::user && frame.binary != BinaryId::none;
    if (is_in_file && is_wanted(frame)) frames[frame.binary].push_back(id);
  }
  return frames;
}

// The innermost position of `chain` where the function is inlined; nullptr: nowhere.
const SourcePosition* inlined_in(const std::vector<SourcePosition>& chain, std::string_view function,
                                 const StringTable& strings) {
  for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
    if (strings.view(chain[i].function) == function) return &chain[i];
  }
  return nullptr;
}

// The ranges that hold these lines and some around each; they ascend and do not overlap.
std::vector<LineRange> ranges_around(const std::set<std::uint32_t>& lines, std::uint32_t around) {
  std::vector<LineRange> ranges;
  for (const std::uint32_t line : lines) {
    if (line == 0) continue;
    const std::uint32_t first = line > around ? line - around : 1;
    const std::uint32_t last = line < UINT32_MAX - around ? line + around : UINT32_MAX;
    if (!ranges.empty() && first <= ranges.back().last + 1) {
      ranges.back().last = last;
    } else {
      ranges.push_back({.first = first, .last = last});
    }
  }
  return ranges;
}

// Where a call or a jump leads, as its text tells: "callq 0x13e0", "bl #0x13e0".
std::optional<ElfAddress> target_of(std::string_view instruction) {
  const std::size_t blank = instruction.find(' ');
  const char first = instruction.empty() ? '\0' : instruction.front();
  const bool may_lead = first == 'j' || first == 'b' || instruction.starts_with("call");
  if (!may_lead || blank == std::string_view::npos) return std::nullopt;
  std::string_view operand = instruction.substr(blank + 1);
  if (operand.starts_with('#')) operand.remove_prefix(1);
  if (!operand.starts_with("0x")) return std::nullopt;
  const auto address = parse_number<std::uint64_t>(operand.substr(2), 16);
  return address ? std::optional(ElfAddress{*address}) : std::nullopt;
}

std::optional<FileOffset> offset_in(std::span<const CodeSegment> code, ElfAddress address) {
  for (const CodeSegment& segment : code) {
    if (segment.holds(address)) return FileOffset{address.value - segment.start.value + segment.offset.value};
  }
  return std::nullopt;
}

// Leaves only instructions near one with a value. Returns whether others were there.
bool leave_near(std::vector<ListedInstruction>& instructions) {
  std::vector<ListedInstruction> kept;
  std::size_t end = 0;  // of those that were looked at
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    if (instructions[i].value.total == 0) continue;
    for (std::size_t near = std::max(end, i - std::min(i, instructions_near));
         near < std::min(instructions.size(), i + instructions_near + 1); ++near) {
      kept.push_back(std::move(instructions[near]));
      kept.back().is_after_gap = near != end;
      end = near + 1;
    }
  }
  const bool is_less = kept.size() < instructions.size();
  instructions = std::move(kept);
  return is_less;
}

// Gives the lines of the file their texts, and adds the others of the ranges.
void take_texts(ListedFile& file, std::span<const LineRange> ranges, const SourceOfFile& read) {
  std::vector<ListedLine> lines;
  auto text = read.lines.begin();
  for (const LineRange& range : ranges) {
    for (std::uint32_t line = range.first; line <= range.last && text != read.lines.end(); ++line) {
      lines.push_back({.line = line, .text = *text++, .value = {}});
    }
  }
  const std::uint32_t last_read = lines.empty() ? 0 : lines.back().line;
  std::uint32_t last_wanted = 0;
  for (ListedLine& line : file.lines) {
    last_wanted = std::max(last_wanted, line.line);
    const auto at = std::ranges::lower_bound(lines, line.line, {}, &ListedLine::line);
    if (at != lines.end() && at->line == line.line) {
      at->value = line.value;
    } else {
      lines.insert(at, std::move(line));
    }
  }
  if (last_read < last_wanted) file.why_no_text = "it has fewer lines now than when the program was built";
  file.lines = std::move(lines);
}

// "parse" of "Reader.parse" and of "load.<locals>.parse". Empty: the source does not spell it, as "<module>".
std::string_view bare_name(std::string_view function) {
  const std::string_view name = function.substr(function.find_last_of(".:\\") + 1);
  return name.find_first_of("<>{}() ") == std::string_view::npos ? name : std::string_view();
}

}  // namespace

SourceReader::~SourceReader() {
  for (const auto& [key, file] : files_) {
    if (file.ref) listings_.close(*file.ref);
    if (file.debug_ref) listings_.close(*file.debug_ref);
  }
}

SourceReader::OpenedFile& SourceReader::file_of(const Profile& profile, BinaryId id) {
  const Binary& binary = profile.binary(id);
  const FileKey key(profile.strings.view(binary.path), profile.strings.view(binary.build_id));
  const auto [found, is_new] = files_.try_emplace(key);
  OpenedFile& file = found->second;
  if (is_new) {
    file.path = key.first;
    file.ref = listings_.open(file.path, key.second, file.why);
  }
  return file;
}

const FileRef* SourceReader::file_with_names(OpenedFile& file, const Profile& profile, BinaryId binary) {
  if (file.ref) return &*file.ref;
  if (!std::exchange(file.is_debug_file_sought, true)) {
    file.debug_ref = listings_.open_debug_file(std::string(profile.strings.view(profile.binary(binary).build_id)));
  }
  return file.debug_ref ? &*file.debug_ref : nullptr;
}

// As FileReader::names() counts in the file with the names.
FileOffset SourceReader::place_in(const OpenedFile& file, const Profile& profile, FrameId id) {
  const Frame& frame = profile.frame(id);
  const ElfAddress address = call_address(frame.binary_address, frame.is_return);
  return file.ref ? offset_of(profile.binary(frame.binary), address) : FileOffset{address.value};
}

void SourceReader::add_names(Profile& profile) {
  const auto is_nameless = [](const Frame& frame) { return frame.unnamed == Unnamed::no_symbol; };
  for (const auto& [binary, frames] : frames_by_binary(profile, is_nameless)) {
    OpenedFile& file = file_of(profile, binary);
    if (const FileRef* const named = file_with_names(file, profile, binary)) add_names(profile, file, *named, frames);
  }
}

void SourceReader::add_names(Profile& profile, const OpenedFile& file, const FileRef& named,
                             std::span<const FrameId> frames) {
  const auto place_of = [&](FrameId id) { return place_in(file, profile, id); };
  std::vector<FileOffset> places;
  for (const FrameId id : frames) places.push_back(place_of(id));
  places = distinct(std::move(places));
  WorkBudget budget(most_steps);
  const NamesOfFile found = reader_.names(named, places, budget);
  if (found.failed != FileFault::none) return;
  for (const FrameId id : frames) {
    const auto at = std::ranges::lower_bound(places, place_of(id)) - places.begin();
    const NameOfCode& name = found.names[static_cast<std::size_t>(at)];
    if (name.unnamed != Unnamed::named) continue;
    Frame& frame = profile.frames()[static_cast<std::size_t>(id)];
    frame.unnamed = Unnamed::named;
    frame.symbol = profile.strings.intern(found.strings.view(name.symbol));
    frame.offset = frame.binary_address.value - name.start;
    frame.function = unknown_offset;
  }
}

LinesOfFile SourceReader::lines(OpenedFile& file, std::span<const ElfAddress> addresses) {
  WorkBudget budget(most_steps);
  LinesOfFile lines = reader_.lines(file.ref ? *file.ref : *file.debug_ref, addresses, budget);
  for (const auto& chain : lines.chains) {
    for (const SourcePosition& position : chain) file.sources.emplace(lines.strings.view(position.file));
  }
  return lines;
}

void SourceReader::add_lines(Profile& profile) {
  for (const auto& [binary, frames] : frames_by_binary(profile, [](const Frame&) { return true; })) {
    OpenedFile& file = file_of(profile, binary);
    if (const FileRef* const named = file_with_names(file, profile, binary)) add_lines(profile, file, *named, frames);
  }
}

void SourceReader::add_lines(Profile& profile, OpenedFile& file, const FileRef& named,
                             std::span<const FrameId> frames) {
  const auto offset_in_file = [&](FrameId id) { return place_in(file, profile, id); };
  std::vector<FileOffset> offsets;
  for (const FrameId id : frames) offsets.push_back(offset_in_file(id));
  offsets = distinct(std::move(offsets));
  WorkBudget budget(most_steps);
  const NamesOfFile names = reader_.names(named, offsets, budget);
  if (names.failed != FileFault::none) return;
  std::vector<ElfAddress> addresses;
  for (const NameOfCode& name : names.names) addresses.push_back(name.address);
  const LinesOfFile found = lines(file, addresses);
  if (found.failed != FileFault::none) return;
  const auto moved = [&](StringId id) { return profile.strings.intern(found.strings.view(id)); };
  std::vector<InlinedFunction> inlined;
  for (const FrameId id : frames) {
    const auto at = std::ranges::lower_bound(offsets, offset_in_file(id)) - offsets.begin();
    const std::vector<SourcePosition>& chain = found.chains[static_cast<std::size_t>(at)];
    if (chain.empty()) continue;
    inlined.clear();
    for (const SourcePosition& position : std::span(chain).first(chain.size() - 1)) {
      inlined.push_back({.symbol = moved(position.function), .at = {moved(position.file), position.line}});
    }
    const SourceLine own{.file = moved(chain.back().file), .line = chain.back().line};
    profile.frames()[static_cast<std::size_t>(id)].source = profile.source({.at = own, .inlined = inlined});
  }
}

// A place of one of the functions, in a file.
struct SourceReader::Place {
  FileOffset offset;
  std::size_t function = 0;
  const CodePlace* place = nullptr;
};

// The code of one function of a file, and the places of one of the wanted functions in it.
struct SourceReader::Code {
  std::string holder;
  bool is_own = false;                         // the wanted function's own code; otherwise it is inlined there
  std::map<std::uint64_t, PlaceValue> values;  // by address
};

void SourceReader::complete(const Profile& profile, std::span<FunctionListing> functions, Extent extent) {
  std::map<OpenedFile*, std::vector<Place>> by_file;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    for (const CodePlace& place : functions[i].places) {
      const FileOffset offset = offset_of(profile.binary(place.binary), place.address);
      by_file[&file_of(profile, place.binary)].push_back({.offset = offset, .function = i, .place = &place});
    }
  }
  std::vector<LinesOfCode> with_code(functions.size());
  for (const auto& [file, places] : by_file) add_code(*file, places, functions, with_code, extent);
  const auto value_of = [](const ListedCode& code) {
    PlaceValue sum;
    for (const ListedInstruction& instruction : code.instructions) {
      sum.total += instruction.value.total;
      sum.self += instruction.value.self;
    }
    return std::tuple(sum.total, sum.self);
  };
  const std::uint64_t ended_unix_ns = profile.began_unix_ns == 0 ? 0 : profile.began_unix_ns + profile.duration_ns;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    std::ranges::stable_sort(functions[i].codes,
                             [&](const auto& a, const auto& b) { return value_of(a) > value_of(b); });
    for (ListedFile& file : functions[i].files) {
      if (functions[i].is_of_script) {
        add_script_text(file, functions[i], extent, ended_unix_ns);
      } else {
        add_text(file, with_code[i][file.path], extent);
      }
    }
  }
}

void SourceReader::add_code(OpenedFile& file, std::span<const Place> places, std::span<FunctionListing> functions,
                            std::vector<LinesOfCode>& with_code, Extent extent) {
  std::set<std::size_t> asked;  // the functions with places here
  for (const Place& place : places) asked.insert(place.function);
  const auto refuse = [&](const std::set<std::size_t>& numbers, const std::string& why) {
    for (const std::size_t number : numbers) {
      functions[number].codes.push_back({.binary = file.path, .holder = {}, .why_none = why, .instructions = {}});
    }
  };
  if (!file.ref) return refuse(asked, file.why);
  std::vector<FileOffset> offsets;
  for (const Place& place : places) offsets.push_back(place.offset);
  offsets = distinct(std::move(offsets));
  WorkBudget budget(most_steps);
  const NamesOfFile names = reader_.names(*file.ref, offsets, budget);
  if (names.failed != FileFault::none) return refuse(asked, "it cannot be read");
  std::map<std::pair<std::size_t, AddressRange>, Code> codes;
  std::map<AddressRange, CodeOfFile> read;
  std::set<std::size_t> without_start = asked;
  std::vector<ElfAddress> addresses;
  for (const Place& place : places) {
    const auto at = static_cast<std::size_t>(std::ranges::lower_bound(offsets, place.offset) - offsets.begin());
    const NameOfCode& name = names.names[at];
    addresses.push_back(name.address);
    if (name.start == 0 || name.start > name.address.value) continue;
    const std::uint64_t rest = std::min(names.valid_ranges[at].after, UINT64_MAX - 1 - name.address.value);
    const AddressRange range{ElfAddress{name.start}, ElfAddress{name.address.value + rest + 1}};
    read.try_emplace(range);
    without_start.erase(place.function);
    Code& code = codes[{place.function, range}];
    code.holder = names.strings.view(name.symbol);
    code.is_own |= !place.place->is_inlined;
    PlaceValue& value = code.values[name.address.value];
    value.total += place.place->value.total;
    value.self += place.place->value.self;
  }
  if (listings_.can_disassemble()) {
    for (auto& [range, code] : read) {
      code = listings_.code(*file.ref, std::span(&range, 1));
      for (const Instruction& instruction : code.instructions) addresses.push_back(instruction.address);
    }
  }
  name_targets(file, names.code, read);
  addresses = distinct(std::move(addresses));
  const LinesOfFile found = lines(file, addresses);  // the sources are known then, also without instructions
  if (!listings_.can_disassemble()) return refuse(asked, "libcapstone4, which disassembles, is not installed");
  refuse(without_start, "where its function begins is not known");
  const std::vector<SourcePosition> nowhere;
  const auto chain_of = [&](ElfAddress address) -> const std::vector<SourcePosition>& {
    if (found.failed != FileFault::none) return nowhere;
    return found.chains[static_cast<std::size_t>(std::ranges::lower_bound(addresses, address) - addresses.begin())];
  };
  for (const auto& [key, code] : codes) {
    FunctionListing& function = functions[key.first];
    const CodeOfFile& instructions = read.at(key.second);
    ListedCode listed{.binary = file.path, .holder = code.holder, .why_none = {}, .instructions = {}};
    for (const Instruction& instruction : instructions.instructions) {
      const std::vector<SourcePosition>& chain = chain_of(instruction.address);
      const SourcePosition* position = nullptr;
      if (!code.is_own) {
        position = inlined_in(chain, function.symbol, found.strings);
        if (position == nullptr) continue;
      } else if (!chain.empty()) {
        position = &chain.back();
      }
      ListedInstruction line{.address = instruction.address.value, .text = instruction.text, .value = {}};
      if (position != nullptr && position->line != 0) {
        line.line = position->line;
        with_code[key.first][std::string(found.strings.view(position->file))].insert(line.line);
      }
      const std::uint64_t limit = line.address + std::max<std::uint32_t>(instruction.size_bytes, 1);
      for (auto value = code.values.lower_bound(line.address); value != code.values.end() && value->first < limit;
           ++value) {
        line.value.total += value->second.total;
        line.value.self += value->second.self;
      }
      listed.instructions.push_back(std::move(line));
    }
    listed.is_cut = instructions.is_cut;
    if (extent == Extent::near) listed.is_cut |= leave_near(listed.instructions);
    if (listed.instructions.empty()) {
      listed.why_none = instructions.failed == FileFault::none ? "its code cannot be read" : "reading it was given up";
    }
    function.codes.push_back(std::move(listed));
  }
}

void SourceReader::name_targets(OpenedFile& file, std::span<const CodeSegment> segments,
                                std::map<AddressRange, CodeOfFile>& codes) {
  std::vector<std::pair<FileOffset, Instruction*>> leading;
  std::vector<FileOffset> offsets;
  for (auto& [range, code] : codes) {
    for (Instruction& instruction : code.instructions) {
      const auto target = target_of(instruction.text);
      if (!target || (range.start <= *target && *target < range.limit)) continue;
      const auto offset = offset_in(segments, *target);
      if (!offset) continue;
      leading.emplace_back(*offset, &instruction);
      offsets.push_back(*offset);
    }
  }
  if (offsets.empty()) return;
  offsets = distinct(std::move(offsets));
  WorkBudget budget(most_steps);
  const NamesOfFile names = reader_.names(*file.ref, offsets, budget);
  if (names.failed != FileFault::none) return;
  for (const auto& [offset, instruction] : leading) {
    const auto at = static_cast<std::size_t>(std::ranges::lower_bound(offsets, offset) - offsets.begin());
    const NameOfCode& name = names.names[at];
    if (name.unnamed != Unnamed::named || name.start != name.address.value) continue;
    const std::string_view symbol = names.strings.view(name.symbol);
    instruction->text.append(" <").append(symbol.substr(0, most_target_bytes));
    instruction->text.append(symbol.size() > most_target_bytes ? "...>" : ">");
  }
}

void SourceReader::add_text(ListedFile& file, const std::set<std::uint32_t>& with_code, Extent extent) {
  std::set<std::uint32_t> wanted;
  for (const ListedLine& line : file.lines) {
    if (line.line != 0) wanted.insert(line.line);
  }
  if (wanted.empty()) return;
  const auto source = std::ranges::find_if(
      files_, [&](const auto& entry) { return entry.second.ref && entry.second.sources.contains(file.path); });
  if (source == files_.end()) {
    file.why_no_text = "no program that is here, as it ran, names this source";
    return;
  }
  if (!file.path.starts_with('/')) {
    file.why_no_text = "its path is not a whole one";
    return;
  }
  std::set<std::uint32_t> whole = wanted;
  whole.insert(with_code.begin(), with_code.end());
  const std::uint32_t first = *whole.begin();
  const std::uint32_t last = *whole.rbegin();
  std::vector<LineRange> ranges;
  if (extent == Extent::whole && last - first <= most_lines_whole) {
    ranges = {{.first = first > lines_around ? first - lines_around : 1,
               .last = last < UINT32_MAX - lines_around ? last + lines_around : UINT32_MAX}};
  } else {
    ranges = ranges_around(wanted, lines_near);
  }
  const SourceOfFile read = listings_.source(*source->second.ref, file.path, ranges);
  if (read.failed != FileFault::none || !read.why.empty()) {
    file.why_no_text = read.failed == FileFault::none ? read.why : "reading it was given up";
    return;
  }
  file.is_newer = read.is_newer;
  take_texts(file, ranges, read);
}

// Nothing tells a script's build, so its text must name the function where that begins.
void SourceReader::add_script_text(ListedFile& file, const FunctionListing& function, Extent extent,
                                   std::uint64_t ended_unix_ns) {
  constexpr std::uint32_t most_lines_of_head = 20;  // decorators and comments come before the name
  std::set<std::uint32_t> wanted;
  for (const ListedLine& line : file.lines) {
    if (line.line != 0) wanted.insert(line.line);
  }
  if (wanted.empty()) return;
  if (!file.path.starts_with('/')) {
    file.why_no_text = "its path is not a whole one";
    return;
  }
  const std::uint32_t first = function.begins_at != 0 ? std::min(function.begins_at, *wanted.begin()) : *wanted.begin();
  const std::uint32_t last = *wanted.rbegin();
  wanted.insert(first);
  std::vector<LineRange> ranges = ranges_around(wanted, lines_near);
  if (extent == Extent::whole && last - first <= most_lines_whole) {
    ranges = {{.first = first, .last = last < UINT32_MAX - lines_around ? last + lines_around : UINT32_MAX}};
  }
  std::int64_t changed_unix_ns = 0;
  const SourceOfFile read = listings_.script(file.path, ranges, changed_unix_ns);
  if (read.failed != FileFault::none || !read.why.empty()) {
    file.why_no_text = read.failed == FileFault::none ? read.why : "reading it was given up";
    return;
  }
  const std::string_view name = bare_name(function.symbol);
  const std::size_t head = std::min<std::size_t>(read.lines.size(), first - ranges.front().first + most_lines_of_head);
  const auto has_name = [name](const std::string& line) { return line.find(name) != std::string::npos; };
  const bool is_named = std::ranges::any_of(std::span(read.lines).first(head), has_name);
  if (function.begins_at != 0 && !name.empty() && !is_named) {
    file.why_no_text = "the function does not begin there in the file that is here now";
    return;
  }
  file.is_newer =
      ended_unix_ns != 0 && changed_unix_ns > 0 && static_cast<std::uint64_t>(changed_unix_ns) > ended_unix_ns;
  take_texts(file, ranges, read);
}

std::vector<std::string> SourceReader::notes() const {
  constexpr std::size_t most_named = 4;
  std::vector<std::string> lines;
  std::size_t missing = 0;
  std::string named;
  for (const auto& [key, file] : files_) {
    if (file.ref || key.second.empty()) continue;  // the listing of a function says what was not recorded
    if (++missing > most_named) continue;
    named.append(missing == 1 ? " " : ", ").append(file.path).append(" (").append(file.why).append(")");
  }
  if (missing == 0) return lines;
  lines.push_back("without lines, source and code:" + named + (missing > most_named ? ", ..." : ""));
  return lines;
}

}  // namespace profile
