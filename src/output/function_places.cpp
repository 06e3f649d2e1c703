#include "output/function_places.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "output/blamed_frame.h"
#include "output/clean_text.h"
#include "output/shown_frame.h"
#include "support/nearest_names.h"

namespace profile {
namespace {

// "ns::f" of "ns::f(int) const"; the whole name if it has no parameters. "(anonymous namespace)" does not begin them.
std::string_view without_parameters(std::string_view name) {
  constexpr std::string_view anonymous = "(anonymous namespace)";
  constexpr std::string_view call = "operator()";
  std::size_t depth = 0;  // of template arguments
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name.substr(i).starts_with(anonymous)) {
      i += anonymous.size() - 1;
    } else if (name.substr(i).starts_with(call)) {
      i += call.size() - 1;
    } else if (name[i] == '<') {
      ++depth;
    } else if (name[i] == '>' && depth != 0) {
      --depth;
    } else if (name[i] == '(' && depth == 0 && i != 0) {
      return name.substr(0, i);
    }
  }
  return name;
}

// The functions of a profile, by what is shown of its frames.
class ShownFunctions {
 public:
  struct Function {
    std::string name;
    std::string module;
    StringId symbol = StringId::empty;
    FrameKind kind{};
    std::uint32_t begins_at = 0;
    PlaceValue value;
  };

  explicit ShownFunctions(const Profile& profile) : profile_(profile) {
    of_frames_.reserve(profile.frames().size() + 1);
    for (std::size_t i = 0; i < profile.frames().size(); ++i) {
      of_frames_.push_back(shown_.size());
      show(static_cast<FrameId>(i));
    }
    of_frames_.push_back(shown_.size());
  }

  [[nodiscard]] std::vector<Function>& functions() { return functions_; }

  // Calls `meet(function, shown, is_self)` for each shown frame of a row that is no tag, from the leaf on.
  template <class Meet>
  void each_of(const Row& row, const Meet& meet) const {
    const std::size_t blamed = blamed_place(profile_, row);
    std::size_t place = 0;
    for (const ShownPart& part : shown_parts(profile_, row)) {
      if (part.stack == StackId::none) ++place;
      for (const FrameId id : profile_.stack(part.stack)) {
        std::size_t at = of_frames_[static_cast<std::size_t>(id)];
        for_each_shown(profile_, id, [&](const ShownFrame& shown) { meet(shown_[at++], shown, place++ == blamed); });
      }
    }
  }

 private:
  void show(FrameId id) {
    const std::string module = clean_text(code_file_name(profile_, profile_.frame(id)));
    for_each_shown(profile_, id, [&](const ShownFrame& one) {
      std::string name;
      append_function(name, profile_, one, Semicolon::keep);
      const auto [found, is_new] = numbers_.try_emplace({name, module}, functions_.size());
      if (is_new) {
        functions_.push_back({.name = std::move(name),
                              .module = module,
                              .symbol = one.symbol,
                              .kind = one.frame->kind,
                              .begins_at = one.frame->begins_at,
                              .value = {}});
      }
      shown_.push_back(found->second);
    });
  }

  const Profile& profile_;
  std::map<std::pair<std::string, std::string>, std::size_t> numbers_;
  std::vector<Function> functions_;
  std::vector<std::size_t> shown_;      // functions of frames; those of one frame are together, leaf first
  std::vector<std::size_t> of_frames_;  // by FrameId: index of its first function in shown_; then the end
};

// Adds values to places, once for each row.
template <class Key>
class PlaceValues {
 public:
  void add(const Key& key, std::uint64_t row, std::uint64_t value, bool is_self) {
    Counted& counted = counted_[key];
    if (std::exchange(counted.last_row, row) != row) counted.value.total += value;
    if (is_self) counted.value.self += value;
  }
  template <class Take>
  void each(const Take& take) const {
    for (const auto& [key, counted] : counted_) take(key, counted.value);
  }

 private:
  struct Counted {
    PlaceValue value;
    std::uint64_t last_row = 0;
  };
  std::map<Key, Counted> counted_;
};

struct FunctionValues {
  PlaceValues<std::pair<StringId, std::uint32_t>> lines;
  PlaceValues<std::tuple<BinaryId, ElfAddress, bool>> places;
  PlaceValue value;
  std::uint64_t last_row = 0;
};

bool is_larger(const PlaceValue& a, const PlaceValue& b) {
  return std::tie(a.total, a.self) > std::tie(b.total, b.self);
}

