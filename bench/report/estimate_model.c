/* SPDX-License-Identifier: Apache-2.0 */
/* TABLES of estimate.h: models, schemes, data sheets. No times. */
#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "report/estimate.h"

/* clang-format off */
const struct estimate_model estimate_models[] = {
	{ "gpt2", 124.4e6, 12, 768, 1024, 2, 4,
	  "Radford et al. 2019, table 2 (layers, width); parameters counted in the released weights; gradients in 32 bit" },
	{ "llama3-8b", 8.03e9, 32, 4096, 8192, 2, 2, "The Llama 3 Herd of Models (2024), table 3; parameters: model card" },
	{ "llama3-70b", 70.6e9, 80, 8192, 8192, 2, 2, "The Llama 3 Herd of Models (2024), table 3; parameters: model card" },
};
/* clang-format on */
const size_t estimate_n_models = N_ELEMENTS(estimate_models);

const char *const estimate_phase_names[STEP_PHASES] = { "forward", "backward", "critical path" };

int estimate_model_find(const char *name)
{
	for (size_t i = 0; i < estimate_n_models; i++)
		if (strcmp(estimate_models[i].name, name) == 0)
			return (int)i;
	return -1;
}

/* TABLE: members of a model file. */
static const struct {
	const char *key;
	size_t offset;
	double dflt, max; /* dflt NaN: must be there */
} members[] = {
	{ "parameters", offsetof(struct estimate_model, parameters), NAN, 1e15 },
	{ "layers", offsetof(struct estimate_model, layers), NAN, 1e5 },
	{ "hidden", offsetof(struct estimate_model, hidden), NAN, 1e7 },
	{ "sequence", offsetof(struct estimate_model, sequence), 2048, 1e9 },
	{ "value_bytes", offsetof(struct estimate_model, value_bytes), 2, 8 },
	{ "gradient_bytes", offsetof(struct estimate_model, gradient_bytes), 2, 8 },
};

int estimate_model_parse(const char *json, size_t len, struct estimate_model *out, char *why,
			 size_t why_max)
{
	struct estimate_model m = { .source = "a file" };
	json_error_t error;
	json_t *o = json_loadb(json, len, JSON_REJECT_DUPLICATES, &error);
	const char *name = json_string_value(json_object_get(o, "name"));
	int rc = 0;

	if (!json_is_object(o)) {
		snprintf(why, why_max, "not a JSON object: line %d", o ? 1 : error.line);
		rc = -EBADMSG;
	}
	snprintf(m.name, sizeof(m.name), "%s", name ? name : "model");
	for (char *c = m.name; *c; c++)
		*c = *c >= 0x20 && *c < 0x7f ? *c : '?';
	for (size_t i = 0; i < N_ELEMENTS(members) && rc == 0; i++) {
		const json_t *v = json_object_get(o, members[i].key);
		double d = v ? json_number_value(v) : members[i].dflt;

		if (!(d > 0) || d > members[i].max) {
			snprintf(why, why_max, "'%s' must be a number above 0 and at most %g",
				 members[i].key, members[i].max);
			rc = -EBADMSG;
		} else {
			memcpy((char *)&m + members[i].offset, &d, sizeof(d));
		}
	}
	json_decref(o);
	if (rc == 0)
		*out = m;
	return rc;
}

/* ---- schemes ---- */

#define DDP_BUCKET (25.0 * 1024 * 1024) /* PyTorch's bucket_cap_mb */

/* Full buckets and what is left over, which comes last and has no backward to hide behind. */
static size_t ddp(const struct estimate_model *m, int gpus, double tokens,
		  struct estimate_message *out)
{
	double total = m->parameters * m->gradient_bytes, full = floor(total / DDP_BUCKET),
	       rest = total - full * DDP_BUCKET;
	size_t n = 0;

	if (full > 0)
		out[n++] = (struct estimate_message){ "gradient bucket of 25 MiB",
						      "all_reduce",
						      full,
						      DDP_BUCKET,
						      STEP_BACKWARD,
						      rest > 0 ? 0 : 1,
						      true };
	if (rest > 0)
		out[n++] = (struct estimate_message){
			"last gradient bucket", "all_reduce", 1, rest, STEP_BACKWARD, 1, true
		};
	return n;
}

static size_t fsdp(const struct estimate_model *m, int gpus, double tokens,
		   struct estimate_message *out)
{
	double layer = m->parameters * m->value_bytes / m->layers;

	out[0] = (struct estimate_message){
		"weights of a layer", "all_gather", m->layers, layer, STEP_FORWARD, 1, false
	};
	out[1] = (struct estimate_message){
		"weights of a layer, again", "all_gather", m->layers, layer, STEP_BACKWARD, 0, false
	};
	out[2] = (struct estimate_message){
		"gradients of a layer", "reduce_scatter", m->layers, layer, STEP_BACKWARD, 1, false
	};
	return 3;
}

static size_t tp(const struct estimate_model *m, int gpus, double tokens,
		 struct estimate_message *out)
{
	double bytes = m->value_bytes * tokens * m->hidden;

	out[0] = (struct estimate_message){ "activations, 4 per layer",
					    "all_reduce",
					    4 * m->layers,
					    bytes,
					    STEP_CRITICAL,
					    0,
					    false };
	return 1;
}

const struct estimate_scheme estimate_schemes[] = {
	{ "ddp", "data parallel: gradients are reduced in buckets of 25 MiB, once per step", ddp,
	  false },
	{ "fsdp",
	  "sharded data parallel: each layer's weights are gathered twice, its gradients "
	  "scattered, per micro-batch",
	  fsdp, false },
	{ "zero3", "the same messages as fsdp", fsdp, false },
	{ "tp",
	  "tensor parallel: 4 all-reduces of the activations per layer and micro-batch, nothing "
	  "hides",
	  tp, true },
};
const size_t estimate_n_schemes = N_ELEMENTS(estimate_schemes);

int estimate_scheme_find(const char *name)
{
	for (size_t i = 0; i < estimate_n_schemes; i++)
		if (strcmp(estimate_schemes[i].name, name) == 0)
			return (int)i;
	return -1;
}

/* ---- data sheets ---- */

/* Dense, 16-bit inputs, 32-bit sums, without sparsity, as NVIDIA's data sheets give them. The
 * longer name comes first. */
static const struct {
	const char *word;
	double tflops;
} sheets[] = {
	{ "B200", 2250 },        { "H200 NVL", 835 },
	{ "H200", 989 },         { "H100 PCIe", 756 },
	{ "H100 NVL", 835 },     { "H100", 989 },
	{ "A100", 312 },         { "A800", 312 },
	{ "A40", 149.7 },        { "A30", 165 },
	{ "A10", 125 },          { "L40S", 362 },
	{ "L40", 181 },          { "L4", 121 },
	{ "V100", 125 },         { "T4", 65 },
	{ "RTX 6000 Ada", 364 }, { "RTX A6000", 154.8 },
	{ "RTX 5090", 209.5 },   { "RTX 4090", 165.2 },
	{ "RTX 3090", 71 },      { "RTX 2080 Ti", 53.8 },
	{ "TITAN RTX", 130.5 },
};

double estimate_datasheet_tflops(const char *gpu, const char **source)
{
	for (size_t i = 0; i < N_ELEMENTS(sheets); i++) {
		const char *at = strcasestr(gpu, sheets[i].word);

		if (!at ||
		    isalnum((unsigned char)at[strlen(sheets[i].word)])) /* "A40" is no "A4000" */
			continue;
		if (source)
			*source = sheets[i].word;
		return sheets[i].tflops;
	}
	return NAN;
}
