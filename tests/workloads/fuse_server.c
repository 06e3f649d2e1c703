/* Serves DIRECTORY at PLACE in a mount namespace of its own, with the protocol of /dev/fuse, and runs a program from
 * there, in DIRECTORY:
 *   fuse_server [OPTION...] DIRECTORY PLACE SECONDS [PROGRAM [ARGUMENT...]]
 *     -h OPERATION  after the first SIGUSR1 it (OPEN, READ, ...; repeatable) gets no answer, or one at SIGUSR2
 *     -d MS         after the first SIGUSR1 every answer takes so long
 *     -o            PLACE shows an overlay over that file system
 *     -u UID        as that user, in a user namespace of its own
 *     -l            the kernel reads programs ahead, as usual; otherwise only the pages that it needs
 * On stdout: "program PID" ("ready" without one), and "unanswered OPERATION NAME" for each.
 *
 * Its end closes the only descriptor of the connection, and the kernel then fails all requests that hang. It ends
 * with its parent or after its time, and its program ends with it. */
#define _GNU_SOURCE
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>

#include "fuse_files.h"

enum { LARGEST_READ = 128 * 1024, BUFFER = LARGEST_READ + 4096 };
static char content[LARGEST_READ];

static struct {
  const char* directory;
  const char* place;
  uint64_t unanswered; /* one bit for each operation */
  long delay_ms;
  uid_t user; /* 0: in no user namespace */
  int overlay, reads_ahead;
} options;
static int connection;
static volatile sig_atomic_t is_triggered, is_released;
static const sigset_t none;

/* --- answers */
static void answer(const struct fuse_in_header* question, int error, const void* content, size_t size) {
  struct fuse_out_header header = {.error = error, .unique = question->unique};
  struct iovec parts[2] = {{&header, sizeof header}, {(void*)content, error ? 0 : size}};
  header.len = (uint32_t)(parts[0].iov_len + parts[1].iov_len);
  if (writev(connection, parts, 2) < 0 && errno == ENODEV) _exit(0); /* otherwise the asking process is gone */
}

static void answer_init(const struct fuse_in_header* question, const struct fuse_init_in* in) {
  struct fuse_init_out out = {
      .major = FUSE_KERNEL_VERSION, .minor = in->minor < 31 ? in->minor : 31, .max_write = 4096};
  out.max_readahead = options.reads_ahead ? LARGEST_READ : 0;
  answer(question, 0, &out, sizeof out);
}

static void answer_lookup(const struct fuse_in_header* question, const char* name) {
  struct fuse_entry_out out = {.nodeid = 0};
  const int error = look_up(question->nodeid, name, &out);
  answer(question, error, &out, sizeof out);
}

static void answer_getattr(const struct fuse_in_header* question) {
  struct fuse_attr_out out = {.attr_valid = 0};
  const int error = attributes_of(question->nodeid, &out.attr);
  answer(question, error, &out, sizeof out);
}

/* The kernel keeps the pages that a program has read of itself, so it can run on when the server no longer answers. */
static const struct fuse_open_out opened = {.open_flags = FOPEN_KEEP_CACHE};

static void answer_create(const struct fuse_in_header* question, const struct fuse_create_in* in) {
  struct {
    struct fuse_entry_out entry;
    struct fuse_open_out opened;
  } out = {.opened = opened};
  const char* const name = (const char*)(in + 1);
  int error = create(question->nodeid, name, in->mode & ~in->umask);
  if (error == 0) error = look_up(question->nodeid, name, &out.entry);
  answer(question, error, &out, sizeof out);
}

static void answer_setattr(const struct fuse_in_header* question, const struct fuse_setattr_in* in) {
  const int error = in->valid & FATTR_SIZE ? cut_node(question->nodeid, in->size) : 0;
  if (error == 0) return answer_getattr(question);
  answer(question, error, 0, 0);
}

static void answer_rename(const struct fuse_in_header* question, uint64_t to, unsigned flags, const char* name) {
  const char* const old = path_in(question->nodeid, name);
  const char* const new = path_in(to, name + strlen(name) + 1);
  const int done = renameat2(directory, old, directory, new, flags);
  answer(question, done == 0 ? 0 : -errno, 0, 0);
}

static void answer_read(const struct fuse_in_header* question, const struct fuse_read_in* in) {
  const size_t wanted = in->size < sizeof content ? in->size : sizeof content;
  const ssize_t size = read_node(question->nodeid, content, wanted, in->offset);
  answer(question, size < 0 ? (int)size : 0, content, size < 0 ? 0 : (size_t)size);
}

static void answer_write(const struct fuse_in_header* question, const struct fuse_write_in* in) {
  const ssize_t size = write_node(question->nodeid, in + 1, in->size, in->offset);
  const struct fuse_write_out out = {.size = (uint32_t)size};
  answer(question, size < 0 ? (int)size : 0, &out, sizeof out);
}

/* The first answer has all names, the next one is empty. */
static void answer_readdir(const struct fuse_in_header* question, const struct fuse_read_in* in) {
  answer(question, 0, content, in->offset != 0 ? 0 : list(question->nodeid, content, in->size));
}

