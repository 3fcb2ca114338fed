/* SPDX-License-Identifier: Apache-2.0 */
/* gate plan BASELINE...: what a gate against this baseline would see. */
#pragma once

int gate_plan(int argc, char **argv); /* argv[0] is "plan"; returns the exit code */
