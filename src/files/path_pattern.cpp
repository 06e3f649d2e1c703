#include "files/path_pattern.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

#include "support/ascii.h"
#include "support/error.h"

namespace profile {
namespace {

// The conversions of strftime that are useful in a file's name, and the shape of their text:
//   0 to 9  a digit up to that one      #  one digit or more
//   A       a letter                    Z  letters, digits and signs, one or more
//   +       + or -                      anything else is itself
struct Conversion {
  char letter;
  std::string_view shape;
};
constexpr Conversion conversions[] = {
    {'Y', "9999"},  {'y', "99"},       {'m', "19"}, {'d', "39"},         {'j', "399"},  // dates
    {'b', "AAA"},   {'a', "AAA"},      {'u', "7"},  {'F', "9999-19-39"},                //
    {'G', "9999"},  {'V', "59"},                                                        // year and week of ISO 8601
    {'H', "29"},    {'I', "19"},       {'M', "59"}, {'S', "69"},         {'p', "AA"},   // times
    {'R', "29:59"}, {'T', "29:59:69"},                                                  //
    {'s', "#"},                                                                         // seconds since 1970
    {'z', "+2959"}, {'Z', "Z"},                                                         // the time zone
};

constexpr std::size_t most_digits = 20;  // of a running number

const Conversion* find_conversion(char letter) {
  const auto* found = std::ranges::find(conversions, letter, &Conversion::letter);
  return found == std::end(conversions) ? nullptr : found;
}

constexpr char literal_kind = '=';

bool may_be(char kind, char value, char c) {
  switch (kind) {
    case literal_kind:
      return c == value;
    case '#':
      return is_digit(c);
    case 'A':
      return is_letter(c);
    case 'Z':
      return is_letter(c) || is_digit(c) || c == '+' || c == '-';
    case '+':
      return c == '+' || c == '-';
    default:
      return c >= '0' && c <= kind;
  }
}

constexpr char again_mark = '~';

std::string text_of_time(char letter, std::uint64_t unix_ns) {
  const auto seconds = static_cast<std::time_t>(unix_ns / 1'000'000'000);
  if (letter == 's') return std::to_string(seconds);
  std::tm local{};
  ::localtime_r(&seconds, &local);
  const std::array<char, 3> format = {'%', letter, '\0'};
  std::array<char, 128> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), format.data(), &local);
  // The name of a time zone is free text from a file, but a slash would change the path.
  std::replace(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(size), '/', '-');
  return {text.data(), size};
}

// "~2", "~3", ...: a mark that no other pattern makes, because --keep removes the files that match.
bool is_again(std::string_view text) {
  if (text.size() < 2 || text[0] != again_mark || text[1] == '0' || text.substr(1) == "1") return false;
  return std::all_of(text.begin() + 1, text.end(), is_digit);
}

}  // namespace

PathPattern::PathPattern(std::string text, std::string_view option) : text_(std::move(text)) {
  for (std::size_t at = 0; at < text_.size();) {
    if (text_[at] == '%') {
      at += add_conversion(at, option);
    } else {
      add_literal(text_[at++]);
    }
  }
  if (name_.empty()) throw usage_error(std::string(option) + " " + text_ + ": not a file name");
  if (Part& last = name_.back(); last.kind == Kind::literal) {
    const std::size_t dot = std::min(last.text.find('.', name_.size() == 1 ? 1 : 0), last.text.size());
    ending_ = last.text.substr(dot);
    last.text.resize(dot);
  }
  note_places();
}

void PathPattern::add_literal(char character) {
  if (name_.empty() || name_.back().kind != Kind::literal) name_.push_back({.kind = Kind::literal, .text = {}});
  name_.back().text += character;
  if (character != '/') return;
  directory_.insert(directory_.end(), name_.begin(), name_.end());
  name_.clear();
}

