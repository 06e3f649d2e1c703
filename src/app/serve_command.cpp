// `profile serve URL`: the pages of a fleet's store.
#include <algorithm>
#include <iterator>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/options.h"
#include "app/page_maker.h"
#include "app/print.h"
#include "app/reading.h"
#include "push/pusher.h"
#include "push/target.h"
#include "support/error.h"
#include "support/module.h"
#include "web/pages.h"
#include "web/view.h"

namespace profile {

extern const Subcommand serve_command;

namespace {

constexpr std::string_view serve_options[] = {"port", "listen", "allow-host", "push-auth-file", "quiet", "help"};

void print_serve_help(std::ostream& out) {
  out << "usage: profile serve [options] URL\n"
         "\nServes pages about a store (profile --store): what it has, flame graphs of a part of it, and what has "
         "changed\n"
         "between two times or versions. URL is that of profile report. Each page is made when it is asked for.\n\n";
  print_options(out, serve_command);
  out << "\nPages, whose parameters are the options of the same names:\n"
         "  /         what the store has: service, host, service-version, comm, event, from, to\n"
         "  /report   a flame graph, with the same; format: html, pprof, folded or json; lines\n"
         "  /diff     what has changed, with the same, and: a, b, a-version, b-version\n"
         "\nExamples:\n"
         "  profile serve clickhouse+http://store:8123/profiles\n"
         "  go tool pprof 'http://127.0.0.1:9090/report?service=shop&from=-1h&format=pprof'\n";
}

// The parameters that choose samples.
constexpr std::string_view sample_choices[] = {"service", "host", "service-version", "comm", "event", "from", "to"};

struct PageFormat {
  std::string_view name;
  std::string_view type;
  PageAnswer::May may = PageAnswer::May::nothing;
  std::string_view file_name = {};
};
constexpr PageFormat page_formats[] = {
    {"html", "text/html; charset=utf-8", PageAnswer::May::run_script},
    {"pprof", "application/octet-stream", PageAnswer::May::nothing, "profile.pb.gz"},
    {"folded", "text/plain; charset=utf-8"},
    {"json", "application/json"},
};

// A page: the command line that makes it, but for the parameters and the URL.
struct Page {
  std::string_view path;
  std::vector<std::string> command;
  std::vector<std::string_view> parameters;  // besides `sample_choices`
  PageAnswer::May may = PageAnswer::May::nothing;
};

const std::vector<Page>& pages() {
  static const std::vector<Page> all{
      {"/", {"store", "list", "--format=html", "--top=100"}, {}, PageAnswer::May::send_forms},
      {"/report", {"report"}, {"format", "lines"}, PageAnswer::May::run_script},
      {"/diff", {"diff", "--format=html"}, {"a", "b", "a-version", "b-version"}, PageAnswer::May::run_script}};
  return all;
}

// Throws Error for what is not a parameter of the page.
PageMaker::Job job_of(const PageRequest& request, const std::string& auth_path, const std::string& url) {
  const auto page = std::ranges::find(pages(), request.path, &Page::path);
  if (page == pages().end()) throw Error("there is no such page");
  PageMaker::Job job{
      .arguments = {"profile"}, .page = {.type = "text/html; charset=utf-8", .may = page->may}, .waiter = {}};
  job.arguments.insert(job.arguments.end(), page->command.begin(), page->command.end());
  const PageFormat* format = &page_formats[0];
  for (const auto& [key, value] : request.parameters) {
    const bool is_choice = std::ranges::find(sample_choices, key) != std::end(sample_choices);
    if (!is_choice && std::ranges::find(page->parameters, key) == page->parameters.end()) {
      throw Error("the page has no parameter " + key);
    }
    // A command line has no such byte, and what follows it would be left out silently.
    if (value.find('\0') != value.npos) throw Error(key + " has a byte that is no text");
    if (key == "format") {
      format = std::ranges::find(page_formats, value, &PageFormat::name);
      if (format == std::end(page_formats)) throw Error("format is html, pprof, folded or json");
    } else if (key == "lines") {
      job.arguments.emplace_back("--lines");
    } else if (!value.empty()) {  // a form sends all of its fields
      job.arguments.push_back(std::string("--").append(key).append("=").append(value));
    }
  }
  if (request.path == "/report") {
    job.arguments.push_back("--format=" + std::string(format->name));
    job.page.type = format->type;
    job.page.may = format->may;
    job.page.file_name = format->file_name;
  }
  if (!auth_path.empty()) job.arguments.push_back("--push-auth-file=" + auth_path);
  job.arguments.insert(job.arguments.end(), {"--quiet", "--", url});
  return job;
}

int run_serve(std::span<const char* const> arguments) {
  const ParsedOptions parsed = parse_reading(serve_command, arguments);
  if (parsed.is_on("help")) return print_on_stdout(print_serve_help);
  const std::vector<std::string> words = parsed.positional();
  if (words.size() != 1) throw usage_error("serve: one URL, like clickhouse+http://HOST:8123/DATABASE");
  const std::string& url = words.front();
  const std::string auth_path = parsed.text("push-auth-file");
  // What is wrong with them is said now, and not on each page.
  const PushTarget store = store_target_of(url, "serve");
  const std::string warning = warning_about(store, push_credentials(auth_path));
  if (!warning.empty()) say("profile: " + warning);

  PageServerOptions options;
  options.port = static_cast<std::uint16_t>(parsed.number("port", options.port, UINT16_MAX, 0));
  if (parsed.has("listen")) options.address = parsed.text("listen");
  options.hosts = parsed.texts("allow-host", "a name");
  for (const Page& page : pages()) options.paths.push_back(page.path);
  PageMaker maker;
  const auto server = load_module<LiveViewModule>().make_pages(
      options, [&](const PageRequest& request, const std::shared_ptr<PageWaiter>& waiter) {
        try {
          PageMaker::Job job = job_of(request, auth_path, url);
          job.waiter = waiter;
          maker.add(std::move(job));
        } catch (const Error& error) {
          waiter->answer({.status = 400, .text = std::string(error.what()) + '\n'});
        }
      });
  if (!parsed.is_on("quiet")) say("profile: " + store.name + " is at " + server->url());
  for (;;) {  // until a signal ends it: there is nothing to save
    maker.work();
    server->tend();
  }
}

}  // namespace

const Subcommand serve_command{.name = "serve",
                               .summary = "serve pages about a ClickHouse store",
                               .arguments = "URL",
                               .files = "'1:URL:'",
                               .options = serve_options,
                               .run = run_serve};

}  // namespace profile
