#include "parse/function_lookup.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <unordered_map>

#include "demangle/demangle.h"
#include "elf/dynamic_sections.h"
#include "elf/mini_debuginfo.h"
#include "elf/symbol_table.h"
#include "elf/symbol_versions.h"
#include "parse/debug_files.h"

namespace profile {
namespace {

// In steps of WorkBudget: the largest programs have two million names, and each is demangled.
constexpr std::uint64_t most_steps = std::uint64_t{1} << 32;
// What it costs to demangle a name, beside its bytes, and for each of its bytes.
constexpr std::uint64_t demangling_steps = 512;
constexpr std::uint64_t steps_a_mangled_byte = 16;
// A place is kept, and goes to the main process. Every symbol of a table may have the wanted name.
constexpr std::uint64_t place_steps = 8192;
// Names for a suggestion: more than any program has that is built by hand.
constexpr std::size_t most_names = 1 << 20;

using Visit = std::function<void(std::string_view name, const ElfTableSymbol&)>;

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

void visit_file(const ElfFile& file, const Visit& visit) {
  SymbolVersions versions(file);
  const Visit visit_unversioned = [&](std::string_view name, const ElfTableSymbol& symbol) {
    if (!name.empty()) visit(versions.without_version(name), symbol);
  };
  const auto dynamic = with_dynamic_sections(file);
  visit_names(file, SHT_SYMTAB, is_named_place, visit_unversioned);
  visit_names(dynamic ? *dynamic : file, SHT_DYNSYM, is_named_place, visit_unversioned);
}

FoundSymbol::Kind kind_of(const ElfTableSymbol& symbol) {
  if (symbol.type == STT_GNU_IFUNC) return FoundSymbol::Kind::resolver;
  return symbol.type == STT_OBJECT ? FoundSymbol::Kind::data : FoundSymbol::Kind::function;
}

// The places of one name. A global symbol hides the local ones.
class Places {
 public:
  void add(std::string_view name, const ElfTableSymbol& symbol, WorkBudget& budget) {
    if (!budget.take(place_steps)) return;
    const bool is_local = symbol.binding == STB_LOCAL;
    if (is_local && has_global_) return;
    if (!is_local && !has_global_) {
      places_.clear();
      numbers_.clear();
    }
    has_global_ = has_global_ || !is_local;
    const auto [same, is_new] = numbers_.try_emplace(symbol.start, places_.size());
    if (is_new) {
      places_.push_back({std::string(name), {symbol.start}, symbol.size, kind_of(symbol), std::nullopt});
    } else {
      std::uint64_t& size_bytes = places_[same->second].size_bytes;
      size_bytes = std::max(size_bytes, symbol.size);
    }
  }
  [[nodiscard]] bool empty() const { return places_.empty(); }
  [[nodiscard]] std::vector<FoundSymbol> take() {
    std::ranges::sort(places_, {}, &FoundSymbol::address);
    return std::move(places_);
  }

 private:
  std::vector<FoundSymbol> places_;
  std::unordered_map<std::uint64_t, std::size_t> numbers_;  // in places_, by address
  bool has_global_ = false;
};

// Turns "f(int) const [clone .cold]" into "f", and "operator()(int)" into "operator()".
std::string_view without_parameters(std::string_view demangled) {
  constexpr std::string_view call = "operator()";
  const auto operator_at = demangled.find(call);
  const auto from = operator_at == std::string_view::npos ? 0 : operator_at + call.size();
  return demangled.substr(0, demangled.find('(', from));
}

// How many names are demangled between two calls of `demangles`.
constexpr std::size_t batch = 1000;

class SymbolSearch {
 public:
  SymbolSearch(std::string_view wanted, const std::function<void(std::size_t)>& demangles, WorkBudget& budget)
      : wanted_(wanted), demangles_(demangles), budget_(budget) {}

  // False when no symbol has that name.
  bool look_for_exact(const ElfFile& file) {
    visit_file(file, [this](std::string_view name, const ElfTableSymbol& symbol) {
      if (name == wanted_) exact_.add(name, symbol, budget_);
    });
    return !exact_.empty();
  }

  void look_for_similar(const ElfFile& file) {
    visit_file(file, [this](std::string_view name, const ElfTableSymbol& symbol) {
      if (symbol.type == STT_OBJECT) return;
      if (!name.starts_with("_Z") && !name.starts_with("_R")) {
        suggest(name);
        return;
      }
      if (!budget_.take(demangling_steps + steps_a_mangled_byte * name.size())) return;
      if (demangled_names_++ % batch == 0) demangles_(batch);
      const std::string whole = demangle(name);
      const std::string_view bare = without_parameters(whole);
      if (whole == wanted_) demangled_.add(name, symbol, budget_);
      if (bare == wanted_ && whole.find("[clone ") == std::string::npos) bare_.add(name, symbol, budget_);
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
    if (name.size() <= 2 * wanted_.size() + 16 && names_.size() < most_names) names_.emplace_back(name);
  }

  std::string_view wanted_;
  const std::function<void(std::size_t)>& demangles_;
  WorkBudget& budget_;
  std::size_t demangled_names_ = 0;
  Places exact_;
  Places demangled_;
  Places bare_;  // symbols whose name without parameters is the wanted one
  std::vector<std::string> names_;
};

NameSearch search_everywhere(const ElfFile& elf, int fd, const FileRef& file, DebugFiles& debug_files,
                             std::string_view name, const std::function<void(std::size_t)>& demangles,
                             WorkBudget& budget) {
  SymbolSearch search(name, demangles, budget);
  if (search.look_for_exact(elf)) return search.take();
  std::string why;
  const auto packed = unpack_mini_debuginfo(elf, why);
  const auto inner = packed ? ElfFile::read(packed->bytes(), why, &budget) : std::nullopt;
  if (inner && search.look_for_exact(*inner)) return search.take();
  const DebugFile debug = debug_files.find(elf, fd, file);
  const auto elsewhere = debug ? ElfFile::read(debug.fd.get(), why, &budget) : std::nullopt;
  if (elsewhere && search.look_for_exact(*elsewhere)) return search.take();

  search.look_for_similar(elf);
  if (inner && !search.has_similar()) search.look_for_similar(*inner);
  if (elsewhere && !search.has_similar()) search.look_for_similar(*elsewhere);
  return search.take();
}

}  // namespace

NameSearch find_by_name(const ElfFile& elf, int fd, const FileRef& file, DebugFiles& debug_files, std::string_view name,
                        std::uint64_t added, const std::function<void(std::size_t)>& demangles) {
  WorkBudget budget(most_steps);
  NameSearch search = search_everywhere(elf.with_budget(budget), fd, file, debug_files, name, demangles, budget);
  // Of an incomplete search no place is right for certain: a global function hides local ones.
  if (budget.spent()) return {.places = {}, .names = {}, .was_given_up = true};
  for (FoundSymbol& place : search.places) place.offset = elf.offset_of(ElfAddress{place.address.value + added});
  return search;
}

}  // namespace profile
