/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * What tests may ask of the simulated machine in their own process. C11 and
 * C++.
 */
#ifndef TPC_TEST_DEVICE_SIMULATOR_TESTING_H
#define TPC_TEST_DEVICE_SIMULATOR_TESTING_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Number of findings so far, and the text of one, valid until the next call. */
int64_t tpc_sim_num_findings(void);
const char *tpc_sim_finding(int64_t index);
/* Forgets findings and sticky errors, and reads the environment anew. */
void tpc_sim_reset(void);
/* Adds what would be found if the process ended here: leaks. */
void tpc_sim_check_leaks(void);

#ifdef __cplusplus
}
#endif

#endif /* TPC_TEST_DEVICE_SIMULATOR_TESTING_H */
