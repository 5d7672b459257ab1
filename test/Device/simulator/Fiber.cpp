// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Switching stacks: by hand on x86-64, where a block of 1024 threads switches
// thousands of times per kernel, by ucontext elsewhere.
#include "Fiber.h"
#include <cstdint>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

#ifdef TPC_SIM_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

#ifdef TPC_SIM_TSAN
#include <sanitizer/tsan_interface.h>
#endif

#if defined(__x86_64__)
extern "C" void tpcSimSwitch(void **from, void *to);
extern "C" void tpcSimBegin();
// Saves what a call must preserve, and the stack pointer in *from.
asm(R"(
  .text
  .hidden tpcSimSwitch
  .globl tpcSimSwitch
  .type tpcSimSwitch,@function
tpcSimSwitch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size tpcSimSwitch, .-tpcSimSwitch
  .hidden tpcSimBegin
  .globl tpcSimBegin
  .type tpcSimBegin,@function
tpcSimBegin:
  movq %rbx, %rdi
  callq *%r12
  ud2
  .size tpcSimBegin, .-tpcSimBegin
)");
#endif

namespace tpc::sim {

// Kernels keep arrays in registers: small stacks do, with a page below that
// faults.
static constexpr size_t kStackBytes = 128 * 1024;
static constexpr size_t kGuardBytes = 4096;

Fiber::Fiber() {
  void *memory =
      mmap(nullptr, kStackBytes + kGuardBytes, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    throw std::bad_alloc();
  mprotect(memory, kGuardBytes, PROT_NONE);
  stack = static_cast<char *>(memory) + kGuardBytes;
}

Fiber::~Fiber() {
#ifdef TPC_SIM_TSAN
  if (watched)
    __tsan_destroy_fiber(watched);
#endif
  munmap(stack - kGuardBytes, kStackBytes + kGuardBytes);
}

void Fiber::main(Fiber *self) {
#ifdef TPC_SIM_ASAN
  __sanitizer_finish_switch_fiber(nullptr, &self->schedulerStack,
                                  &self->schedulerBytes);
#endif
  self->entry(self->argument);
  self->done = true;
  self->leave();
}

void Fiber::start(void (*function)(void *), void *of) {
  entry = function;
  argument = of;
  done = false;
#ifdef TPC_SIM_ASAN
  fakeStack = nullptr;
#endif
#ifdef TPC_SIM_TSAN
  // Frames of what was left are forgotten too.
  if (watched)
    __tsan_destroy_fiber(watched);
  watched = __tsan_create_fiber(0);
#endif
#if defined(__x86_64__)
  // As if tpcSimBegin, which calls r12 with rbx, had been about to switch.
  auto *top = reinterpret_cast<uint64_t *>(stack + kStackBytes);
  void (*begin)(Fiber *) = main;
  top -= 9;
  top[6] = reinterpret_cast<uint64_t>(tpcSimBegin);
  top[5] = 0;                                 // rbp
  top[4] = reinterpret_cast<uint64_t>(this);  // rbx
  top[3] = reinterpret_cast<uint64_t>(begin); // r12
  top[2] = top[1] = top[0] = 0;               // r13 to r15
  own = top;
#else
  getcontext(&own);
  own.uc_stack.ss_sp = stack;
  own.uc_stack.ss_size = kStackBytes;
  own.uc_link = nullptr;
  auto address = reinterpret_cast<uintptr_t>(this);
  void (*begin)(unsigned, unsigned) = +[](unsigned high, unsigned low) {
    main(reinterpret_cast<Fiber *>(static_cast<uintptr_t>(high) << 32 | low));
  };
  makecontext(&own, reinterpret_cast<void (*)()>(begin), 2,
              static_cast<unsigned>(address >> 32),
              static_cast<unsigned>(address));
#endif
}

void Fiber::enter() {
#if defined(__x86_64__)
  tpcSimSwitch(&scheduler, own);
#else
  swapcontext(&scheduler, &own);
#endif
}

void Fiber::leave() {
#ifdef TPC_SIM_ASAN
  __sanitizer_start_switch_fiber(done ? nullptr : &fakeStack, schedulerStack,
                                 schedulerBytes);
#endif
#ifdef TPC_SIM_TSAN
  __tsan_switch_to_fiber(watchedScheduler, 0);
#endif
#if defined(__x86_64__)
  tpcSimSwitch(&own, scheduler);
#else
  swapcontext(&own, &scheduler);
#endif
#ifdef TPC_SIM_ASAN
  __sanitizer_finish_switch_fiber(fakeStack, &schedulerStack, &schedulerBytes);
#endif
}

bool Fiber::resume() {
#ifdef TPC_SIM_ASAN
  void *mine = nullptr;
  __sanitizer_start_switch_fiber(&mine, stack, kStackBytes);
#endif
#ifdef TPC_SIM_TSAN
  watchedScheduler = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(watched, 0);
#endif
  enter();
#ifdef TPC_SIM_ASAN
  __sanitizer_finish_switch_fiber(mine, nullptr, nullptr);
#endif
  return done;
}

void Fiber::suspend() { leave(); }

} // namespace tpc::sim
