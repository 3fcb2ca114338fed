/* SPDX-License-Identifier: Apache-2.0 */
/* Messages: what is written byte for byte, what comes back, and every way a packet can be refused.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "ncclbench/protocol.h"
#include "wire/msg.h"

static int parse(struct words *w, const char *text)
{
	return words_parse(w, text, strlen(text));
}

static void writes_what_the_protocol_says(void **state)
{
	static const int64_t ns[] = { 5, -1, INT64_MAX };
	static const uint8_t blob[] = { 0x00, 0x7f, 0xff, 0x1a };
	struct msg m = { 0 };

	msg_begin(&m, "DONE");
	msg_add(&m, "text", "a b=c%d\n");
	msg_add_i64(&m, "low", INT64_MIN);
	msg_add_u64(&m, "high", UINT64_MAX);
	msg_add_list(&m, "ns", ns, 3);
	msg_add_list(&m, "none", ns, 0);
	msg_add_hex(&m, "blob", blob, sizeof(blob));
	msg_add(&m, "empty", "");
	msg_add(&m, "null", NULL);
	assert_false(m.text.failed);
	assert_string_equal(
	    buf_text(&m.text),
	    "DONE text=a%20b%3Dc%25d%0A low=-9223372036854775808 high=18446744073709551615"
	    " ns=5,-1,9223372036854775807 none= blob=007fff1a empty= null=");
	msg_begin(&m, "BYE");
	assert_string_equal(buf_text(&m.text), "BYE");
	msg_fini(&m);
}

static void plain_bytes_stay_as_they_are(void **state)
{
	static const char plain[] = "azAZ09_.,:;/+@()<>#*-";
	struct msg m = { 0 };

	msg_begin(&m, "NOTE");
	msg_add(&m, "v", plain);
	assert_string_equal(buf_text(&m.text), "NOTE v=azAZ09_.,:;/+@()<>#*-");
	msg_fini(&m);
}

static void every_byte_but_nul_comes_back(void **state)
{
	struct msg m = { 0 };
	struct words w;
	char all[256];

	for (int i = 1; i < 256; i++)
		all[i - 1] = (char)i;
	all[255] = '\0';
	msg_begin(&m, "NOTE");
	msg_add(&m, "all", all);
	msg_add(&m, "p2p.0.1", "yes");
	assert_int_equal(words_parse(&w, m.text.data, m.text.len), 0);
	assert_string_equal(w.verb, "NOTE");
	assert_int_equal(w.n, 2);
	assert_memory_equal(words_get(&w, "all"), all, 256);
	assert_string_equal(words_get(&w, "p2p.0.1"), "yes");
	words_fini(&w);
	msg_fini(&m);
	for (int i = 1; i < 256; i++) { /* each alone, and each in front of hex digits */
		char text[4] = { (char)i, 'A', '0', '\0' };

		msg_begin(&m, "NOTE");
		msg_add(&m, "k", text);
		assert_int_equal(words_parse(&w, m.text.data, m.text.len), 0);
		assert_string_equal(words_get(&w, "k"), text);
		words_fini(&w);
	}
	msg_fini(&m);
}

static void key_of_ours_that_is_none_spoils_the_message(void **state)
{
	static const char *const bad[] = { "", "a b", "a=b", "\xc3\xa4", "a%", "a\n" };
	struct msg m = { 0 };

	for (size_t i = 0; i < N_ELEMENTS(bad); i++) {
		msg_begin(&m, "NOTE");
		assert_false(m.text.failed);
		msg_add(&m, bad[i], "x");
		assert_true(m.text.failed);
	}
	msg_fini(&m);
}

static void parses_by_hand(void **state)
{
	struct words w;

	assert_int_equal(parse(&w, "FAIL kind=oom text=a%20b%3d%3D code=-3"), 0);
	assert_string_equal(w.verb, "FAIL");
	assert_int_equal(w.n, 3);
	assert_string_equal(words_get(&w, "kind"), "oom");
	assert_string_equal(words_get(&w, "text"), "a b==");
	assert_string_equal(words_get(&w, "code"), "-3");
	assert_null(words_get(&w, "kin"));
	assert_null(words_get(&w, "FAIL"));
	words_fini(&w);
	assert_int_equal(w.n, 0);
	assert_string_equal(w.verb, "");
	words_fini(&w); /* twice is fine */
	assert_int_equal(parse(&w, "CHECK"), 0);
	assert_int_equal(w.n, 0);
	words_fini(&w);
}

