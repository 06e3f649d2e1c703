#include "symbol/named_places.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "symbol/debug_data.h"
#include "symbol/demangle.h"
#include "symbol/dynamic_sections.h"
#include "symbol/elf_symbol_table.h"

namespace profile {
namespace {

struct Symbol {
  std::uint32_t name;
  std::uint8_t type;
  std::uint8_t binding;
  std::uint64_t start;
  std::uint64_t size;
};

using Visit = std::function<void(std::string_view name, const Symbol&)>;

bool is_named_place(const ElfTableSymbol& symbol) {
  switch (symbol.type) {
    case STT_FUNC:
    case STT_GNU_IFUNC:
    case STT_OBJECT:
      return true;
    case STT_NOTYPE:
      return (symbol.section->flags & SHF_EXECINSTR) != 0;  // a label of hand-written code
    default:
      return false;
  }
}

// In the order of the names, because those can be read in one direction then.
void visit_table(const ElfFile& file, std::uint32_t type, const Visit& visit) {
  bool damaged = false;
  const auto table = ElfSymbolTable::find(file, type, damaged);
  if (!table) return;
  std::vector<Symbol> symbols;
  const bool whole = table->for_each([&](const ElfTableSymbol& symbol) {
    if (is_named_place(symbol)) {
      symbols.push_back({symbol.name, symbol.type, symbol.binding, symbol.start, symbol.size});
    }
  });
  if (!whole) return;
  std::ranges::sort(symbols, {}, &Symbol::name);
  ElfNameReader names(*table);
  for (const Symbol& symbol : symbols) {
    const std::string_view name = names.read(symbol.name);
    const auto version = name.find('@');
    if (!name.empty() && version != 0) visit(name.substr(0, version), symbol);
  }
}

void visit_file(const ElfFile& file, const Visit& visit) {
  const auto dynamic = with_dynamic_sections(file);
  visit_table(file, SHT_SYMTAB, visit);
  visit_table(dynamic ? *dynamic : file, SHT_DYNSYM, visit);
}

NamedPlace::Kind kind_of(const Symbol& symbol) {
  if (symbol.type == STT_GNU_IFUNC) return NamedPlace::Kind::resolver;
  return symbol.type == STT_OBJECT ? NamedPlace::Kind::data : NamedPlace::Kind::function;
}

// The places that a name has; a global one hides the local ones.
class Places {
 public:
  void add(std::string_view name, const Symbol& symbol) {
    const bool is_local = symbol.binding == STB_LOCAL;
    if (is_local && has_global_) return;
    if (!is_local && !has_global_) places_.clear();
    has_global_ = has_global_ || !is_local;
    const auto same = std::find_if(places_.begin(), places_.end(),
                                   [&](const NamedPlace& place) { return place.address.value == symbol.start; });
    if (same == places_.end()) {
      places_.push_back({std::string(name), {symbol.start}, symbol.size, kind_of(symbol)});
    } else {
      same->size_bytes = std::max(same->size_bytes, symbol.size);
    }
  }
  [[nodiscard]] bool empty() const { return places_.empty(); }
  [[nodiscard]] std::vector<NamedPlace> take() {
    std::ranges::sort(places_, {}, &NamedPlace::address);
    return std::move(places_);
  }

 private:
  std::vector<NamedPlace> places_;
  bool has_global_ = false;
};

// "f(int) const [clone .cold]" is "f"; "operator()(int)" is "operator()".
std::string_view without_parameters(std::string_view demangled) {
  constexpr std::string_view call = "operator()";
  const auto operator_at = demangled.find(call);
  const auto from = operator_at == std::string_view::npos ? 0 : operator_at + call.size();
  return demangled.substr(0, demangled.find('(', from));
}

class Search {
 public:
  explicit Search(std::string_view wanted) : wanted_(wanted) {}

  // False when there is none of that name.
  bool look_for_exact(const ElfFile& file) {
    visit_file(file, [this](std::string_view name, const Symbol& symbol) {
      if (name == wanted_) exact_.add(name, symbol);
    });
    return !exact_.empty();
  }

  void look_for_similar(const ElfFile& file) {
    visit_file(file, [this](std::string_view name, const Symbol& symbol) {
      if (symbol.type == STT_OBJECT) return;
      if (!name.starts_with("_Z") && !name.starts_with("_R")) {
        suggest(name);
        return;
      }
      const std::string whole = demangle(name);
      const std::string_view bare = without_parameters(whole);
      if (whole == wanted_) demangled_.add(name, symbol);
      if (bare == wanted_ && whole.find("[clone ") == std::string::npos) bare_.add(name, symbol);
      suggest(bare);
    });
  }

  NameSearch take() {
    for (Places* places : {&exact_, &demangled_, &bare_}) {
      if (!places->empty()) return {.places = places->take(), .names = {}};
    }
    return {.places = {}, .names = std::move(names_)};
  }

  [[nodiscard]] bool has_similar() const { return !demangled_.empty() || !bare_.empty(); }

 private:
  void suggest(std::string_view name) {
    if (name.size() <= 2 * wanted_.size() + 16) names_.emplace_back(name);
  }

  std::string_view wanted_;
  Places exact_;
  Places demangled_;
  Places bare_;  // the name without the parameters
  std::vector<std::string> names_;
};

}  // namespace

NameSearch find_by_name(const ElfFile& file, int fd, std::string_view path, DebugFiles& debug_files,
                        std::string_view name) {
  Search search(name);
  if (search.look_for_exact(file)) return search.take();
  std::string why;
  const Fd packed = unpack_debug_data(file, why);
  const auto inner = packed ? ElfFile::read(packed.get(), why) : std::nullopt;
  if (inner && search.look_for_exact(*inner)) return search.take();
  const Fd debug = debug_files.find(file, fd, path);
  const auto elsewhere = debug ? ElfFile::read(debug.get(), why) : std::nullopt;
  if (elsewhere && search.look_for_exact(*elsewhere)) return search.take();

  search.look_for_similar(file);
  if (inner && !search.has_similar()) search.look_for_similar(*inner);
  if (elsewhere && !search.has_similar()) search.look_for_similar(*elsewhere);
  return search.take();
}

std::optional<FileOffset> file_offset_of(const ElfFile& file, ElfAddress address) {
  for (const ElfSegment& segment : file.segments()) {
    if (segment.type != PT_LOAD || address.value < segment.address) continue;
    const std::uint64_t inside = address.value - segment.address;
    if (inside < segment.file_size) return FileOffset{segment.offset + inside};
  }
  return std::nullopt;
}

}  // namespace profile
