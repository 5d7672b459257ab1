// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Manifests that are wrong are refused with the place and the reason.

#include "manifest.h"
#include <functional>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>

namespace tpc::rt {

namespace {

using Json = nlohmann::json;

Json goodManifest() {
  return Json::parse(R"({
    "abi": 3, "compiler": "tpc", "target": "cpu", "fingerprint": "f",
    "mesh": [{"name": "dp", "size": 2}, {"name": "tp", "size": 3}],
    "functions": [{"name": "f", "symbol": "s", "workspace_bytes": 64,
      "arguments": [{"name": "x", "dtype": "f32", "shape": [4, 10],
                     "placement": [{"axis": "tp", "shard": 0}],
                     "param": true, "donate": true}],
      "results": [{"name": "y", "dtype": "bf16", "shape": [],
                   "placement": []}]}],
    "collectives": [{"kind": "all_reduce", "axes": ["tp", "dp"], "value": "y",
      "loc": "toy.py:12", "local": false,
      "parts": [{"dtype": "f32", "shape": [4],
                 "from": [{"axis": "tp", "partial": "sum"}], "to": []}]}],
    "reference": "module {}"})");
}

/// The same for a device with its own memory.
Json deviceManifest() {
  Json json = goodManifest();
  json["target"] = "cuda";
  json["functions"][0]["events"] = 3;
  json["functions"][0]["host_reads"] = true;
  json["functions"][0]["attention"] = true;
  json.update(Json::parse(R"({
    "constants": [{"symbol": "tpc_constant_0", "bytes": 64}],
    "images": [{"arch": "sm_90", "kind": "cubin", "symbol": "tpc_image_0",
                "bytes": 4096},
               {"arch": "sm_100", "kind": "ptx", "symbol": "tpc_image_1",
                "bytes": 512},
               {"arch": "host", "kind": "host", "symbol": "tpc_image_2",
                "bytes": 48}],
    "kernels": [{"name": "tpc_kernel_0", "grid": [80, 1, 1],
      "block": [256, 1, 1], "shared_bytes": 1024, "parameters": 3,
      "loc": "toy.py:12", "kind": "row", "read_bytes": 800,
      "write_bytes": 400, "least_read_bytes": 600, "least_write_bytes": 400,
      "statistics": {"sm_90": {"registers": 32, "spill_bytes": 8,
                               "shared_bytes": 128}}}]})"));
  return json;
}

std::string messageOf(const std::string &text) {
  Manifest manifest;
  Status status = parseManifest(text, manifest);
  return status ? status.message() : "";
}

/// The message when the value at `pointer` is replaced, or removed.
std::string with(const char *pointer, const Json &value) {
  Json json = goodManifest();
  json[Json::json_pointer(pointer)] = value;
  return messageOf(json.dump());
}
std::string without(const char *parent, const char *key) {
  Json json = goodManifest();
  json[Json::json_pointer(parent)].erase(key);
  return messageOf(json.dump());
}

} // namespace

TEST(Manifest, WhatItSays) {
  Manifest manifest;
  ASSERT_TRUE(parseManifest(goodManifest().dump(), manifest).ok());
  EXPECT_EQ(manifest.mesh.numRanks(), 6);
  EXPECT_EQ(manifest.meshText, "dp=2,tp=3");
  EXPECT_EQ(manifest.reference, "module {}");
  const Value &x = manifest.functions[0].arguments[0];
  EXPECT_EQ(x.localShape, (Shape{2, 10}));
  EXPECT_EQ(x.localBytes, 80);
  EXPECT_EQ(x.placementText, "[tp: S(0)]");
  EXPECT_TRUE(x.isParam && x.isDonated);
  EXPECT_EQ(manifest.functions[0].results[0].localBytes, 2);
  EXPECT_EQ(manifest.collectives[0].label,
            "all_reduce over [tp, dp] of \"y\" (toy.py:12)");
  EXPECT_EQ(manifest.collectives[0].axes, (std::vector<int32_t>{0, 1}));
}

TEST(Manifest, OtherVersion) {
  Json json = goodManifest();
  json["abi"] = 7;
  Manifest manifest;
  Status status = parseManifest(json.dump(), manifest);
  EXPECT_EQ(status.code(), TPC_RT_VERSION);
  EXPECT_EQ(status.message(), "the artifact has ABI version 7, this runtime "
                              "has ABI version 3; compile the model again");
  // Nothing else of another version is looked at.
  EXPECT_EQ(messageOf(R"({"abi":4})").substr(0, 32),
            "the artifact has ABI version 4, ");
}

