// One JSON object per line. Stacks are leaf first; a frame has its symbol or the reason why it has none. Addresses are
// text, because JavaScript loses bits of kernel addresses. No stack is an empty array; a missed stack is one frame,
// [Missed User Stack] or [Missed Kernel Stack]. `tag` is a separate member, and `user_end` exists if the end is known.
// RapidJSON quotes each text once; the line is joined from these pieces, because Writer::RawValue() copies byte by
// byte.
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "model/stack_end.h"
#include "model/unnamed_words.h"
#include "output/shown_frame.h"
#include "output/stream.h"

namespace profile {
namespace {

class Json final : public StreamOutput {
 public:
  void begin(std::string& /*out*/, const RunInfo& run) override {
    event_and_unit_ = ",\"event\":";
    append_quoted(event_and_unit_, run.event);
    event_and_unit_ += ",\"unit\":";
    append_quoted(event_and_unit_, run.unit.word());
    event_and_unit_ += ",\"value\":";
  }

  void append(std::string& out, const Profile& profile, const Sample& sample) override {
    append_all(out, "{\"time_unix_ns\":", sample.unix_ns, ",\"comm\":");
    append_kept(out, profile, sample.row.thread_name);
    append_all(out, ",\"pid\":", profile.process(sample.row.process).tgid, ",\"tid\":", sample.row.tid,
               ",\"cpu\":", sample.cpu, event_and_unit_, sample.row.value);
    if (sample.row.tag != StringId::empty) {
      out += ",\"tag\":";
      append_kept(out, profile, sample.row.tag);
    }
    out += ",\"user\":";
    append_stack(out, profile, sample.row.user, missed_user_stack);
    if (const StackEnd end = profile.end_of(sample.row.user); end != StackEnd::unknown) {
      out.append(",\"user_end\":\"").append(words_of(end).key).append("\"");
    }
    out += ",\"kernel\":";
    append_stack(out, profile, sample.row.kernel, missed_kernel_stack);
    out += "}\n";
  }

 private:
  using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

  void write(Writer& writer, std::string_view text) {
    clean_.clear();
    append_clean(clean_, text, Semicolon::keep);
    writer.String(clean_.data(), static_cast<rapidjson::SizeType>(clean_.size()));
  }

  void append_quoted(std::string& out, std::string_view text) {
    buffer_.Clear();
    Writer writer(buffer_);
    write(writer, text);
    out.append(buffer_.GetString(), buffer_.GetSize());
  }

  void append_kept(std::string& out, const Profile& profile, StringId id) {
    texts_.append(out, id, [&](std::string& text) { append_quoted(text, profile.strings.view(id)); });
  }

  void append_stack(std::string& out, const Profile& profile, StackId stack, std::string_view missed) {
    if (stack == StackId::none) {
      out += "[]";
    } else if (stack == StackId::missed) {
      out.append("[{\"symbol\":\"").append(missed).append("\"}]");
    } else {
      stacks_.append(out, stack, [&](std::string& text) { render(text, profile, stack); });
    }
  }

  void render(std::string& text, const Profile& profile, StackId stack) {
    buffer_.Clear();
    Writer writer(buffer_);
    writer.StartArray();
    for_each_shown(profile, stack, [&](const ShownFrame& shown) { write(writer, profile, shown); });
    writer.EndArray();
    text.append(buffer_.GetString(), buffer_.GetSize());
  }

  void write(Writer& writer, const Profile& profile, const ShownFrame& shown) {
    const Frame& frame = *shown.frame;
    const auto write_text = [&](const char* key, StringId id) {
      if (id == StringId::empty) return;
      writer.Key(key);
      write(writer, profile.strings.view(id));
    };
    writer.StartObject();
    write_text("symbol", shown.symbol);
    if (!shown.is_inlined && frame.unnamed != Unnamed::named) {
      writer.Key("unnamed");
      write(writer, word_of(frame.unnamed));
    }
    write_text("module", frame.module);
    if (!shown.is_inlined && (shown.symbol != StringId::empty || frame.module != StringId::empty)) {
      writer.Key("offset");
      writer.Uint64(frame.offset);
    }
    if (!shown.is_inlined && frame.function != unknown_offset) {
      writer.Key("function");
      writer.Uint64(frame.function);
    }
    writer.Key("address");
    address_ = "0x";
    append_all(address_, hex(frame.address.value));
    write(writer, address_);
    write_text("file", shown.at.file);
    if (shown.at.line != 0) {
      writer.Key("line");
      writer.Uint(shown.at.line);
    }
    if (shown.is_inlined) {
      writer.Key("inlined");
      writer.Bool(true);
    }
    writer.EndObject();
  }

  std::string event_and_unit_;
  rapidjson::StringBuffer buffer_;
  std::string clean_;
  std::string address_;
};

}  // namespace

std::unique_ptr<StreamOutput> make_stream_json(const OutputOptions& /*options*/) { return std::make_unique<Json>(); }

}  // namespace profile
