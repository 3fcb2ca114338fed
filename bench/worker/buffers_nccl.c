/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device memory of a case, by registration variant. Allocated before anything is timed and kept
 * while it is large enough. Functions newer than NCCL 2.14 are looked up, never linked.
 */
#include <dlfcn.h>
#include <string.h>

#include "base/num.h"
#include "spec/timing.h"
#include "worker/cu_check.h"
#include "worker/nccl_rank.h"

#define GRANULE (2ULL << 20)    /* what the driver hands out anyway */
#define HEADROOM (256ULL << 20) /* NCCL's own connections and kernels need room, too */
#define WINDOW_SYMMETRIC 1      /* NCCL_WIN_COLL_SYMMETRIC */
#define ALL_BUT_PLAIN (~(1U << VARIANT_PLAIN))

static struct { /* named as what they are: failures are told by the name of the call */
	ncclResult_t (*ncclMemAlloc)(void **ptr, size_t size);
	ncclResult_t (*ncclMemFree)(void *ptr);
	ncclResult_t (*ncclCommRegister)(ncclComm_t comm, void *buff, size_t size, void **handle);
	ncclResult_t (*ncclCommDeregister)(ncclComm_t comm, void *handle);
	ncclResult_t (*ncclCommWindowRegister)(ncclComm_t comm, void *buff, size_t size,
					       void **window, int flags);
	ncclResult_t (*ncclCommWindowDeregister)(ncclComm_t comm, void *window);
} newer;

static const struct {
	unsigned variants; /* bit per variant_id that needs it */
	const char *symbol;
	void *slot;
} newer_symbols[] = {
	{ ALL_BUT_PLAIN, "ncclMemAlloc", &newer.ncclMemAlloc },
	{ ALL_BUT_PLAIN, "ncclMemFree", &newer.ncclMemFree },
	{ 1 << VARIANT_USER, "ncclCommRegister", &newer.ncclCommRegister },
	{ 1 << VARIANT_USER, "ncclCommDeregister", &newer.ncclCommDeregister },
	{ 1 << VARIANT_SYMMETRIC, "ncclCommWindowRegister", &newer.ncclCommWindowRegister },
	{ 1 << VARIANT_SYMMETRIC, "ncclCommWindowDeregister", &newer.ncclCommWindowDeregister },
};

static int find_newer(int variant)
{
	void *address;
	size_t i;

	for (i = 0; i < N_ELEMENTS(newer_symbols); i++) {
		if (!(newer_symbols[i].variants & 1U << variant))
			continue;
		address = dlsym(RTLD_DEFAULT, newer_symbols[i].symbol);
		if (!address)
			return failure_set(NB_BACKEND_UNAVAILABLE, 0,
					   "registration '%s' needs %s, which this NCCL lacks",
					   variant_table[variant].name, newer_symbols[i].symbol);
		memcpy(newer_symbols[i].slot, &address, sizeof(address));
	}
	return NB_BACKEND_OK;
}

static int area_release(struct area *a, int variant, ncclComm_t comm)
{
	struct area old = *a;

	*a = (struct area){ 0 };
	if (old.handle && variant == VARIANT_USER)
		NC_TRY(newer.ncclCommDeregister(comm, old.handle));
	if (old.handle && variant == VARIANT_SYMMETRIC)
		NC_TRY(newer.ncclCommWindowDeregister(comm, old.handle));
	if (!old.base)
		return NB_BACKEND_OK;
	if (variant == VARIANT_PLAIN)
		CU_TRY(cudaFree(old.base));
	else
		NC_TRY(newer.ncclMemFree(old.base));
	return NB_BACKEND_OK;
}

static int area_make(struct area *a, uint64_t bytes, int variant, ncclComm_t comm)
{
	if (variant == VARIANT_PLAIN)
		CU_TRY(cudaMalloc(&a->base, bytes));
	else
		NC_TRY(newer.ncclMemAlloc(&a->base, bytes));
	a->bytes = bytes;
	if (variant == VARIANT_USER)
		NC_TRY(newer.ncclCommRegister(comm, a->base, bytes, &a->handle));
	if (variant == VARIANT_SYMMETRIC)
		NC_TRY(newer.ncclCommWindowRegister(comm, a->base, bytes, &a->handle,
						    WINDOW_SYMMETRIC));
	if (variant == VARIANT_SYMMETRIC && !a->handle)
		return failure_set(NB_BACKEND_UNAVAILABLE, 0,
				   "NCCL made no symmetric window of this memory");
	return NB_BACKEND_OK;
}

/* Asking first leaves the other ranks of a shared GPU, and NCCL itself, something to live on. */
int buffers_room(uint64_t bytes, int device)
{
	char needs[32], has[32];
	size_t available = 0, total = 0;

	CU_TRY(cudaMemGetInfo(&available, &total));
	if (bytes <= available && available - bytes >= HEADROOM)
		return NB_BACKEND_OK;
	num_format_size(bytes, needs, sizeof(needs));
	num_format_size(available, has, sizeof(has));
	return failure_set(NB_BACKEND_OOM, cudaErrorMemoryAllocation,
			   "needs %s, %s free on GPU %d (256 MiB are kept free)", needs, has,
			   device);
}

int buffers_release(struct buffers *b, ncclComm_t comm)
{
	int i, r, first_bad = NB_BACKEND_OK;

	for (i = 0; i < 2; i++) {
		r = area_release(&b->area[i], b->variant, comm);
		if (!first_bad)
			first_bad = r;
	}
	return first_bad;
}

static uint64_t missing(const struct buffers *b, const uint64_t need[2])
{
	return (need[0] > b->area[0].bytes ? need[0] : 0) +
	       (need[1] > b->area[1].bytes ? need[1] : 0);
}

/* Frees what is too small; everything when that alone would not make room. */
static int make_room(struct buffers *b, const uint64_t need[2], const struct nccl_rank *r)
{
	int i, rc = NB_BACKEND_OK;

	for (i = 0; !rc && i < 2; i++)
		if (need[i] > b->area[i].bytes)
			rc = area_release(&b->area[i], b->variant, r->comm);
	if (!rc)
		rc = buffers_room(missing(b, need), r->device);
	if (rc != NB_BACKEND_OOM)
		return rc;
	rc = buffers_release(b, r->comm);
	return rc ? rc : buffers_room(missing(b, need), r->device);
}

int buffers_ensure(struct buffers *b, const uint64_t need[2], int variant,
		   const struct nccl_rank *r)
{
	uint64_t want[2];
	int i, rc = NB_BACKEND_OK;

	for (i = 0; i < 2; i++)
		want[i] = (need[i] + GRANULE - 1) / GRANULE * GRANULE;
	if (variant != b->variant) {
		rc = find_newer(variant);
		if (!rc)
			rc = buffers_release(b, r->comm);
		if (rc)
			return rc;
		b->variant = variant;
	}
	if (!missing(b, want))
		return NB_BACKEND_OK;
	rc = make_room(b, want, r);
	if (rc == NB_BACKEND_OOM)
		return NB_BACKEND_SKIPPED; /* foreseen, nothing was tried: a point that does not
					      fit, no failure */
	for (i = 0; !rc && i < 2; i++)
		if (want[i] > b->area[i].bytes)
			rc = area_make(&b->area[i], want[i], variant, r->comm);
	return rc;
}