TEST(Manifest, WrongFields) {
  EXPECT_EQ(messageOf(""), "manifest: not valid JSON");
  EXPECT_EQ(messageOf("{\"abi\":2"), "manifest: not valid JSON");
  EXPECT_EQ(messageOf("[1]"),
            "manifest: top level: expected an object, got [1]");
  EXPECT_EQ(messageOf(std::string(100000, '[')), "manifest: not valid JSON");
  EXPECT_EQ(without("", "abi"),
            "manifest: top level: expected a field \"abi\", got none");
  for (const char *key : {"fingerprint", "mesh", "functions", "collectives"})
    EXPECT_EQ(without("", key),
              std::string("manifest: top level: expected a field \"") + key +
                  "\", got none");
  for (const char *key :
       {"name", "symbol", "workspace_bytes", "arguments", "results"})
    EXPECT_EQ(without("/functions/0", key),
              std::string("manifest: functions[0]: expected a field \"") + key +
                  "\", got none");
  for (const char *key : {"name", "dtype", "shape", "placement"})
    EXPECT_EQ(without("/functions/0/arguments/0", key),
              std::string("manifest: functions[0].arguments[0]: expected a "
                          "field \"") +
                  key + "\", got none");
  for (const char *key : {"kind", "axes", "parts"})
    EXPECT_EQ(without("/collectives/0", key),
              std::string("manifest: collectives[0]: expected a field \"") +
                  key + "\", got none");
  EXPECT_EQ(with("/abi", "1"), "manifest: abi: expected an integer, got \"1\"");
  EXPECT_EQ(with("/target", "tpu"),
            "manifest: target: expected cpu or cuda, got \"tpu\"");
  EXPECT_EQ(with("/functions/0/events", -1),
            "manifest: functions[0].events: expected an integer from 0 to "
            "2147483647, got -1");
  EXPECT_EQ(with("/functions/0/host_reads", 1),
            "manifest: functions[0].host_reads: expected true or false, got 1");
  EXPECT_EQ(with("/functions/0/attention", 1),
            "manifest: functions[0].attention: expected true or false, got 1");
  EXPECT_EQ(with("/mesh", 3), "manifest: mesh: expected an array, got 3");
  EXPECT_EQ(with("/mesh/0/size", 0), "manifest: mesh[0].size: expected an "
                                     "integer from 1 to 2147483647, got 0");
  EXPECT_EQ(with("/mesh/0/name", "tp"),
            "manifest: mesh[1]: expected a new axis name, got \"tp\"");
  EXPECT_EQ(with("/mesh/0/size", 2147483647),
            "manifest: mesh: expected fewer than 2^31 ranks");
  EXPECT_EQ(with("/functions/0/workspace_bytes", -1),
            "manifest: functions[0].workspace_bytes: expected an integer from "
            "0 to 9223372036854775807, got -1");
  EXPECT_EQ(with("/functions/0/workspace_bytes", 18446744073709551615u),
            "manifest: functions[0].workspace_bytes: expected an integer, got "
            "18446744073709551615");
  EXPECT_EQ(with("/functions/0/name", nullptr),
            "manifest: functions[0].name: expected a string, got null");
  EXPECT_EQ(with("/functions/1", goodManifest()["functions"][0]),
            "manifest: functions[1]: expected different function names, got "
            "\"f\" twice");
  EXPECT_EQ(with("/functions/0/results/1",
                 goodManifest()["functions"][0]["results"][0]),
            "manifest: functions[0].results[1]: expected different names, got "
            "\"y\" twice");
  EXPECT_EQ(with("/functions/0/arguments/0/dtype", "f8"),
            "manifest: functions[0].arguments[0].dtype: expected an element "
            "type, got \"f8\"");
  EXPECT_EQ(with("/functions/0/arguments/0/shape", {1LL << 40, 1LL << 40}),
            "manifest: functions[0].arguments[0].shape: expected fewer than "
            "2^63 bytes, got shape [1099511627776, 1099511627776]");
  EXPECT_EQ(with("/functions/0/arguments/0/param", 1),
            "manifest: functions[0].arguments[0].param: expected true or "
            "false, got 1");
  const char *placement = "/functions/0/arguments/0/placement";
  EXPECT_EQ(with(placement, Json::parse(R"([{"axis":"pp","shard":0}])")),
            "manifest: functions[0].arguments[0].placement[0].axis: expected "
            "an axis of the mesh dp=2,tp=3, got \"pp\"");
  EXPECT_EQ(with(placement, Json::parse(R"([{"axis":"tp","shard":2}])")),
            "manifest: functions[0].arguments[0].placement[0].shard: expected "
            "an integer from 0 to 1, got 2");
  EXPECT_EQ(with(placement, Json::parse(R"([{"axis":"tp","shard":0},
                                            {"axis":"tp","shard":1}])")),
            "manifest: functions[0].arguments[0].placement[1]: expected every "
            "axis once, got \"tp\" twice");
  EXPECT_EQ(with(placement, Json::parse(R"([{"axis":"tp"}])")),
            "manifest: functions[0].arguments[0].placement[0]: expected a "
            "field \"shard\", got none");
  EXPECT_EQ(with(placement, Json::parse(R"([{"axis":"tp","partial":"avg"}])")),
            "manifest: functions[0].arguments[0].placement[0].partial: "
            "expected sum, max, min, prod, and or or, got \"avg\"");
  EXPECT_EQ(with(placement, Json::parse(R"([{"axis":"tp","partial":"sum"},
                                            {"axis":"dp","partial":"max"}])")),
            "manifest: functions[0].arguments[0]: expected one kind of "
            "partial, got [tp: P(sum), dp: P(max)] and [tp: P(sum), dp: "
            "P(max)]");
  EXPECT_EQ(with("/collectives/0/kind", "broadcast"),
            "manifest: collectives[0].kind: expected a kind of collective, "
            "got \"broadcast\"");
  EXPECT_EQ(with("/collectives/0/axes", {"tp", "tp"}),
            "manifest: collectives[0].axes: expected every axis once, got "
            "[tp, tp]");
  EXPECT_EQ(with("/collectives/0/parts/0/from",
                 Json::parse(R"([{"axis":"tp","partial":"or"}])")),
            "manifest: collectives[0].parts[0]: reduction or is not defined "
            "for f32");
}