// Returns the number of characters that the conversion has in the pattern.
std::size_t PathPattern::add_conversion(std::size_t percent, std::string_view option) {
  std::size_t at = percent + 1;
  while (at < text_.size() && is_digit(text_[at])) ++at;
  const std::string digits = text_.substr(percent + 1, at - percent - 1);
  const char letter = at < text_.size() ? text_[at] : '\0';
  const std::size_t size = at + 1 - percent;
  if (digits.empty() && letter == '%') {
    add_literal('%');
    return size;
  }
  if (digits.empty() && find_conversion(letter) != nullptr) {
    name_.push_back({.kind = Kind::time, .text = std::string(1, letter)});
    is_timed_ = true;
    return size;
  }
  if (!digits.empty() && letter == 'd') {
    const std::size_t width = digits.size() > 3 ? most_digits + 1 : std::stoul(digits);
    if (width <= most_digits) {
      name_.push_back({.kind = Kind::number, .text = {}, .width = width});
      is_numbered_ = true;
      return size;
    }
  }
  const bool is_whole = letter > ' ' && letter < 0x7f;
  throw usage_error(std::string(option) + " " + text_ + ": " + text_.substr(percent, is_whole ? size : size - 1) +
                    " stands for nothing; in a file's name %Y, %m, %d, %H, %M, %S and such are the time, %04d is a "
                    "running number and %% a percent sign");
}

// Fills places_ from name_.
void PathPattern::note_places() {
  for (const Part& part : name_) {
    if (part.kind == Kind::literal) {
      for (const char c : part.text) places_.push_back({.kind = literal_kind, .value = c, .repeats = false});
    } else if (part.kind == Kind::number) {
      for (std::size_t i = 1; i < part.width; ++i) places_.push_back({.kind = '9', .value = 0, .repeats = false});
      places_.push_back({.kind = '#', .value = 0, .repeats = true});
    } else {
      for (const char c : find_conversion(part.text[0])->shape) {
        const bool repeats = c == '#' || c == 'Z';
        const bool is_kind = repeats || is_digit(c) || c == 'A' || c == '+';
        places_.push_back({.kind = is_kind ? c : literal_kind, .value = c, .repeats = repeats});
      }
    }
  }
}

bool PathPattern::directory_varies() const {
  return std::any_of(directory_.begin(), directory_.end(), [](const Part& part) { return part.kind != Kind::literal; });
}

std::string PathPattern::fixed_directory() const {
  std::string text;
  for (const Part& part : directory_) {
    if (part.kind != Kind::literal) break;
    text += part.text;
  }
  text.resize(text.rfind('/') + 1);
  return text;
}

std::string PathPattern::expanded(const std::vector<Part>& parts, std::uint64_t unix_ns, std::uint64_t number) {
  std::string text;
  for (const Part& part : parts) {
    if (part.kind == Kind::literal) text += part.text;
    if (part.kind == Kind::time) text += text_of_time(part.text[0], unix_ns);
    if (part.kind != Kind::number) continue;
    const std::string digits = std::to_string(number);
    text.append(part.width - std::min(part.width, digits.size()), '0');
    text += digits;
  }
  return text;
}

PathPattern::Path PathPattern::expand(std::uint64_t unix_ns, std::uint64_t number, std::uint64_t again) const {
  Path path;
  path.directory = directory_.empty() ? "." : expanded(directory_, unix_ns, number);
  path.name = expanded(name_, unix_ns, number);
  if (again > 1) path.name += again_mark + std::to_string(again);
  path.name += ending_;
  return path;
}

std::string PathPattern::Path::whole() const { return directory == "." ? name : directory + name; }

bool PathPattern::matches(std::string_view name) const {
  if (!name.ends_with(ending_)) return false;
  name.remove_suffix(ending_.size());
  // reached[i]: the places so far can match the first i characters of the name.
  std::vector<bool> reached(name.size() + 1, false);
  reached[0] = true;
  for (const NamePart& place : places_) {
    std::vector<bool> next(reached.size(), false);
    for (std::size_t i = 0; i < name.size(); ++i) {
      const bool is_there = reached[i] || (place.repeats && next[i]);
      if (is_there && may_be(place.kind, place.value, name[i])) next[i + 1] = true;
    }
    reached.swap(next);
  }
  if (reached[name.size()]) return true;
  if (!is_timed_) return false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (reached[i] && is_again(name.substr(i))) return true;
  }
  return false;
}

}  // namespace profile