static void answer_any(const struct fuse_in_header* question) {
  const void* const in = question + 1;
  switch (question->opcode) {
    case FUSE_INIT:
      return answer_init(question, in);
    case FUSE_LOOKUP:
      return answer_lookup(question, in);
    case FUSE_GETATTR:
      return answer_getattr(question);
    case FUSE_SETATTR:
      return answer_setattr(question, in);
    case FUSE_OPEN:
    case FUSE_OPENDIR:
      return answer(question, 0, &opened, sizeof opened);
    case FUSE_CREATE:
      return answer_create(question, in);
    case FUSE_WRITE:
      return answer_write(question, in);
    case FUSE_RENAME:
      return answer_rename(question, ((const struct fuse_rename_in*)in)->newdir, 0,
                           (const char*)in + sizeof(struct fuse_rename_in));
    case FUSE_RENAME2:
      return answer_rename(question, ((const struct fuse_rename2_in*)in)->newdir,
                           ((const struct fuse_rename2_in*)in)->flags,
                           (const char*)in + sizeof(struct fuse_rename2_in));
    case FUSE_UNLINK:
      return answer(question, unlinkat(directory, path_in(question->nodeid, in), 0) == 0 ? 0 : -errno, 0, 0);
    case FUSE_READ:
      return answer_read(question, in);
    case FUSE_STATFS:
      return answer(question, 0, &(struct fuse_statfs_out){.st = {.bsize = 4096}}, sizeof(struct fuse_statfs_out));
    case FUSE_READDIR:
      return answer_readdir(question, in);
    case FUSE_FLUSH:
    case FUSE_RELEASE:
    case FUSE_RELEASEDIR:
      return answer(question, 0, 0, 0);
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET:
    case FUSE_INTERRUPT:
      return;
    default:
      answer(question, -ENOSYS, 0, 0);
  }
}

/* --- what hangs */
static const struct {
  const char* name;
  unsigned number;
} operations[] = {{"LOOKUP", FUSE_LOOKUP}, {"GETATTR", FUSE_GETATTR},   {"OPEN", FUSE_OPEN},
                  {"READ", FUSE_READ},     {"FLUSH", FUSE_FLUSH},       {"STATFS", FUSE_STATFS},
                  {"ACCESS", FUSE_ACCESS}, {"GETXATTR", FUSE_GETXATTR}, {"OPENDIR", FUSE_OPENDIR},
                  {"WRITE", FUSE_WRITE},   {"CREATE", FUSE_CREATE},     {"RENAME", FUSE_RENAME2},
                  {"UNLINK", FUSE_UNLINK}, {"READDIR", FUSE_READDIR}};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static struct fuse_in_header** waiting;
static size_t waiting_count;

static int keep_waiting(const struct fuse_in_header* question) {
  for (size_t at = 0; at < OPERATIONS; at++) {
    if (operations[at].number != question->opcode || !(options.unanswered >> question->opcode & 1)) continue;
    waiting = realloc(waiting, (waiting_count + 1) * sizeof *waiting);
    if (!waiting || !(waiting[waiting_count] = malloc(question->len))) fatal("memory");
    memcpy(waiting[waiting_count++], question, question->len);
    dprintf(1, "unanswered %s %s/%s\n", operations[at].name, path_of(question->nodeid),
            question->opcode == FUSE_LOOKUP || question->opcode == FUSE_UNLINK ? (const char*)(question + 1) : "");
    return 1;
  }
  return 0;
}

static void release(void) {
  options.unanswered = 0;
  for (size_t at = 0; at < waiting_count; at++) {
    answer_any(waiting[at]);
    free(waiting[at]);
  }
  waiting_count = 0;
}

static void note(int number) {
  if (number == SIGUSR1) is_triggered = 1;
  if (number == SIGUSR2) is_released = 1;
}

static void serve(void) {
  static char buffer[BUFFER] __attribute__((aligned(8)));
  const struct fuse_in_header* const question = (const void*)buffer;
  /* Signals arrive only in ppoll, so that none is missed between the check of its flag and the next wait. */
  for (;;) {
    struct pollfd wanted = {.fd = connection, .events = POLLIN};
    const int ready = ppoll(&wanted, 1, 0, &none);
    if (is_released) release();
    is_released = 0;
    if (ready <= 0) continue;
    if (read(connection, buffer, sizeof buffer) < 0) {
      if (errno == ENODEV) _exit(0); /* unmounted */
      continue;
    }
    if (is_triggered && keep_waiting(question)) continue;
    if (is_triggered && options.delay_ms > 0) usleep((unsigned)options.delay_ms * 1000);
    answer_any(question);
  }
}

/* --- the namespaces */
static void write_file(const char* path, const char* content) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0 || write(file, content, strlen(content)) < 0) fatal(path);
  close(file);
}

/* Call it before the user changes. Returns a device node without a name that every user may open; -1 if no device
 * can be made. */