FunctionListing listing_of(const Profile& profile, const ShownFunctions::Function& function,
                           const FunctionValues& values) {
  FunctionListing listing{.name = function.name,
                          .module = function.module,
                          .symbol = std::string(profile.strings.view(function.symbol)),
                          .is_of_script = function.kind == FrameKind::script,
                          .begins_at = function.begins_at,
                          .value = values.value,
                          .files = {},
                          .codes = {},
                          .places = {}};
  std::map<StringId, std::pair<PlaceValue, ListedFile>> files;
  values.lines.each([&](const std::pair<StringId, std::uint32_t>& at, const PlaceValue& value) {
    if (at.first == StringId::empty) return;
    auto& [sum, file] = files[at.first];
    file.path = profile.strings.view(at.first);
    sum.total += value.total;
    sum.self += value.self;
    file.lines.push_back({.line = at.second, .text = {}, .value = value});
  });
  std::vector<std::pair<PlaceValue, ListedFile>> sorted;
  sorted.reserve(files.size());
  for (auto& [id, file] : files) sorted.push_back(std::move(file));
  std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) { return is_larger(a.first, b.first); });
  listing.files.reserve(sorted.size());
  for (auto& [sum, file] : sorted) listing.files.push_back(std::move(file));
  values.places.each([&](const std::tuple<BinaryId, ElfAddress, bool>& at, const PlaceValue& value) {
    listing.places.push_back(
        {.binary = std::get<0>(at), .address = std::get<1>(at), .is_inlined = std::get<2>(at), .value = value});
  });
  return listing;
}

std::vector<FunctionListing> listings_of(const Profile& profile, ShownFunctions& shown,
                                         const std::vector<std::size_t>& numbers) {
  std::vector<std::size_t> index(shown.functions().size(), SIZE_MAX);
  for (std::size_t i = 0; i < numbers.size(); ++i) index[numbers[i]] = i;
  std::vector<FunctionValues> values(numbers.size());
  std::uint64_t row_number = 0;
  for (const Row& row : profile.rows()) {
    ++row_number;
    shown.each_of(row, [&](std::size_t function, const ShownFrame& one, bool is_self) {
      if (index[function] == SIZE_MAX) return;
      FunctionValues& of = values[index[function]];
      if (std::exchange(of.last_row, row_number) != row_number) of.value.total += row.value;
      if (is_self) of.value.self += row.value;
      const Frame& frame = *one.frame;
      // Without --lines the line of a script's frame is where its function begins.
      const bool has_line = frame.kind != FrameKind::script || frame.begins_at != 0;
      if (has_line) of.lines.add({one.at.file, one.at.line}, row_number, row.value, is_self);
      if (frame.kind != FrameKind::user || frame.binary == BinaryId::none) return;
      const ElfAddress address = call_address(frame.binary_address, frame.is_return);
      of.places.add({frame.binary, address, one.is_inlined}, row_number, row.value, is_self);
    });
  }
  std::vector<FunctionListing> listings;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (values[i].value.total == 0) continue;
    listings.push_back(listing_of(profile, shown.functions()[numbers[i]], values[i]));
  }
  std::ranges::stable_sort(listings, [](const auto& a, const auto& b) { return is_larger(a.value, b.value); });
  return listings;
}

}  // namespace

std::vector<FunctionListing> functions_named(const Profile& profile, std::string_view name,
                                             std::vector<std::string>& nearest) {
  ShownFunctions shown(profile);
  std::vector<std::size_t> numbers;
  const auto find = [&](const std::function<std::string_view(std::string_view)>& part) {
    for (std::size_t i = 0; i < shown.functions().size() && !name.empty(); ++i) {
      if (part(shown.functions()[i].name) == name) numbers.push_back(i);
    }
  };
  find([](std::string_view whole) { return whole; });
  if (numbers.empty()) find(without_parameters);
  std::vector<FunctionListing> listings = listings_of(profile, shown, numbers);
  if (!listings.empty()) return listings;
  std::set<std::string> names;
  for (const auto& function : shown.functions()) names.emplace(without_parameters(function.name));
  nearest = nearest_names(name, {names.begin(), names.end()});
  return listings;
}

std::vector<FunctionListing> largest_functions(const Profile& profile, std::size_t most) {
  ShownFunctions shown(profile);
  std::vector<ShownFunctions::Function>& functions = shown.functions();
  std::vector<std::uint64_t> last_row(functions.size());
  std::uint64_t row_number = 0;
  for (const Row& row : profile.rows()) {
    ++row_number;
    shown.each_of(row, [&](std::size_t function, const ShownFrame& /*one*/, bool is_self) {
      PlaceValue& value = functions[function].value;
      if (std::exchange(last_row[function], row_number) != row_number) value.total += row.value;
      if (is_self) value.self += row.value;
    });
  }
  std::vector<std::size_t> by_self;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const bool has_lines = functions[i].kind == FrameKind::script && functions[i].begins_at != 0;
    const bool is_shown = functions[i].kind == FrameKind::user || has_lines;
    if (functions[i].symbol != StringId::empty && is_shown) by_self.push_back(i);
  }
  std::vector<std::size_t> by_total = by_self;
  const auto sort = [&](std::vector<std::size_t>& numbers, std::uint64_t PlaceValue::*value, std::size_t count) {
    std::ranges::stable_sort(numbers, std::ranges::greater(),
                             [&](std::size_t number) { return functions[number].value.*value; });
    numbers.resize(std::min(numbers.size(), count));
  };
  sort(by_self, &PlaceValue::self, most);
  sort(by_total, &PlaceValue::total, most / 2);
  std::set<std::size_t> numbers(by_self.begin(), by_self.end());
  numbers.insert(by_total.begin(), by_total.end());
  return listings_of(profile, shown, {numbers.begin(), numbers.end()});
}

}  // namespace profile
