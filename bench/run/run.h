/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything one supervisor holds from its first to its last line. Not an interface: each step that
 * main.c calls (agree.h, planning.h, run_dir.h) fills what the next ones read.
 */
#pragma once

#include <stdint.h>

#include "run/campaign.h"
#include "run/confirm.h"
#include "run/coord.h"
#include "run/finish.h"
#include "run/health.h"
#include "run/launch.h"
#include "run/options.h"
#include "run/place.h"
#include "run/progress.h"
#include "run/tune.h"

struct run {
	struct options options;
	struct coord coord;
	struct launch launch;
	struct campaign campaign;
	struct finish finish;
	struct place place;
	struct health health;
	struct confirm confirm;
	struct tune tune;
	int64_t start_ns;
	struct progress progress;
	int64_t veto; /* some rank's environment has NCCL_NVLS_ENABLE=0 */
	char when[32], log_dir[4096];
};
