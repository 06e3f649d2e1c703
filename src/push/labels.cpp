#include "push/labels.h"

#include <algorithm>
#include <array>

#include "model/profile.h"
#include "output/clean_text.h"
#include "support/ascii.h"

namespace profile {
namespace {

// Stores refuse longer ones.
constexpr std::size_t most_name_bytes = 128;
constexpr std::size_t most_value_bytes = 1024;

constexpr std::array reserved_names{"service", "service_name", "container", "pod", "namespace", "process"};

bool is_name_character(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

}  // namespace

std::string refusal_of_label(std::string_view name, std::string_view value) {
  if (name.empty() || is_digit(name.front()) || !std::ranges::all_of(name, is_name_character)) {
    return "a name has letters, digits and _, and does not begin with a digit";
  }
  if (name.starts_with("__")) return "names that begin with __ are the store's own";
  if (std::ranges::find(reserved_names, name) != reserved_names.end()) return "this label tells the services apart";
  if (name.size() > most_name_bytes || value.size() > most_value_bytes) return "too long";
  if (value.empty()) return "it has no value";
  if (clean_text(value) != value) return "its value has characters that are not for a line of text";
  return {};
}

std::string profile_name_of(std::string_view event) {
  if (event == cpu_clock || event == "task-clock") return "process_cpu";
  std::string name(event);
  std::ranges::replace_if(
      name, [](char c) { return !is_name_character(c); }, '_');
  if (is_digit(name.front())) name.insert(0, 1, '_');
  return name;
}

}  // namespace profile
