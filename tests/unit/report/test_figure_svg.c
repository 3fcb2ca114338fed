/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of gnuplot's SVG inside a page, and what is refused. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/attr.h"
#include "base/buf.h"
#include "report/figure_svg.h"

#define HEAD "<svg \n viewBox=\"0 0 760 300\"\n xmlns=\"http://www.w3.org/2000/svg\"\n>\n"

static int fit(const char *svg, struct buf *out)
{
	return figure_svg(svg, strlen(svg), "pic", "A \"picture\" of <a> & b", out);
}

static void test_picture(void **state)
{
	static const char in[] =
	    "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!DOCTYPE svg>\n" HEAD
	    "<title>name</title>\n<desc>Produced by GNUPLOT</desc>\n"
	    "<g id=\"gnuplot_canvas\">\n<rect x=\"0\" y=\"0\" width=\"760\" height=\"300\" "
	    "fill=\"none\"/>\n<defs>\n<circle id='gpDot' r='0.5'/>\n"
	    "<filter id='textbox'><feFlood flood-color='#FFFFFF'/></filter>\n</defs>\n"
	    "<g fill=\"none\" color=\"black\">\n</g>\n"
	    "<path stroke='rgb(  0, 114, 178)'  d='M1,2 L3,4'/>"
	    "<path stroke='rgb( 17, 34, 51)' d='M1,2'/>"
	    "<use xlink:href='#gpDot' color='rgb( 26,  26,  26)'/>\n"
	    "<g fill=\"black\" font-family=\"sans-serif:Bold\"><text>5 &lt; 6 > 2</text></g>\n"
	    "</g></svg>\n";
	static const char want[] =
	    "<svg class=\"chart\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 300\" "
	    "width=\"100%\" font-family=\"sans-serif\" role=\"img\" "
	    "aria-label=\"A &#34;picture&#34; of &#60;a&#62; &#38; b\">"
	    "<g id=\"pic-gnuplot_canvas\"><defs><circle id='pic-gpDot' r='0.5'/></defs>"
	    "<path stroke='var(--chart-1,#0072b2)' d='M1,2 L3,4'/>"
	    "<path stroke='#112233' d='M1,2'/>"
	    "<use href='#pic-gpDot' color='currentColor'/>"
	    "<g fill=\"currentColor\" font-weight=\"600\"><text>5 &lt; 6 > 2</text></g>"
	    "</g></svg>\n";
	struct buf out = { 0 };

	(void)state;
	assert_int_equal(fit(in, &out), 0);
	assert_string_equal(buf_text(&out), want);
	buf_fini(&out);
}

static void test_refused(void **state)
{
	static const char *const bad[] = {
		HEAD "<script>alert(1)</script></svg>",
		HEAD "<g onload=\"alert(1)\"><path d='M0,0'/></g></svg>",
		HEAD "<use xlink:href='http://example.com/#x'/></svg>",
		HEAD "<image href='#x'/></svg>",
		HEAD "<a href='#x'>y</a></svg>",
		HEAD "<rect fill='url(http://example.com)'/></svg>",
		HEAD "<path d='M0,0'", /* gnuplot died */
		HEAD "<path d='M0,0'/>",
		HEAD "<title>never ends",
		HEAD "<!-- never ends",
		"<svg><path d='M0,0'/></svg>", /* no size */
		"<path d='<script>'/></svg>",
		"",
		"no picture",
	};
	struct buf out = { 0 };

	(void)state;
	for (size_t i = 0; i < N_ELEMENTS(bad); i++) {
		int rc = fit(bad[i], &out);

		if (rc != -EBADMSG)
			fail_msg("%s: %d", bad[i], rc);
		assert_int_equal(out.len, 0);
	}
	assert_int_equal(figure_svg("<svg viewBox=\"0 0 1 1\">\0</svg>", 30, "n", "", &out),
			 -EBADMSG);
	buf_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_picture),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