static void refuses_what_is_not_of_the_form(void **state)
{
	static const char *const bad[] = {
		"",
		" ",
		"=",
		"run",
		"Run a=1",
		"RUN1 a=1",
		"RUN_A",
		"RUN ",
		"RUN  a=1",
		" RUN a=1",
		"RUN a=1 ",
		"RUN a",
		"RUN =1",
		"RUN a=1  b=2",
		"RUN a=1 b",
		"RUN a=1\n",
		"RUN\n",
		"RUN a=b=c",
		"RUN a=\"x\"",
		"RUN a=%",
		"RUN a=%4",
		"RUN a=%4 b=1",
		"RUN a=%zz",
		"RUN a=%4g",
		"RUN a=%00",
		"RUN a=%-1",
		"RUN a%20=1",
		"RUN \xff=1",
		"RUN a=\xff",
		"RUN a=\t",
		"RUN a=1\tb=2",
		"RUN a=1 a=2",
		"RUN a=1 b=2 c=3 a=1",
		"\x01\xff not=a message\n",
		"RUN a=|",
		"RUN a='",
		"RUN a=$x",
		"RUN a=`x`",
	};
	struct words w;

	for (size_t i = 0; i < N_ELEMENTS(bad); i++) {
		memset(&w, 0x5a, sizeof(w));
		if (parse(&w, bad[i]) != -EBADMSG)
			fail_msg("accepted: \"%s\"", bad[i]);
		assert_null(w.copy);
		assert_int_equal(w.n, 0);
		assert_string_equal(w.verb, "");
	}
	assert_int_equal(words_parse(&w, "RUN a=1\0b=2", 11), -EBADMSG);
	assert_int_equal(words_parse(&w, "RUN\0", 4), -EBADMSG);
	assert_int_equal(words_parse(&w, "\0", 1), -EBADMSG);
}

/* "NOTE k0= k1= ..." with n keys; heap. */
static char *many_keys(int n)
{
	char *text = malloc(16 + (size_t)n * 12);
	int len = sprintf(text, "NOTE");

	for (int i = 0; i < n; i++)
		len += sprintf(text + len, " k%d=", i);
	return text;
}

static void number_of_pairs_is_bounded(void **state)
{
	char *text = many_keys(MSG_PAIRS_MAX);
	struct words w;

	assert_int_equal(parse(&w, text), 0);
	assert_int_equal(w.n, 1024);
	assert_string_equal(words_get(&w, "k1023"), "");
	words_fini(&w);
	free(text);
	text = many_keys(MSG_PAIRS_MAX + 1);
	assert_int_equal(parse(&w, text), -EBADMSG);
	free(text);
}

static void size_is_bounded(void **state)
{
	char *text = malloc(NB_MESSAGE_MAX + 1);
	struct words w;

	memset(text, 'x', NB_MESSAGE_MAX + 1);
	memcpy(text, "NOTE k=", 7);
	assert_int_equal(words_parse(&w, text, NB_MESSAGE_MAX), 0);
	assert_int_equal(strlen(words_get(&w, "k")), NB_MESSAGE_MAX - 7);
	words_fini(&w);
	assert_int_equal(words_parse(&w, text, NB_MESSAGE_MAX + 1), -EBADMSG);
	free(text);
}

static void reads_numbers_whole_or_not(void **state)
{
	struct words w;
	int64_t i = 77;
	uint64_t u = 77;

	assert_int_equal(
	    parse(&w, "DONE a=12 b=12x c= d=18446744073709551615 e=18446744073709551616 f=-1 g=nan"
		      " h=99999999999999999999 i=0"),
	    0);
	assert_int_equal(words_i64(&w, "z", 0, 100, &i), -ENOENT);
	assert_int_equal(words_i64(&w, "b", 0, 100, &i), -EINVAL);
	assert_int_equal(words_i64(&w, "c", 0, 100, &i), -EINVAL);
	assert_int_equal(words_i64(&w, "g", 0, 100, &i), -EINVAL);
	assert_int_equal(words_i64(&w, "a", 0, 11, &i), -ERANGE);
	assert_int_equal(words_i64(&w, "f", 0, 11, &i), -ERANGE);
	assert_int_equal(i, 77);
	assert_int_equal(words_i64(&w, "a", 12, 12, &i), 0);
	assert_int_equal(i, 12);
	assert_int_equal(words_u64(&w, "z", &u), -ENOENT);
	assert_int_equal(words_u64(&w, "b", &u), -EINVAL);
	assert_int_equal(words_u64(&w, "c", &u), -EINVAL);
	assert_int_equal(words_u64(&w, "f", &u), -EINVAL);
	assert_int_equal(words_u64(&w, "e", &u), -ERANGE);
	assert_int_equal(words_u64(&w, "h", &u), -ERANGE);
	assert_int_equal(u, 77);
	assert_int_equal(words_u64(&w, "d", &u), 0);
	assert_true(u == UINT64_MAX);
	assert_int_equal(words_u64(&w, "i", &u), 0);
	assert_int_equal(u, 0);
	words_fini(&w);
}