TEST(Manifest, Windows) {
  auto window = [](const char *text) {
    Json json = goodManifest();
    Json &part = json["collectives"][0]["parts"][0];
    part["from"] = Json::parse(R"([{"axis":"tp","shard":0}])");
    part["window"] = Json::parse(text);
    return messageOf(json.dump());
  };
  EXPECT_EQ(window(R"({"shape":[3],"offset":[1]})"), "");
  EXPECT_EQ(window(R"({"shape":[6],"offset":[-1],"block":[3],"step":[2],
                       "source_unit":[2],"unit":[3]})"),
            "");
  EXPECT_EQ(window(R"({"shape":[3]})"),
            "manifest: collectives[0].parts[0].window: expected a field "
            "\"offset\", got none");
  EXPECT_EQ(window(R"({"shape":[3,1],"offset":[1]})"),
            "manifest: collectives[0].parts[0].window.shape: expected 1 dims, "
            "got 2");
  EXPECT_EQ(window(R"({"shape":[3],"offset":[]})"),
            "manifest: collectives[0].parts[0].window.offset: expected 1 "
            "numbers, got 0");
  EXPECT_EQ(window(R"({"shape":[3],"offset":[1],"unit":[0]})"),
            "manifest: collectives[0].parts[0].window.unit[0]: expected an "
            "integer from 1 to 9223372036854775807, got 0");
  std::string where = "manifest: collectives[0].parts[0]: dim 0 of a window of "
                      "[6] in [4]: expected ";
  EXPECT_EQ(window(R"({"shape":[6],"offset":[5]})"),
            where + "an offset that leaves something inside, got 5");
  EXPECT_EQ(window(R"({"shape":[6],"offset":[-7]})"),
            where + "an offset that leaves something inside, got -7");
  EXPECT_EQ(window(R"({"shape":[6],"offset":[0],"block":[4]})"),
            where + "a block that divides the result, got 4");
  EXPECT_EQ(window(R"({"shape":[6],"offset":[0],"block":[3],"step":[11]})"),
            where + "a step within the source, got 11");
  EXPECT_EQ(window(R"({"shape":[6],"offset":[0],"source_unit":[3]})"),
            where + "a unit that divides the source, got 3");
  EXPECT_EQ(window(R"({"shape":[6],"offset":[0],"unit":[4]})"),
            where + "a unit that divides the result, got 4");
  EXPECT_EQ(with("/collectives/0/parts/0/window",
                 Json::parse(R"({"shape":[4],"offset":[0]})")),
            "manifest: collectives[0].parts[0]: expected a window to join no "
            "partials, got [tp: P(sum)] and []");
  EXPECT_EQ(window(R"({"shape":[2305843009213693952],"offset":[0]})"),
            "manifest: collectives[0].parts[0].window.shape: expected fewer "
            "than 2^63 bytes, got shape [2305843009213693952]");
  Json json = goodManifest();
  json["collectives"][0]["parts"] = Json::parse(
      R"([{"dtype":"i8","shape":[4611686018427387904],"from":[],"to":[],
           "window":{"shape":[1],"offset":[0]}}])");
  EXPECT_EQ(messageOf(json.dump()),
            "manifest: collectives[0].parts[0]: dim 0 of a window of [1] in "
            "[4611686018427387904]: expected less than 2^60 elements, got "
            "4611686018427387904");
}