static int node_for_all(void) {
  char name[32];
  snprintf(name, sizeof name, ".fuse-%d", (int)getpid());
  if (mknodat(directory, name, S_IFCHR, makedev(10, 229)) != 0) return -1;
  fchmodat(directory, name, 0666, 0);
  const int node = openat(directory, name, O_PATH | O_CLOEXEC);
  unlinkat(directory, name, 0);
  return node;
}

static void enter_namespaces(void) {
  char content[64];
  if (options.user) {
    if (setresgid(options.user, options.user, options.user) != 0 ||
        setresuid(options.user, options.user, options.user) != 0)
      fatal("setresuid");
    prctl(PR_SET_DUMPABLE, 1); /* otherwise its /proc/self belongs to root */
  }
  if (unshare(CLONE_NEWNS | (options.user ? CLONE_NEWUSER : 0)) != 0) fatal("unshare");
  if (options.user) {
    snprintf(content, sizeof content, "0 %u 1", (unsigned)options.user);
    write_file("/proc/self/setgroups", "deny");
    write_file("/proc/self/uid_map", content);
    write_file("/proc/self/gid_map", content);
  }
  if (mount("", "/", 0, MS_REC | MS_PRIVATE, 0) != 0) fatal("mount of /");
}

static void open_connection(int node) {
  char path[64];
  connection = open("/dev/fuse", O_RDWR | O_CLOEXEC);
  snprintf(path, sizeof path, "/proc/self/fd/%d", node);
  if (connection < 0 && node >= 0) connection = open(path, O_RDWR | O_CLOEXEC);
  if (connection < 0) fatal("/dev/fuse");
}

static void mount_fuse(void) {
  char data[128], place[4096];
  snprintf(place, sizeof place, "%s%s", options.place, options.overlay ? "/fuse" : "");
  if (options.overlay) {
    if (mount("tmpfs", options.place, "tmpfs", 0, "mode=755") != 0) fatal("mount of tmpfs");
    snprintf(data, sizeof data, "%s/empty", options.place);
    if (mkdir(data, 0755) != 0 || mkdir(place, 0755) != 0) fatal("mkdir");
  }
  snprintf(data, sizeof data, "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", connection);
  if (mount("profile-test", place, "fuse", MS_NOSUID | MS_NODEV, data) != 0) fatal("mount of fuse");
}

/* Ends with its parent, also if the parent is gone already. */
static void end_with(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (parent != 0 && getppid() != parent) _exit(1);
}

/* Runs in a process of its own without the connection, because it waits for answers. */
static void run_program(pid_t server, char** arguments) {
  char path[4096];
  sigprocmask(SIG_SETMASK, &none, 0);
  signal(SIGCHLD, SIG_DFL);
  end_with(server);
  close(connection);
  snprintf(path, sizeof path, "lowerdir=%s/fuse:%s/empty", options.place, options.place);
  if (options.overlay && mount("overlay", options.place, "overlay", 0, path) != 0) fatal("mount of overlay");
  if (fchdir(directory) != 0) fatal("fchdir");
  dprintf(1, arguments[0] ? "program %d\n" : "ready\n", (int)getpid());
  if (!arguments[0]) _exit(0);
  snprintf(path, sizeof path, "%s/%s", options.place, arguments[0]);
  execv(path, arguments);
  fatal(path);
}

static int read_options(int argc, char** argv) {
  int option;
  while ((option = getopt(argc, argv, "+h:d:u:ol")) != -1) {
    size_t at = 0;
    switch (option) {
      case 'h':
        while (at < OPERATIONS && strcmp(operations[at].name, optarg) != 0) at++;
        if (at == OPERATIONS) exit(2);
        options.unanswered |= 1UL << operations[at].number;
        break;
      case 'd':
        options.delay_ms = atol(optarg);
        break;
      case 'u':
        options.user = (uid_t)atol(optarg);
        break;
      case 'o':
        options.overlay = 1;
        break;
      case 'l':
        options.reads_ahead = 1;
        break;
      default:
        exit(2);
    }
  }
  if (argc < optind + 3) exit(2);
  options.directory = argv[optind];
  options.place = argv[optind + 1];
  return optind + 2;
}

int main(int argc, char** argv) {
  const pid_t parent = getppid();
  const int at = read_options(argc, argv);
  alarm((unsigned)seconds_of(at + 1, argv));
  directory = open(options.directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) fatal(options.directory);
  node_of(".");
  sigset_t blocked = none;
  sigaddset(&blocked, SIGUSR1);
  sigaddset(&blocked, SIGUSR2);
  sigprocmask(SIG_BLOCK, &blocked, 0);
  signal(SIGUSR1, note);
  signal(SIGUSR2, note);
  signal(SIGCHLD, SIG_IGN);
  const int node = options.user ? node_for_all() : -1;
  enter_namespaces();
  end_with(parent);
  open_connection(node);
  mount_fuse();
  const pid_t server = getpid(), child = fork();
  if (child < 0) fatal("fork");
  if (child == 0) run_program(server, argv + at + 1);
  serve();
}
