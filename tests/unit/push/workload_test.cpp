// Tests which workload the path of a cgroup tells, and which labels follow from it.
#include "push/workload.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

using namespace profile;

namespace {

const std::string id(64, 'a');
const std::string uid = "12345678-9abc-4def-8123-456789abcdef";
const std::string uid_of_slice = "12345678_9abc_4def_8123_456789abcdef";

struct PathRow {
  std::string path;
  Workload workload;
};

}  // namespace

TEST_CASE("the path of a cgroup tells the unit, the container and the pod") {
  const PathRow rows[] = {
      // Docker, by its own driver and by systemd's.
      {"/docker/" + id, {.unit = "", .container = id, .pod_uid = ""}},
      {"/system.slice/docker-" + id + ".scope", {.unit = "", .container = id, .pod_uid = ""}},
      {"/system.slice/docker-" + id + ".scope/init", {.unit = "", .container = id, .pod_uid = ""}},
      {"/system.slice/docker.service", {.unit = "docker", .container = "", .pod_uid = ""}},
      // Podman: of root, and of a user; the monitor beside it is no part of the container.
      {"/machine.slice/libpod-" + id + ".scope", {.unit = "", .container = id, .pod_uid = ""}},
      {"/machine.slice/libpod-" + id + ".scope/container", {.unit = "", .container = id, .pod_uid = ""}},
      {"/machine.slice/libpod-conmon-" + id + ".scope", {}},
      {"/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" + id + ".scope",
       {.unit = "", .container = id, .pod_uid = ""}},
      // Kubernetes: containerd, cri-o and docker, by systemd's driver.
      {"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" + uid_of_slice + ".slice/cri-containerd-" +
           id + ".scope",
       {.unit = "", .container = id, .pod_uid = uid}},
      {"/kubepods.slice/kubepods-pod" + uid_of_slice + ".slice/crio-" + id + ".scope",
       {.unit = "", .container = id, .pod_uid = uid}},
      {"/kubepods.slice/kubepods-pod" + uid_of_slice + ".slice/crio-conmon-" + id + ".scope",
       {.unit = "", .container = "", .pod_uid = uid}},
      {"/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" + uid_of_slice + ".slice/docker-" + id +
           ".scope",
       {.unit = "", .container = id, .pod_uid = uid}},
      // By the driver for cgroupfs.
      {"/kubepods/besteffort/pod" + uid + "/" + id, {.unit = "", .container = id, .pod_uid = uid}},
      {"/kubepods/pod" + uid + "/crio-" + id, {.unit = "", .container = id, .pod_uid = uid}},
      // containerd that was not told of systemd.
      {"/system.slice/containerd.service/kubepods-besteffort-pod" + uid_of_slice + ".slice:cri-containerd:" + id,
       {.unit = "", .container = id, .pod_uid = uid}},
      // A static pod has the hash of its file.
      {"/kubepods/burstable/pod" + std::string(32, 'b') + "/" + id,
       {.unit = "", .container = id, .pod_uid = std::string(32, 'b')}},
      // Seen from a namespace of cgroups.
      {"/../../kubepods/besteffort/pod" + uid + "/" + id, {.unit = "", .container = id, .pod_uid = uid}},
      // Amazon's ECS.
      {"/ecs/task/" + std::string(32, 'c') + "-1234567890",
       {.unit = "", .container = std::string(32, 'c') + "-1234567890", .pod_uid = ""}},
      // systemd: services, those of a user, templates, escaped names.
      {"/system.slice/nginx.service", {.unit = "nginx", .container = "", .pod_uid = ""}},
      {"/system.slice/system-getty.slice/getty@tty1.service", {.unit = "getty@tty1", .container = "", .pod_uid = ""}},
      {"/system.slice/web\\x2dshop.service/worker", {.unit = "web-shop", .container = "", .pod_uid = ""}},
      {"/user.slice/user-1000.slice/user@1000.service/app.slice/db.service",
       {.unit = "db", .container = "", .pod_uid = ""}},
      // What a session or a desktop starts is no service.
      {"/user.slice/user-1000.slice/session-3.scope", {}},
      {"/user.slice/user-1000.slice/user@1000.service/app.slice/vte-spawn-" + uid + ".scope", {}},
      {"/init.scope", {}},
      {"/", {}},
      {"", {}},
      // No ids: too short, too long, other characters.
      {"/docker/" + std::string(63, 'a'), {}},
      {"/docker/" + std::string(65, 'a'), {}},
      {"/docker/" + std::string(64, 'A'), {}},
      {"/lxc/web", {}},
      {"/ecs/task/" + std::string(32, 'c') + "-", {}},
      {"/kubepods/podium/x", {}},
      {"/.service/.scope", {}},
  };
  for (const PathRow& row : rows) {
    CAPTURE(row.path);
    const Workload found = workload_of(row.path);
    CHECK(found.unit == row.workload.unit);
    CHECK(found.container == row.workload.container);
    CHECK(found.pod_uid == row.workload.pod_uid);
  }
}