static void reads_lists(void **state)
{
	static const char *const bad[] = { "a", "b", "c", "d", "e", "g" };
	int64_t out[3] = { 9, 9, 9 };
	struct words w;
	size_t n = 3;

	assert_int_equal(
	    parse(&w, "DONE a=1, b=,1 c=1,,2 d=1,x e=nan,1 f=5,-6,9223372036854775807 h=1,2,3,4 i="
		      " g=000000000000000000000000000000000000001 j=1,9223372036854775808 k=7"),
	    0);
	for (size_t i = 0; i < N_ELEMENTS(bad); i++)
		assert_int_equal(words_list(&w, bad[i], out, &n), -EINVAL);
	assert_int_equal(words_list(&w, "h", out, &n), -ERANGE);
	assert_int_equal(words_list(&w, "j", out, &n), -ERANGE);
	assert_int_equal(words_list(&w, "z", out, &n), -ENOENT);
	assert_int_equal(n, 3);
	assert_true(out[0] == 9 && out[1] == 9 && out[2] == 9);
	assert_int_equal(words_list(&w, "f", out, &n), 0);
	assert_int_equal(n, 3);
	assert_true(out[0] == 5 && out[1] == -6 && out[2] == INT64_MAX);
	assert_int_equal(words_list(&w, "k", out, &n), 0);
	assert_int_equal(n, 1);
	assert_int_equal(out[0], 7);
	assert_int_equal(words_list(&w, "i", out, &n), 0);
	assert_int_equal(n, 0);
	assert_int_equal(words_list(&w, "k", out, &n), -ERANGE); /* no room at all */
	words_fini(&w);
}

static void reads_hex(void **state)
{
	static const uint8_t want[] = { 0x00, 0xff, 0xa9 };
	uint8_t out[4] = { 1, 1, 1, 1 };
	struct words w;
	size_t n = 42;

	assert_int_equal(parse(&w, "IDENT a=00ffA9 b=00f c=0g d=0011223344 e= f=00112233"), 0);
	assert_int_equal(words_hex(&w, "b", out, 4, &n), -EINVAL);
	assert_int_equal(words_hex(&w, "c", out, 4, &n), -EINVAL);
	assert_int_equal(words_hex(&w, "d", out, 4, &n), -ERANGE);
	assert_int_equal(words_hex(&w, "z", out, 4, &n), -ENOENT);
	assert_int_equal(n, 42);
	assert_int_equal(out[0], 1);
	assert_int_equal(words_hex(&w, "a", out, 4, &n), 0);
	assert_int_equal(n, 3);
	assert_memory_equal(out, want, 3);
	assert_int_equal(words_hex(&w, "f", out, 4, &n), 0);
	assert_int_equal(n, 4);
	assert_int_equal(words_hex(&w, "e", out, 0, &n), 0);
	assert_int_equal(n, 0);
	words_fini(&w);
}

/* Whatever the bytes: an answer, no crash (the sanitizers watch), and the empty state after a
 * refusal. */
static void hostile_bytes(void **state)
{
	static const char alphabet[] = "A b=%0F,\xff\nz.";
	uint64_t seed = 88172645463325252ULL;
	char data[48];
	struct words w;
	size_t len;
	int rc;

	for (int round = 0; round < 20000; round++) {
		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		len = seed % sizeof(data);
		for (size_t i = 0; i < len; i++)
			data[i] = alphabet[(seed >> (i % 50)) * (i + 1) % (sizeof(alphabet) - 1)];
		if (len > 5 && round % 2)
			memcpy(data, "AA b=", 5);
		rc = words_parse(&w, data, len);
		assert_true(rc == 0 || rc == -EBADMSG);
		assert_true(rc == 0 || !w.copy);
		words_fini(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_what_the_protocol_says),
		cmocka_unit_test(plain_bytes_stay_as_they_are),
		cmocka_unit_test(every_byte_but_nul_comes_back),
		cmocka_unit_test(key_of_ours_that_is_none_spoils_the_message),
		cmocka_unit_test(parses_by_hand),
		cmocka_unit_test(refuses_what_is_not_of_the_form),
		cmocka_unit_test(number_of_pairs_is_bounded),
		cmocka_unit_test(size_is_bounded),
		cmocka_unit_test(reads_numbers_whole_or_not),
		cmocka_unit_test(reads_lists),
		cmocka_unit_test(reads_hex),
		cmocka_unit_test(hostile_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