TEST(Manifest, DeviceCode) {
  Manifest manifest;
  ASSERT_TRUE(parseManifest(deviceManifest().dump(), manifest).ok());
  EXPECT_EQ(manifest.target, Target::Cuda);
  EXPECT_EQ(manifest.functions[0].events, 3);
  EXPECT_TRUE(manifest.functions[0].readsOnHost);
  EXPECT_TRUE(manifest.functions[0].hasAttention);
  EXPECT_EQ(manifest.constants[0].symbol, "tpc_constant_0");
  EXPECT_EQ(manifest.constants[0].bytes, 64);
  ASSERT_EQ(manifest.images.size(), 3u);
  EXPECT_EQ(manifest.images[0].kind, Image::Kind::Cubin);
  EXPECT_EQ(manifest.images[0].arch, "sm_90");
  EXPECT_EQ(manifest.images[1].kind, Image::Kind::Ptx);
  EXPECT_EQ(manifest.images[2].kind, Image::Kind::Host);
  EXPECT_EQ(manifest.images[2].data.symbol, "tpc_image_2");
  EXPECT_EQ(manifest.images[2].data.bytes, 48);
  const DeviceKernel &kernel = manifest.kernels[0];
  EXPECT_EQ(kernel.name, "tpc_kernel_0");
  EXPECT_EQ(kernel.grid, (std::array<uint32_t, 3>{80, 1, 1}));
  EXPECT_EQ(kernel.block, (std::array<uint32_t, 3>{256, 1, 1}));
  EXPECT_EQ(kernel.sharedBytes, 1024u);
  EXPECT_EQ(kernel.parameters, 3);
  EXPECT_EQ(kernel.kind, "row");
  EXPECT_EQ(kernel.readBytes, 800);
  EXPECT_EQ(kernel.writeBytes, 400);
  EXPECT_EQ(kernel.leastReadBytes, 600);
  EXPECT_EQ(kernel.leastWriteBytes, 400);
  EXPECT_EQ(kernel.label, "tpc_kernel_0, row (toy.py:12)");
  ASSERT_EQ(kernel.statistics.size(), 1u);
  EXPECT_EQ(kernel.statistics[0].arch, "sm_90");
  EXPECT_EQ(kernel.statistics[0].registers, 32);
  EXPECT_EQ(kernel.statistics[0].spillBytes, 8);
  EXPECT_EQ(kernel.statistics[0].sharedBytes, 128);
  // Of target cpu none of it is looked at.
  EXPECT_EQ(with("/kernels", 1), "");
}