TEST_CASE("of the hierarchies of cgroups, the unified one counts unless only others have the path") {
  CHECK(cgroup_path_in("0::/system.slice/a.service\n") == "/system.slice/a.service");
  CHECK(cgroup_path_in("12:pids:/docker/x\n1:name=systemd:/docker/x\n") == "/docker/x");
  CHECK(cgroup_path_in("12:pids:/\n1:name=systemd:/system.slice/a.service\n0::/\n") == "/system.slice/a.service");
  CHECK(cgroup_path_in("1:name=systemd:/system.slice/a.service\n0::/system.slice/b.service\n") ==
        "/system.slice/b.service");
  CHECK(cgroup_path_in("4:memory:/with:colons\n0::/\n") == "/with:colons");
  CHECK(cgroup_path_in("9:name=systemd:/\n0::/\n") == "/");
  CHECK(cgroup_path_in("2:cpu:/\n") == "/");
  CHECK(cgroup_path_in("") == "");
  CHECK(cgroup_path_in("no line of a cgroup") == "");
}

TEST_CASE("the pods of a controller share its name") {
  CHECK(controller_of_pod("shop-6d4cf56db6-x7k2p") == "shop");
  CHECK(controller_of_pod("web-shop-6d4cf56db6-x7k2p") == "web-shop");
  CHECK(controller_of_pod("fluentd-x7k2p") == "fluentd");
  CHECK(controller_of_pod("db-0") == "db");
  CHECK(controller_of_pod("nginx-proxy") == "nginx-proxy");
  CHECK(controller_of_pod("nginx") == "nginx");
  CHECK(controller_of_pod("-x7k2p") == "-x7k2p");
  CHECK(controller_of_pod("") == "");
}

TEST_CASE("the service is the pod's controller, else the container, the unit, the name of the process") {
  const PodNames pods{{uid, {.space = "prod", .name = "shop-6d4cf56db6-x7k2p"}}};
  const Workload in_pod{.unit = "", .container = id, .pod_uid = uid};
  CHECK(labels_of(in_pod, pods, "java") == PushLabels{{"container", "aaaaaaaaaaaa"},
                                                      {"namespace", "prod"},
                                                      {"pod", "shop-6d4cf56db6-x7k2p"},
                                                      {"service", "prod/shop"}});
  CHECK(labels_of(in_pod, {}, "java") ==
        PushLabels{{"container", "aaaaaaaaaaaa"}, {"pod", uid}, {"service", "aaaaaaaaaaaa"}});
  const Workload in_unit{.unit = "nginx", .container = "", .pod_uid = ""};
  CHECK(labels_of(in_unit, pods, "php") == PushLabels{{"service", "nginx"}});
  CHECK(labels_of({}, pods, "make") == PushLabels{{"service", "make"}});
}

TEST_CASE("the names of pods come from the directories of their logs") {
  const std::filesystem::path directory = std::filesystem::temp_directory_path() / "profile-pods-test";
  std::filesystem::remove_all(directory);
  std::filesystem::create_directories(directory / ("prod_shop-6d4cf56db6-x7k2p_" + uid));
  std::filesystem::create_directories(directory / "prod_no-uid_x");
  std::filesystem::create_directories(directory / "other");
  const PodNames pods = pod_names_in(directory);
  REQUIRE(pods.size() == 1);
  CHECK(pods.begin()->first == uid);
  CHECK(pods.begin()->second.space == "prod");
  CHECK(pods.begin()->second.name == "shop-6d4cf56db6-x7k2p");
  std::filesystem::remove_all(directory);
  CHECK(pod_names_in(directory).empty());
}
