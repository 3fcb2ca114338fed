/* SPDX-License-Identifier: Apache-2.0 */
/* What a tune recommends, as lines to paste and as an arm of a sweep: of classes that contradict
 * each other the first one's, whole. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/arm.h"
#include "run/campaign.h"
#include "run/finish.h"
#include "run/launch.h"
#include "run/options.h"
#include "run/tune.h"
#include "run/tune_page.h"
#include "run/tuned.h"
#include "spec/outcome.h"
#include "spec/transport.h"

/* A minimum above the maximum means nothing; the buffer was measured with the maximum. */
#define LARGE "NCCL_MIN_NCHANNELS=32"
#define MID "NCCL_MAX_NCHANNELS=8 NCCL_BUFFSIZE=8388608"

static void an_arm_has_the_first_of_two_that_contradict(void **state)
{
	static const char json[] =
	    "{\"rows\":[{\"backend\":\"nccl\",\"transport\":\"shm\",\"classes\":["
	    "{\"verdict\":\"gain\",\"set\":{\"NCCL_MIN_NCHANNELS\":\"32\"}},"
	    "{\"verdict\":\"gain\",\"set\":{\"NCCL_MAX_NCHANNELS\":\"8\","
	    "\"NCCL_BUFFSIZE\":\"8388608\"}},"
	    "{\"verdict\":\"gain\",\"set\":{\"NCCL_NTHREADS\":\"256\"}}]}]}";
	char path[] = "/tmp/ncclbench-tuned-XXXXXX", why[300] = "", *text = NULL;
	int fd = mkstemp(path);
	struct arm *a;
	size_t n;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, json, strlen(json)), strlen(json));
	close(fd);
	if (tuned_read(path, &text, why, sizeof(why)) != 0)
		fail_msg("%s", why);
	unlink(path); /* the other ranks need no file */
	if (tuned_arms(path, text, &a, &n, why, sizeof(why)) != 0)
		fail_msg("%s", why);
	free(text);
	assert_int_equal(n, 2);
	assert_string_equal(arm_value(&a[1], "NCCL_MIN_NCHANNELS"), "32");
	assert_string_equal(arm_value(&a[1], "NCCL_NTHREADS"), "256");
	assert_null(arm_value(&a[1], "NCCL_MAX_NCHANNELS"));
	assert_null(arm_value(&a[1], "NCCL_BUFFSIZE"));
	arms_free(a, n);
}

static void set_gain(struct tune_part *p, size_t k, const char *text)
{
	struct confirmed *arm = &p->result.confirmation.arm[k];

	assert_int_equal(setting_parse(text, &arm->s), 0);
	arm->outcome = OUTCOME_OK;
	arm->effect[k] = (struct effect){ true, -.1, -.1, -.1, -.1 };
	snprintf(p->classes.v[k].name, sizeof(p->classes.v[k].name), "all_reduce %zu", k);
	p->classes.v[k].target = true;
	p->result.found[k] = (struct finding_of){ .id = FOUND_GAIN, .arm = (int)k, .trade = -1 };
}

static void lines_to_paste_are_of_the_first_of_two_that_contradict(void **state)
{
	struct campaign *k = calloc(1, sizeof(*k));
	struct options *o = calloc(1, sizeof(*o));
	struct launch *l = calloc(1, sizeof(*l));
	struct tune_part *p = calloc(1, sizeof(*p));
	struct finish f = { .options = o, .launch = l, .n_hosts = 1 };
	struct tune t = { .k = k, .finish = &f, .parts = p, .n_parts = 1 };
	char *json;

	assert_true(k && o && l && p);
	o->objective = "bandwidth";
	o->emit = "env";
	p->transport = TRANSPORT_SHM;
	p->searched = p->result.race.have_control = true;
	p->classes.n = 2;
	set_gain(p, 0, LARGE);
	set_gain(p, 1, MID);
	json = tune_page_json(&t, 0);
	assert_non_null(json);
	assert_non_null(strstr(json, "export NCCL_MIN_NCHANNELS=32"));
	assert_null(strstr(json, "export NCCL_MAX_NCHANNELS"));
	assert_null(strstr(json, "export NCCL_BUFFSIZE"));
	free(json);
	free(p);
	free(l);
	free(o);
	free(k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_arm_has_the_first_of_two_that_contradict),
		cmocka_unit_test(lines_to_paste_are_of_the_first_of_two_that_contradict),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
