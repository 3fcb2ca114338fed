# SPDX-License-Identifier: Apache-2.0
"""Reads a page of `ncclbench report` as a parser does and says what is wrong with it: tags that do not
match, headings out of order, tables without captions or scopes, pictures without names, ids that occur
twice, scripts, anything fetched from outside. Not a validator of HTML in general."""

import re
import sys
import xml.etree.ElementTree
from html.parser import HTMLParser

VOID = {"meta", "link", "br", "img", "hr", "input"}


class Page(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.stack, self.wrong, self.ids, self.refs = [], [], [], []
        self.level, self.lang, self.title, self.main = 0, "", False, 0
        self.captions = self.tables = self.svg_depth = 0

    def say(self, what):
        self.wrong.append("line %d: %s" % (self.getpos()[0], what))

    def handle_startendtag(self, tag, attrs):
        self.see(tag, dict(attrs))

    def handle_starttag(self, tag, attrs):
        self.see(tag, dict(attrs))
        if tag not in VOID:
            self.stack.append(tag)

    def handle_endtag(self, tag):
        if not self.stack or self.stack[-1] != tag:
            self.say("</%s> closes %s" % (tag, self.stack[-1:]))
        else:
            self.stack.pop()

    def see(self, tag, a):
        if "id" in a:
            self.ids.append(a["id"])
        for key, value in a.items():
            if key.startswith("on"):
                self.say("attribute %s of <%s>" % (key, tag))
            if key in ("href", "src", "xlink:href") and not (value or "").startswith("#"):
                self.say("%s=%s goes outside" % (key, value))
            if key in ("aria-labelledby", "aria-describedby"):
                self.refs += (value or "").split()
            if key in ("href", "xlink:href") and (value or "").startswith("#"):
                self.refs.append(value[1:])
        if tag in ("script", "iframe", "object", "embed", "foreignobject", "b", "i"):
            self.say("<%s>" % tag)
        if tag == "html":
            self.lang = a.get("lang", "")
        if tag == "title":
            self.title = True
        if tag == "main":
            self.main += 1
        if re.fullmatch("h[1-6]", tag):
            if int(tag[1]) > self.level + 1:
                self.say("<%s> after level %d" % (tag, self.level))
            if tag == "h1" and self.level:
                self.say("a second <h1>")
            self.level = int(tag[1])
        if tag == "th" and a.get("scope") not in ("row", "col", "rowgroup"):
            self.say("<th> without scope")
        if tag == "table":
            self.tables += 1
        if tag == "caption":
            self.captions += 1
        if tag == "svg" and "svg" not in self.stack and not a.get("aria-label"):
            self.say("a picture without a name")
        if a.get("role") == "img" and not (a.get("aria-label") or a.get("aria-labelledby")):
            self.say("role img without a name")


def check(path, svgs_least):
    with open(path, "rb") as f:
        data = f.read()
    text = data.decode("utf-8")  # raises where it is not
    page = Page()
    page.feed(text)
    page.close()
    wrong = page.wrong
    if page.stack:
        wrong.append("never closed: %s" % page.stack)
    if page.lang != "en" or not page.title or page.main != 1:
        wrong.append("lang %r, title %s, %d main" % (page.lang, page.title, page.main))
    if page.captions != page.tables:
        wrong.append("%d tables, %d captions" % (page.tables, page.captions))
    for name in {i for i in page.ids if page.ids.count(i) > 1}:
        wrong.append("id %s twice" % name)
    wrong += ["nothing has the id %s" % r for r in set(page.refs) if r not in page.ids]
    if re.search("[\x00-\x08\x0b-\x1f\x7f\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]", text):
        wrong.append("control bytes or direction marks")
    svgs = re.findall(r"<svg.*?</svg>", text, re.S)
    if len(svgs) < svgs_least:
        wrong.append("%d pictures, %d wanted" % (len(svgs), svgs_least))
    for svg in svgs:
        xml.etree.ElementTree.fromstring(svg)  # raises where it is no XML
        if re.search(r"url\((?!#)", svg) or "<!ENTITY" in svg:
            wrong.append("a picture that fetches something")
    return wrong


def main():
    bad = 0
    for path in sys.argv[2:]:
        for line in check(path, int(sys.argv[1])):
            print("%s: %s" % (path, line))
            bad = 1
    return bad


sys.exit(main())
