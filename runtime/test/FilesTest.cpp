// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor files: what is written comes back, parts are read alone, and no
// header, however it lies, does more than give an error.

#include "file.h"
#include <cstring>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <unistd.h>

namespace tpc::rt {

namespace {

using testing::HasSubstr;

class Files : public testing::Test {
protected:
  Files() {
    char pattern[] = "/tmp/tpc-files-XXXXXX";
    folder = mkdtemp(pattern);
  }
  ~Files() override {
    for (const std::string &file : written)
      unlink(file.c_str());
    rmdir(folder.c_str());
  }

  std::string write(const std::string &name, const std::string &bytes) {
    std::string file = path(name);
    std::ofstream(file, std::ios::binary) << bytes;
    return file;
  }
  std::string path(const std::string &name) {
    std::string file = folder + "/" + name;
    written.push_back(file);
    return file;
  }
  /// The message of opening a file, or of reading its tensors; "" if all is
  /// well.
  static std::string open(const std::string &file) {
    tpc_rt_file_t *handle = nullptr;
    std::string message = take(tpc_rt_file_open(file.c_str(), &handle));
    EXPECT_EQ(message.empty(), handle != nullptr);
    for (int32_t i = 0; handle && i < tpc_rt_file_count(handle); ++i) {
      tpc_rt_tensor_t *tensor = nullptr;
      message += take(tpc_rt_file_read(handle, i, &tensor));
      tpc_rt_tensor_release(tensor);
    }
    tpc_rt_file_release(handle);
    // Without the folder, which has another name every time.
    size_t slash = message.find(file);
    if (slash != std::string::npos)
      message.replace(slash, file.size(), "FILE");
    return message;
  }
  static std::string take(tpc_rt_status_t *status) {
    std::string message = tpc_rt_status_message(status);
    tpc_rt_status_release(status);
    return message;
  }

