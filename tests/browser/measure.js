// SPDX-License-Identifier: Apache-2.0
// What a reader would trip over, measured inside a copy of a report (which itself has no script): posts a list of
// complaints to the page around it. Knows the report only as HTML.
'use strict';

const complaints = [];
const MOST = 12; // of one kind
const count = {};

function complain(kind, text) {
	count[kind] = (count[kind] || 0) + 1;
	if (count[kind] <= MOST)
		complaints.push(kind + ': ' + text.replace(/\s+/g, ' ').slice(0, 200));
}

function where(e) {
	const svg = e.closest('svg');
	const name = svg ? (svg.getAttribute('aria-label') || 'svg').slice(0, 40) : e.tagName.toLowerCase();
	return name + ' "' + e.textContent.trim().slice(0, 50) + '"';
}

// ---- colours ----

function channels(text) { // "rgb(1, 2, 3)", "rgba(...)"
	const n = (text.match(/[\d.]+/g) || []).map(Number);
	return n.length >= 3 ? {r: n[0], g: n[1], b: n[2], a: n.length > 3 ? n[3] : 1} : null;
}

function over(top, below) {
	const mix = k => top[k] * top.a + below[k] * (1 - top.a);
	return {r: mix('r'), g: mix('g'), b: mix('b'), a: 1};
}

function luminance(c) {
	const lin = v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
	return 0.2126 * lin(c.r) + 0.7152 * lin(c.g) + 0.0722 * lin(c.b);
}

function contrast(a, b) {
	const x = luminance(a), y = luminance(b);
	return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

function ground(e) {
	const layers = [];
	for (let p = e; p; p = p.parentElement) {
		const c = channels(getComputedStyle(p).backgroundColor);
		if (c && c.a > 0)
			layers.push(c);
		if (c && c.a === 1)
			break;
	}
	return layers.reverse().reduce((below, top) => over(top, below), {r: 255, g: 255, b: 255, a: 1});
}

function checkContrast(e, property) {
	const ink = channels(getComputedStyle(e)[property]);
	if (!ink || ink.a === 0)
		return;
	const back = ground(e), ratio = contrast(over(ink, back), back);
	if (ratio < 4.5)
		complain('contrast', ratio.toFixed(2) + ' of ' + where(e));
}

// ---- pictures ----

function shrink(r) { // the glyphs of a line are lower than its box
	const h = r.height * 0.18;
	return {left: r.left + 0.5, right: r.right - 0.5, top: r.top + h, bottom: r.bottom - h};
}

function overlap(a, b) {
	return Math.min(a.right, b.right) > Math.max(a.left, b.left) &&
		Math.min(a.bottom, b.bottom) > Math.max(a.top, b.top);
}

function checkPicture(svg) {
	const name = svg.getAttribute('aria-label') || '';
	const frame = svg.getBoundingClientRect();
	const texts = [...svg.querySelectorAll('text')].filter(t => t.textContent.trim());
	const boxes = texts.map(t => t.getBoundingClientRect());
	const scale = frame.width / svg.viewBox.baseVal.width;

	if (svg.getAttribute('role') !== 'img' || name.length < 10)
		complain('name', 'a picture without one: ' + svg.outerHTML.slice(0, 80));
	texts.forEach((t, i) => {
		const r = boxes[i], px = parseFloat(getComputedStyle(t).fontSize) * scale;
		if (r.left < frame.left - 1 || r.right > frame.right + 1 || r.top < frame.top - 1 ||
		    r.bottom > frame.bottom + 1)
			complain('cut', where(t));
		if (px < 8.5)
			complain('small', px.toFixed(1) + ' px: ' + where(t));
		checkContrast(t, 'fill');
		for (let k = 0; k < i; k++)
			if (overlap(shrink(r), shrink(boxes[k])))
				complain('overlap', where(t) + ' and "' + texts[k].textContent + '"');
	});
}

// ---- page ----

function checkText(e) {
	const own = [...e.childNodes].some(n => n.nodeType === Node.TEXT_NODE && n.data.trim());
	if (own && e.getClientRects().length > 0)
		checkContrast(e, 'color');
}

function checkCell(cell) {
	if (!cell.textContent.trim())
		return;
	const range = document.createRange();
	range.selectNodeContents(cell);
	const r = range.getBoundingClientRect(), c = cell.getBoundingClientRect();
	if (c.width > 0 && (r.right > c.right + 1 || r.left < c.left - 1))
		complain('cell', 'text leaves its cell: ' + where(cell));
}

// A column squeezed until its words break into letters.
function checkSqueezed(cell) {
	const style = getComputedStyle(cell), lines = cell.getClientRects().length ?
		cell.clientHeight / (parseFloat(style.lineHeight) || 1.5 * parseFloat(style.fontSize)) : 0;
	const longest = Math.max(...cell.textContent.split(/\s+/).map(w => w.length));
	if (cell.rowSpan === 1 && lines > 6 && cell.clientWidth < 4.5 * parseFloat(style.fontSize) && longest > 5)
		complain('squeezed', lines.toFixed(0) + ' lines: ' + where(cell));
}

function checkHeadings() {
	let level = 0;
	for (const h of document.querySelectorAll('h1,h2,h3,h4,h5,h6')) {
		const mine = Number(h.tagName[1]);
		if (mine > level + 1)
			complain('heading', 'h' + mine + ' after h' + level + ': ' + where(h));
		level = mine;
	}
	if (document.querySelectorAll('h1').length !== 1)
		complain('heading', 'not one h1');
}

function checkDocument() {
	const root = document.documentElement, ids = new Set();
	if (root.scrollWidth > root.clientWidth)
		complain('scroll', root.scrollWidth + ' px of page in ' + root.clientWidth);
	if (!root.lang || !document.title)
		complain('name', 'no language or no title');
	for (const e of document.querySelectorAll('[id]')) {
		if (ids.has(e.id))
			complain('id', 'twice: ' + e.id);
		ids.add(e.id);
	}
	for (const e of document.querySelectorAll('[href],[src]')) {
		const to = e.getAttribute('href') || e.getAttribute('src');
		if (to[0] !== '#')
			complain('outside', to);
		else if (!ids.has(to.slice(1)))
			complain('link', 'to nothing: ' + to);
	}
	for (const r of performance.getEntriesByType('resource'))
		complain('outside', r.name);
}

window.addEventListener('load', () => {
	checkDocument();
	checkHeadings();
	document.querySelectorAll('body *:not(script):not(style)').forEach(e => {
		if (!e.closest('svg'))
			checkText(e);
	});
	document.querySelectorAll('svg').forEach(checkPicture);
	document.querySelectorAll('td,th').forEach(checkCell);
	document.querySelectorAll('td,th').forEach(checkSqueezed);
	for (const kind of Object.keys(count))
		if (count[kind] > MOST)
			complaints.push(kind + ': ' + (count[kind] - MOST) + ' more');
	parent.postMessage({pictures: document.querySelectorAll('svg').length, complaints}, '*');
});
