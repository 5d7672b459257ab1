// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How processes find each other, and what is said where they do not.

#include "Processes.h"

namespace tpc::rt {

using testing::AllOf;
using testing::HasSubstr;

using Rendezvous = Processes;

TEST_F(Rendezvous, MeetAtAPort) {
  EXPECT_THAT(fork({0, 1, 2}, [&](int32_t rank) { return join(rank, 3); }),
              testing::Each("met"));
  EXPECT_EQ(join(0, 1), "met");
}

TEST_F(Rendezvous, MeetByAFile) {
  std::string path = folder + "/meet";
  place = "file:" + path;
  EXPECT_THAT(fork({2, 1, 0}, [&](int32_t rank) { return join(rank, 3); }),
              testing::Each("met"));
  EXPECT_NE(access(path.c_str(), F_OK), 0);
  // What another job has left does not matter.
  std::ofstream(path) << "tpc rendezvous 1\njob  old\nport 1\nhost nowhere\n";
  auto asNew = [&](int32_t rank) {
    return join(rank, 2, [](JoinOptions &o) { o.job = "new"; });
  };
  EXPECT_THAT(fork({0, 1}, asNew), testing::Each("met"));
}

TEST_F(Rendezvous, FilesThatDoNotHelp) {
  std::string path = folder + "/meet";
  place = "file:" + path;
  auto soon = [](JoinOptions &o) { o.deadline = 0.3; };
  EXPECT_EQ(join(1, 2, soon), "rank 1 found no rendezvous file \"" + path +
                                  "\" within 0.3 seconds");
  std::ofstream(path) << "tpc rendezvous 1\njob  old\nport 1\nhost nowhere\n";
  EXPECT_EQ(join(1, 2, soon),
            "rank 1 found no rendezvous file \"" + path +
                "\" within 0.3 seconds, only one of job \"old\" (this is job "
                "\"\")");
  EXPECT_EQ(join(0, 2, [](JoinOptions &o) { o.job = "old"; }),
            "the rendezvous file \"" + path +
                "\" is there already, of job \"old\"; remove it, or give every "
                "run another TPC_JOB");
  place = "file:" + folder + "/none/meet";
  EXPECT_EQ(join(0, 2), "cannot write the rendezvous file \"" + folder +
                            "/none/meet\": No such file or directory");
}

TEST_F(Rendezvous, PlacesThatAreNone) {
  place = "here";
  EXPECT_EQ(join(0, 2), "expected a rendezvous tcp:HOST:PORT or file:PATH, got "
                        "\"here\"");
  place = "tcp:localhost";
  EXPECT_EQ(join(0, 2),
            "expected the address of rank 0 as HOST:PORT, got \"localhost\"");
  place = "tcp:localhost:70000";
  EXPECT_THAT(join(1, 2), HasSubstr("got \"localhost:70000\""));
}

TEST_F(Rendezvous, PortIsTaken) {
  int port = 0;
  Socket socket;
  ASSERT_TRUE(listenAt(port, socket).ok());
  place = text("tcp:127.0.0.1:", port);
  EXPECT_EQ(join(0, 2), text("rank 0 cannot listen at port ", port,
                             ", where the processes meet: Address already in "
                             "use"));
  // Whoever listens there says nothing.
  EXPECT_EQ(join(1, 2, [](JoinOptions &o) { o.deadline = -4.5; }),
            text("rank 1 lost the connection to rank 0 at 127.0.0.1:", port,
                 " while the processes met"));
}

TEST_F(Rendezvous, ARankIsMissing) {
  auto soon = [](JoinOptions &o) { o.deadline = o.rank ? 20 : 1; };
  std::string message = text("rank 0 waited 1 seconds at ", place.substr(4),
                             " for ranks 2 and 3 of 4, which did not come");
  EXPECT_THAT(fork({0, 1}, [&](int32_t rank) { return join(rank, 4, soon); }),
              testing::Each(message));
  EXPECT_EQ(join(1, 2, [](JoinOptions &o) { o.deadline = 0.2; }),
            text("rank 1 could not reach rank 0 at ", place.substr(4),
                 " within 0.2 seconds: Connection refused"));
}

TEST_F(Rendezvous, AProcessOfAnotherWorld) {
  auto results =
      fork({0, 1}, [&](int32_t rank) { return join(rank, rank ? 4 : 2); });
  EXPECT_THAT(results,
              testing::Each(AllOf(HasSubstr("rank 1 (process "),
                                  HasSubstr(") was started as one of 4 ranks, "
                                            "rank 0 as one of 2"))));
  results = fork({0, 1}, [&](int32_t rank) {
    return join(rank, 2,
                [&](JoinOptions &o) { o.job = rank ? "mine" : "yours"; });
  });
  EXPECT_THAT(results,
              testing::Each(HasSubstr(") belongs to job \"mine\", rank "
                                      "0 to job \"yours\"")));
  results = fork({0, 1, 1}, [&](int32_t rank) { return join(rank, 3); });
  EXPECT_THAT(results, testing::Each(HasSubstr(
                           "two processes came as rank 1: process ")));
  results = fork({0, 5}, [&](int32_t rank) { return join(rank, 2); });
  EXPECT_THAT(results, testing::Each(HasSubstr(
                           " came as rank 5, expected ranks 1 to 1")));
}

// Together they would be waited for longer than the deadline.
TEST_F(Rendezvous, SilentStrangersKeepNobodyWaiting) {
  auto results = fork({0, 1}, [&](int32_t rank) {
    std::vector<Socket> strangers(30);
    if (rank == 1)
      for (Socket &stranger : strangers) {
        Address address{"127.0.0.1", std::atoi(place.substr(14).c_str())};
        while (connectOnce(address, Clock::now() + std::chrono::seconds(1),
                           stranger))
          usleep(10000);
      }
    return join(rank, 2);
  });
  EXPECT_THAT(results, testing::Each("met"));
}

// Something that is no rank connects first.
TEST_F(Rendezvous, StrangersAreSentAway) {
  auto results = fork({0, 1}, [&](int32_t rank) {
    if (rank == 1) {
      Socket stranger;
      Address address{"127.0.0.1", std::atoi(place.substr(14).c_str())};
      while (connectOnce(address, Clock::now() + std::chrono::seconds(1),
                         stranger))
        usleep(10000);
      writeUntil(stranger, "GET / HTTP/1.1\r\nHost: tpc\r\n\r\n",
                 Clock::now() + std::chrono::seconds(1));
      return join(rank, 2);
    }
    return join(rank, 2);
  });
  EXPECT_THAT(results, testing::Each("met"));
  results = fork({0, 1}, [&](int32_t rank) {
    if (rank == 0)
      return join(rank, 2);
    Socket other;
    Address address{"127.0.0.1", std::atoi(place.substr(14).c_str())};
    while (connectOnce(address, Clock::now() + std::chrono::seconds(1), other))
      usleep(10000);
    std::string hello = FieldWriter().number(9).number(1).bytes;
    writeUntil(other, encodeFrame(FrameKind::Hello, hello),
               Clock::now() + std::chrono::seconds(1));
    Frame frame;
    readFrameUntil(other, Clock::now() + std::chrono::seconds(5), frame);
    return std::string();
  });
  EXPECT_EQ(results[0],
            "rank 1 runs another version of the runtime than rank 0");
}

} // namespace tpc::rt