  std::string folder;
  std::vector<std::string> written;
};

std::string safetensors(const std::string &header, size_t dataBytes) {
  std::string bytes;
  for (int i = 0; i < 8; ++i)
    bytes += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return bytes + header + std::string(dataBytes, '\1');
}

std::string npy(const std::string &dict, size_t dataBytes, int version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    bytes += static_cast<char>(dict.size() >> (8 * i) & 0xff);
  return bytes + dict + std::string(dataBytes, '\1');
}

std::unique_ptr<tpc_rt_tensor_t> counting(DType dtype, const Shape &shape) {
  std::unique_ptr<tpc_rt_tensor_t> tensor;
  EXPECT_TRUE(createTensor(dtype, shape, tensor).ok());
  auto *bytes = static_cast<unsigned char *>(tensor->data.get());
  for (int64_t i = 0; i < tensor->bytes(); ++i)
    bytes[i] = static_cast<unsigned char>(i % 251);
  return tensor;
}

} // namespace

TEST_F(Files, EveryTypeAndShapeComesBack) {
  std::vector<std::unique_ptr<tpc_rt_tensor_t>> tensors;
  std::vector<std::string> names;
  for (int32_t dtype = 0; dtype < numDTypes; ++dtype)
    for (Shape shape :
         {Shape{}, Shape{0}, Shape{3}, Shape{2, 0, 3}, Shape{3, 4, 5}}) {
      tensors.push_back(counting(static_cast<DType>(dtype), shape));
      names.push_back("layer." + std::to_string(names.size()) + ".\"w\"");
    }
  std::vector<const char *> namePointers;
  std::vector<tpc_rt_tensor_t *> pointers;
  for (size_t i = 0; i < names.size(); ++i) {
    namePointers.push_back(names[i].c_str());
    pointers.push_back(tensors[i].get());
  }
  std::string file = path("all.safetensors");
  ASSERT_EQ(
      take(tpc_rt_file_write(file.c_str(), static_cast<int32_t>(names.size()),
                             namePointers.data(), pointers.data())),
      "");
  auto expectEqual = [&](tpc_rt_file_t *handle, int32_t entry, size_t i) {
    tpc_rt_tensor_t *tensor = nullptr;
    ASSERT_EQ(take(tpc_rt_file_read(handle, entry, &tensor)), "");
    EXPECT_EQ(tensor->dtype, tensors[i]->dtype);
    EXPECT_EQ(tensor->shape, tensors[i]->shape);
    EXPECT_EQ(std::memcmp(tensor->data.get(), tensors[i]->data.get(),
                          tensor->bytes()),
              0);
    tpc_rt_tensor_release(tensor);
  };
  tpc_rt_file_t *handle = nullptr;
  ASSERT_EQ(take(tpc_rt_file_open(file.c_str(), &handle)), "");
  ASSERT_EQ(tpc_rt_file_count(handle), static_cast<int32_t>(names.size()));
  for (size_t i = 0; i < names.size(); ++i)
    expectEqual(handle, tpc_rt_file_find(handle, names[i].c_str()), i);
  EXPECT_EQ(tpc_rt_file_find(handle, "nothing"), -1);
  tpc_rt_file_release(handle);

  for (size_t i = 0; i < names.size(); ++i) {
    file = path("one.npy");
    std::string message = take(
        tpc_rt_file_write(file.c_str(), 1, &namePointers[i], &pointers[i]));
    if (tensors[i]->dtype == DType::BF16) {
      EXPECT_EQ(message, "a .npy file cannot hold bf16; use .safetensors");
      continue;
    }
    ASSERT_EQ(message, "");
    ASSERT_EQ(take(tpc_rt_file_open(file.c_str(), &handle)), "");
    expectEqual(handle, 0, i);
    tpc_rt_file_release(handle);
  }
}

// Against reading everything, for all boxes of small tensors in both orders.
TEST_F(Files, BoxesAreReadAlone) {
  Shape shape{3, 4, 5};
  auto tensor = counting(DType::I16, shape);
  std::string header;
  ASSERT_TRUE(npyHeader(*tensor, header).ok());
  std::string data(static_cast<char *>(tensor->data.get()), tensor->bytes());
  for (bool isColumnMajor : {false, true}) {
    std::string bytes = header;
    if (isColumnMajor)
      bytes.replace(bytes.find("False"), 5, "True ");
    TensorFile file;
    ASSERT_TRUE(file.input.open(write("box.npy", bytes + data)).ok());
    ASSERT_TRUE(parseNpy(file).ok());
    for (int64_t a = 0; a < 3; ++a)
      for (int64_t b = 0; b < 4; ++b)
        for (int64_t c = 0; c < 5; ++c) {
          Box box{{a, b, c}, {3 - a, 4 - b, (5 - c + 1) / 2}};
          Shape local{4, 5, 6};
          std::vector<int16_t> buffer(4 * 5 * 6, -1);
          ASSERT_TRUE(
              file.readBox(file.entries[0], box, local, buffer.data()).ok());
          int64_t numSet = 0;
          for (int64_t i = 0; i < box.extent[0]; ++i)
            for (int64_t j = 0; j < box.extent[1]; ++j)
              for (int64_t k = 0; k < box.extent[2]; ++k) {
                int64_t x = a + i, y = b + j, z = c + k;
                int64_t at =
                    isColumnMajor ? (z * 4 + y) * 3 + x : (x * 4 + y) * 5 + z;
                int16_t expected;
                std::memcpy(&expected, data.data() + 2 * at, 2);
                ASSERT_EQ(buffer[(i * 5 + j) * 6 + k], expected);
                buffer[(i * 5 + j) * 6 + k] = -1;
                ++numSet;
              }
          ASSERT_EQ(numSet, box.volume());
          for (int16_t rest : buffer)
            ASSERT_EQ(rest, -1);
        }
  }
}

// Columns of a matrix larger than what is read at once.
TEST_F(Files, ColumnsOfALargeMatrix) {
  Shape shape{3000, 301};
  auto tensor = counting(DType::F32, shape);
  const char *name = "w";
  tpc_rt_tensor_t *pointer = tensor.get();
  std::string path = this->path("large.safetensors");
  ASSERT_EQ(take(tpc_rt_file_write(path.c_str(), 1, &name, &pointer)), "");
  TensorFile file;
  ASSERT_TRUE(file.input.open(path).ok());
  ASSERT_TRUE(parseSafetensors(file).ok());
  Box box{{1, 151}, {2999, 150}};
  std::vector<uint32_t> buffer(2999 * 151);
  ASSERT_TRUE(
      file.readBox(file.entries[0], box, {2999, 151}, buffer.data()).ok());
  auto *all = static_cast<uint32_t *>(tensor->data.get());
  for (int64_t i = 0; i < 2999; ++i)
    for (int64_t j = 0; j < 150; ++j)
      ASSERT_EQ(buffer[i * 151 + j], all[(i + 1) * 301 + 151 + j]);
}

TEST_F(Files, WrongSafetensors) {
  auto message = [&](const std::string &header, size_t dataBytes) {
    return open(write("x.safetensors", safetensors(header, dataBytes)));
  };
  auto one = [](const char *dtype, const char *shape, const char *offsets) {
    return std::string(R"({"w":{"dtype":)") + dtype + R"(,"shape":)" + shape +
           R"(,"data_offsets":)" + offsets + "}}";
  };
  EXPECT_EQ(message(one("\"F32\"", "[2,3]", "[0,24]"), 24), "");
  EXPECT_EQ(message(R"({"__metadata__":{"format":"pt"}})", 0), "");
  EXPECT_EQ(message(one("\"F33\"", "[2]", "[0,8]"), 8),
            "\"FILE\": tensor \"w\": unknown element type \"F33\"");
  EXPECT_EQ(message(one("7", "[2]", "[0,8]"), 8),
            "\"FILE\": tensor \"w\": unknown element type 7");
  EXPECT_EQ(message(one("\"U16\"", "[4]", "[0,8]"), 8),
            "\"FILE\": tensor \"w\" has the unsupported element type U16");
  EXPECT_EQ(message(one("\"F32\"", "[2,3]", "[0,24]"), 20),
            "\"FILE\": truncated: tensor \"w\" ends at byte 24 of the data, "
            "the file has 20");
  EXPECT_EQ(message(one("\"F32\"", "[2,3]", "[0,20]"), 20),
            "\"FILE\": tensor \"w\": shape [2, 3] of F32 takes 24 bytes, "
            "data_offsets give 20");
  EXPECT_EQ(message(one("\"F32\"", "[2,3]", "[0,24]"), 30),
            "\"FILE\": the tensors take 24 bytes, the file has 30 bytes of "
            "data");
  EXPECT_EQ(message(one("\"F32\"", "[2,3]", "[4,28]"), 28),
            "\"FILE\": bytes 0 to 4 of the data belong to no tensor");
  EXPECT_EQ(message(one("\"F32\"", "[-2,3]", "[0,24]"), 24),
            "\"FILE\": tensor \"w\": expected a shape of non-negative "
            "integers");
  EXPECT_EQ(message(one("\"F32\"", "{}", "[0,24]"), 24),
            "\"FILE\": tensor \"w\": expected a shape that is a list");
  EXPECT_EQ(message(one("\"F32\"", "[4294967296,4294967296]", "[0,0]"), 0),
            "\"FILE\": tensor \"w\": shape [4294967296, 4294967296] has more "
            "than 2^63 bytes");
  for (const char *offsets :
       {"[24,0]", "[0]", "[0,1.5]", "[-1,23]", "0", "[0,18446744073709551615]"})
    EXPECT_EQ(message(one("\"F32\"", "[2,3]", offsets), 24),
              "\"FILE\": tensor \"w\": expected data_offsets [begin, end] "
              "with begin <= end")
        << offsets;
  EXPECT_EQ(message(R"({"w":{"dtype":"F32","shape":[1]}})", 4),
            "\"FILE\": tensor \"w\": expected the fields dtype, shape and "
            "data_offsets");
  EXPECT_EQ(message(R"({"a":{"dtype":"I8","shape":[4],"data_offsets":[0,4]},)"
                    R"("b":{"dtype":"I8","shape":[4],"data_offsets":[2,6]}})",
                    6),
            "\"FILE\": tensor \"b\" overlaps tensor \"a\"");
  EXPECT_EQ(message(R"({"a":{"dtype":"I8","shape":[4],"data_offsets":[0,4]},)"
                    R"("a":{"dtype":"I8","shape":[4],"data_offsets":[0,4]}})",
                    4),
            "\"FILE\": tensor \"a\" is listed twice");
  for (const char *header : {"", "[]", "{", "{\"w\":}", "\xff"})
    EXPECT_EQ(message(header, 0), "\"FILE\": not a .safetensors file: its "
                                  "header is not a JSON object");
  std::string whole = safetensors(one("\"F32\"", "[2,3]", "[0,24]"), 24);
  EXPECT_EQ(open(write("x.safetensors", whole.substr(0, 5))),
            "\"FILE\": not a .safetensors or .npy file: it has 5 bytes");
  EXPECT_THAT(open(write("x.safetensors", whole.substr(0, 30))),
              HasSubstr("truncated: the header has "));
  EXPECT_THAT(open(write("x.safetensors", std::string(100, '\xff'))),
              HasSubstr("not a .safetensors or .npy file: its header would "
                        "have 18446744073709551615 bytes"));
  EXPECT_THAT(open(folder + "/none.safetensors"),
              HasSubstr("cannot open \"FILE\": No such file or directory"));
  EXPECT_THAT(open(folder), HasSubstr("\" is not a regular file"));
}

TEST_F(Files, WrongNpy) {
  auto message = [&](const std::string &dict, size_t dataBytes) {
    return open(write("x.npy", npy(dict, dataBytes)));
  };
  std::string good =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n";
  EXPECT_EQ(message(good, 24), "");
  EXPECT_EQ(open(write("x.npy", npy(good, 24, 2))), "");
  EXPECT_EQ(message("{'shape':(),'descr':\"|b1\",'fortran_order':True}", 1),
            "");
  EXPECT_EQ(message(good, 23),
            "\"FILE\": truncated: shape [2, 3] of <f4 takes 24 bytes, the "
            "file has 23 bytes of data");
  EXPECT_EQ(message(good, 25), "\"FILE\": shape [2, 3] of <f4 takes 24 bytes, "
                               "the file has 25 bytes of data");
  EXPECT_EQ(
      message("{'descr': '>f4', 'fortran_order': False, 'shape': (2,)}", 8),
      "\"FILE\": unsupported: big-endian elements, got \">f4\"; write it as "
      "\"<f4\"");
  EXPECT_EQ(
      message("{'descr': '<c8', 'fortran_order': False, 'shape': (2,)}", 16),
      "\"FILE\": unknown element type \"<c8\"");
  EXPECT_EQ(message("{'descr': '', 'fortran_order': False, 'shape': (2,)}", 8),
            "\"FILE\": unknown element type \"\"");
  EXPECT_EQ(message("{'descr': '<f4', 'fortran_order': False, 'shape': "
                    "(4294967296, 4294967296)}",
                    8),
            "\"FILE\": shape [4294967296, 4294967296] has more than 2^63 "
            "bytes");
  for (const char *dict :
       {"", "{", "{}", "{'descr': '<f4'}", "{'descr': '<f4', 'shape': (2,)}",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': "
        "(99999999999999999999,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x",
        "{'descr': '<f4', 'descr': '<f4', 'shape': (2,)}"})
    EXPECT_EQ(message(dict, 8), "\"FILE\": the header is not a dict of descr, "
                                "fortran_order and shape")
        << dict;
  std::string whole = npy(good, 24);
  EXPECT_EQ(open(write("x.npy", whole.substr(0, 9))),
            "\"FILE\": truncated: the file has 9 bytes");
  EXPECT_EQ(open(write("x.npy", whole.substr(0, 40))),
            "\"FILE\": truncated: the header has 60 bytes, the file has 30 "
            "after its length");
  EXPECT_EQ(open(write("x.npy", npy(good, 24, 4))),
            "\"FILE\": expected .npy version 1 to 3, got 4");
}

TEST_F(Files, FilesThatChangeWhileTheyAreOpen) {
  Input input;
  std::string file = write("shrinks.npy", std::string(100, 'x'));
  ASSERT_TRUE(input.open(file).ok());
  ASSERT_EQ(truncate(file.c_str(), 50), 0);
  char bytes[100];
  EXPECT_TRUE(input.read(0, 50, bytes).ok());
  EXPECT_EQ(input.read(0, 100, bytes).message(),
            "\"" + file + "\" ended while it was read");
  EXPECT_EQ(input.read(-1, 1, bytes).message(),
            "cannot read \"" + file + "\": Invalid argument");
}

TEST_F(Files, WrongWrites) {
  auto tensor = counting(DType::F32, {2});
  tpc_rt_tensor_t *tensors[] = {tensor.get(), tensor.get()};
  const char *names[] = {"a", "a"};
  EXPECT_EQ(take(tpc_rt_file_write("x.bin", 1, names, tensors)),
            "expected a file name ending in .safetensors or .npy, got "
            "\"x.bin\"");
  EXPECT_EQ(take(tpc_rt_file_write("x.npy", 2, names, tensors)),
            "\"x.npy\": a .npy file holds 1 tensor, got 2; use .safetensors");
  EXPECT_EQ(take(tpc_rt_file_write("x.safetensors", 2, names, tensors)),
            "expected different names, got \"a\" twice");
  EXPECT_EQ(take(tpc_rt_file_write("/nowhere/x.npy", 1, names, tensors)),
            "cannot write \"/nowhere/x.npy\": No such file or directory");
  EXPECT_EQ(take(tpc_rt_file_write("/dev/full/x.npy", 1, names, tensors)),
            "cannot write \"/dev/full/x.npy\": Not a directory");
}

// Bytes changed, dropped and repeated at random: an error or a tensor, and
// never a crash (which the sanitizers would see as well).
TEST_F(Files, DamagedFiles) {
  std::mt19937 random(1);
  std::vector<std::string> seeds = {
      safetensors(R"({"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},)"
                  R"("b":{"dtype":"I8","shape":[4],"data_offsets":[24,28]}})",
                  28),
      npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 24)};
  int numRefused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = seeds[round % seeds.size()];
    for (unsigned change = 0; change <= random() % 3; ++change) {
      size_t at = random() % bytes.size();
      switch (random() % 4) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes.resize(at + 1);
        break;
      case 2:
        bytes.insert(at, 1,
                     static_cast<char>("0159{}[](),:\"'"[random() % 14]));
        break;
      default:
        bytes.erase(at, 1 + random() % 4);
        if (bytes.empty())
          bytes = "x";
      }
    }
    numRefused += !open(write("damaged", bytes)).empty();
    written.pop_back();
  }
  written.push_back(folder + "/damaged");
  EXPECT_GT(numRefused, 2000);
}

} // namespace tpc::rt