TEST(Manifest, WrongDeviceCode) {
  auto with = [](const char *pointer, const Json &value) {
    Json json = deviceManifest();
    json[Json::json_pointer(pointer)] = value;
    return messageOf(json.dump());
  };
  auto without = [](const char *parent, const char *key) {
    Json json = deviceManifest();
    json[Json::json_pointer(parent)].erase(key);
    return messageOf(json.dump());
  };
  auto missing = [](std::string where, const char *key) {
    return "manifest: " + where + ": expected a field \"" + key +
           "\", got none";
  };
  for (const char *key : {"constants", "images", "kernels"})
    EXPECT_EQ(without("", key), missing("top level", key));
  for (const char *key : {"symbol", "bytes"})
    EXPECT_EQ(without("/constants/0", key), missing("constants[0]", key));
  for (const char *key : {"arch", "kind", "symbol", "bytes"})
    EXPECT_EQ(without("/images/0", key), missing("images[0]", key));
  for (const char *key :
       {"name", "grid", "block", "shared_bytes", "parameters", "kind",
        "read_bytes", "write_bytes", "least_read_bytes", "least_write_bytes"})
    EXPECT_EQ(without("/kernels/0", key), missing("kernels[0]", key));
  for (const char *key : {"registers", "spill_bytes", "shared_bytes"})
    EXPECT_EQ(without("/kernels/0/statistics/sm_90", key),
              missing("kernels[0].statistics.sm_90", key));
  for (const char *key : {"loc", "statistics"})
    EXPECT_EQ(without("/kernels/0", key), "");
  EXPECT_EQ(with("/constants/0/bytes", 0),
            "manifest: constants[0].bytes: expected an integer from 1 to "
            "9223372036854775807, got 0");
  // Kept for people, and checked all the same.
  for (auto [pointer, where, most] :
       {std::tuple("/kernels/0/launches", "kernels[0].launches",
                   "9223372036854775807"),
        std::tuple("/kernels/0/statistics/sm_90/stack_bytes",
                   "kernels[0].statistics.sm_90.stack_bytes", "2147483647")}) {
    EXPECT_EQ(with(pointer, 3), "");
    EXPECT_EQ(with(pointer, -1), std::string("manifest: ") + where +
                                     ": expected an integer from 0 to " + most +
                                     ", got -1");
  }
  EXPECT_EQ(with("/images/0/kind", "fatbin"),
            "manifest: images[0].kind: expected cubin, ptx or host, got "
            "\"fatbin\"");
  EXPECT_EQ(with("/images/0/arch", "host"),
            "manifest: images[0].arch: expected sm_NN for an image of kind "
            "cubin, got \"host\"");
  EXPECT_EQ(with("/images/1/arch", "sm_"),
            "manifest: images[1].arch: expected sm_NN for an image of kind "
            "ptx, got \"sm_\"");
  EXPECT_EQ(with("/images/2/arch", "sm_90"),
            "manifest: images[2].arch: expected host for an image of kind "
            "host, got \"sm_90\"");
  EXPECT_EQ(with("/images/3", deviceManifest()["images"][0]),
            "manifest: images[3]: expected different images, got two of arch "
            "\"sm_90\" and kind cubin");
  EXPECT_EQ(with("/images", Json::array()),
            "manifest: images: expected an image, got none for 1 kernels");
  EXPECT_EQ(with("/kernels/0/grid", {80, 1}),
            "manifest: kernels[0].grid: expected 3 numbers, got 2");
  EXPECT_EQ(with("/kernels/0/grid", {80, 1, 1, 1}),
            "manifest: kernels[0].grid: expected 3 numbers, got 4");
  EXPECT_EQ(with("/kernels/0/grid/1", 65536),
            "manifest: kernels[0].grid[1]: expected an integer from 1 to "
            "65535, got 65536");
  EXPECT_EQ(with("/kernels/0/block/1", 8),
            "manifest: kernels[0].block: expected at most 1024 threads in a "
            "block, got 2048");
  EXPECT_EQ(with("/kernels/0/parameters", 4096),
            "manifest: kernels[0].parameters: expected an integer from 0 to "
            "4095, got 4096");
  EXPECT_EQ(with("/kernels/0/statistics", 1),
            "manifest: kernels[0].statistics: expected an object, got 1");
}

// Every value of the manifest replaced by values of other kinds: an error or a
// manifest, never a crash.
TEST(Manifest, DamagedManifests) {
  std::vector<std::string> pointers;
  std::function<void(const Json &, std::string)> visit =
      [&](const Json &json, std::string pointer) {
        pointers.push_back(pointer);
        if (json.is_object())
          for (const auto &[key, value] : json.items())
            visit(value, pointer + "/" + key);
        if (json.is_array())
          for (size_t i = 0; i < json.size(); ++i)
            visit(json[i], pointer + "/" + std::to_string(i));
      };
  Json withWindow = goodManifest();
  withWindow["collectives"][0]["parts"][0]["window"] = {
      {"shape", {3}}, {"offset", {1}}, {"block", {3}}, {"step", {1}}};
  visit(goodManifest(), "");
  visit(withWindow, "");
  visit(deviceManifest(), "");
  for (const std::string &pointer : pointers)
    for (const Json &value :
         {Json(), Json(0), Json(-1), Json(1.5), Json(9223372036854775807),
          Json(18446744073709551615u), Json(""), Json("tp"), Json(true),
          Json::array(), Json::object(), Json::array({Json::array()}),
          Json::array({Json::object()}), Json::array({5, 5})}) {
      Json json = deviceManifest();
      json["collectives"] = withWindow["collectives"];
      json[Json::json_pointer(pointer)] = value;
      messageOf(json.dump());
    }
  std::string text = goodManifest().dump();
  std::mt19937 random(1);
  for (int round = 0; round < 5000; ++round) {
    std::string damaged = text;
    damaged[random() % damaged.size()] = static_cast<char>(random());
    damaged.erase(random() % damaged.size(), random() % 3);
    messageOf(damaged);
  }
}

} // namespace tpc::rt
