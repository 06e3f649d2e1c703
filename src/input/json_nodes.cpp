// Calls the nodes for RapidJSON's events. RapidJSON's stack holds only the current text, and JsonWalk keeps two
// pointers per level, so memory stays small.
#include "input/json_nodes.h"

#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/error.h"

namespace profile {
namespace {

// Our own JSON has nine levels. The limit protects memory from deeply nested input.
constexpr std::size_t deepest = 100;

}  // namespace

std::uint64_t JsonNumber::whole(const char* what, std::uint64_t most) const {
  if (is_whole_ && whole_ <= most) return whole_;
  // 12.0 and 1e3 are whole numbers too.
  if (!is_whole_ && number_ >= 0 && number_ < 0x1p53 && number_ == std::floor(number_)) {
    const auto whole = static_cast<std::uint64_t>(number_);
    if (whole <= most) return whole;
  }
  throw Error(std::string(what) + " is no number that it can be");
}

JsonNode& JsonNode::operator[](std::string_view name) {
  std::unique_ptr<JsonNode>& node = members_[std::string(name)];
  if (!node) node = std::make_unique<JsonNode>();
  return *node;
}

JsonNode& JsonNode::each() {
  if (!each_) each_ = std::make_unique<JsonNode>();
  return *each_;
}

// RapidJSON calls its functions by these names.
// NOLINTBEGIN(readability-identifier-naming)
class JsonWalk {
 public:
  explicit JsonWalk(const JsonNode& root) : next_(&root) {}

  bool Null() { return has_passed(); }
  bool Bool(bool truth) {
    if (next_ != nullptr && next_->truth_) next_->truth_(truth);
    return has_passed();
  }
  bool Int(int number) { return has_number(number < 0, static_cast<unsigned>(number), number); }
  bool Uint(unsigned number) { return has_number(false, number, number); }
  bool Int64(std::int64_t number) {
    return has_number(number < 0, static_cast<std::uint64_t>(number), static_cast<double>(number));
  }
  bool Uint64(std::uint64_t number) { return has_number(false, number, static_cast<double>(number)); }
  bool Double(double number) { return has_number(true, 0, number); }
  bool RawNumber(const char* /*text*/, rapidjson::SizeType /*size*/, bool /*copy*/) { return has_passed(); }
  bool String(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    if (next_ != nullptr && next_->text_) next_->text_({text, size});
    return has_passed();
  }
  bool StartObject() { return enter(nullptr); }
  bool Key(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    const JsonNode* const object = levels_.back().node;
    next_ = nullptr;
    if (object == nullptr) return true;
    const auto found = object->members_.find(std::string_view(text, size));
    if (found != object->members_.end()) next_ = found->second.get();
    return true;
  }
  bool EndObject(rapidjson::SizeType /*members*/) { return leave(); }
  bool StartArray() { return enter(next_ == nullptr ? nullptr : next_->each_.get()); }
  bool EndArray(rapidjson::SizeType /*elements*/) { return leave(); }

 private:
  struct Level {
    const JsonNode* node = nullptr;  // of the object or array; nullptr: it is skipped
    const JsonNode* each = nullptr;  // of the elements of an array
  };

  bool enter(const JsonNode* each) {
    if (levels_.size() == deepest) throw Error("it is nested deeper than any profile");
    if (next_ != nullptr && next_->begin_) next_->begin_();
    levels_.push_back({.node = next_, .each = each});
    next_ = each;
    return true;
  }
  bool leave() {
    const JsonNode* const node = levels_.back().node;
    levels_.pop_back();
    if (node != nullptr && node->end_) node->end_();
    return has_passed();
  }
  bool has_number(bool is_other, std::uint64_t whole, double number) {
    if (next_ != nullptr && next_->number_) next_->number_(is_other ? JsonNumber(number) : JsonNumber(whole));
    return has_passed();
  }
  // The next value is the next element of the same array, or a member that Key() selects.
  bool has_passed() {
    next_ = levels_.empty() ? nullptr : levels_.back().each;
    return true;
  }

  std::vector<Level> levels_;
  const JsonNode* next_;  // the node of the next value; nullptr: the value is skipped
};
// NOLINTEND(readability-identifier-naming)

namespace {

// The bytes as RapidJSON reads them, one by one. It calls the functions by these names.
// NOLINTBEGIN(readability-identifier-naming)
class JsonStream {
 public:
  using Ch = char;
  explicit JsonStream(ByteSource& bytes) : bytes_(bytes) { next_piece(); }

  // Of '\0' for the end, as RapidJSON expects it.
  [[nodiscard]] Ch Peek() const { return at_ == end_ ? '\0' : *at_; }
  Ch Take() {
    if (at_ == end_) return '\0';
    const Ch taken = *at_++;
    if (at_ == end_) next_piece();
    return taken;
  }
  [[nodiscard]] std::size_t Tell() const { return passed_ + static_cast<std::size_t>(at_ - begin_); }
  // RapidJSON needs them only where it writes into the text.
  Ch* PutBegin() { return nullptr; }
  void Put(Ch /*c*/) {}
  void Flush() {}
  std::size_t PutEnd(Ch* /*begin*/) { return 0; }

  [[nodiscard]] bool is_at_end() const { return at_ == end_; }
  // "NAME:3: ", and in a long line also the byte.
  [[nodiscard]] std::string place(const std::string& name) {
    constexpr std::size_t long_line = 200;
    count_lines();
    const std::size_t column = Tell() - line_begin_;
    std::string place = name + ":" + std::to_string(line_) + ": ";
    if (column > long_line) place += "at its byte " + std::to_string(column + 1) + ": ";
    return place;
  }

 private:
  void next_piece() {
    count_lines();
    const auto size = static_cast<std::size_t>(end_ - begin_);
    passed_ += size;
    bytes_.pass(size);
    bytes_.release();
    const std::string_view piece = bytes_.ahead(1);
    begin_ = at_ = piece.data();
    end_ = begin_ + piece.size();
  }
  // Up to here.
  void count_lines() {
    const std::string_view before(begin_, static_cast<std::size_t>(at_ - begin_));
    line_ += static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
    const std::size_t last = before.rfind('\n');
    if (last != before.npos) line_begin_ = passed_ + last + 1;
  }

  ByteSource& bytes_;
  const char* begin_ = nullptr;  // of the piece that is read
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::size_t passed_ = 0;  // bytes of the pieces before
  std::size_t line_ = 1;
  std::size_t line_begin_ = 0;
};
// NOLINTEND(readability-identifier-naming)

}  // namespace

void read_json(ByteSource& bytes, const std::string& name, const JsonNode& root) {
  JsonStream stream(bytes);
  rapidjson::Reader reader;
  for (;;) {
    rapidjson::SkipWhitespace(stream);
    if (stream.is_at_end()) return;
    JsonWalk walk(root);
    constexpr unsigned flags =
        rapidjson::kParseIterativeFlag | rapidjson::kParseStopWhenDoneFlag | rapidjson::kParseValidateEncodingFlag;
    try {
      const rapidjson::ParseResult result = reader.Parse<flags>(stream, walk);
      if (result) continue;
      const char* why = rapidjson::GetParseError_En(result.Code());
      if (stream.is_at_end()) why = "it is cut off.";
      throw Error("this is no JSON: " + std::string(why).substr(0, std::string_view(why).size() - 1));
    } catch (const ReadError&) {
      throw;
    } catch (const Error& error) {
      throw Error(stream.place(name) + error.what());
    }
  }
}

}  // namespace profile
