/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * page.js - what the page of heddle show does (html.c puts it there, with the data)
 *
 * One event is the current one, `at`: the slider, the buttons, a click and the arrow keys move it. What comes behind
 * it in the schedule is faint; the source is at its line. Names in the data come from a trace and from source files:
 * they only ever become text of nodes, never markup.
 */
(function () {
'use strict';

const data = JSON.parse(document.getElementById('data').textContent);
const events = data.events, first = data.first, lanes = data.threads;
const KINDS = [
	['po', 'program order', true],
	['rf', 'reads-from', true],
	['mo', 'modification order', false],
	['fr', 'from-reads', false],
	['sw', 'synchronises-with', true],
	['hb', 'happens-before', false],
];
const LINE = 13, LEFT = 44, TITLES = 50, TOP = 10, CHARACTER = 7.3, SVG = 'http://www.w3.org/2000/svg';
const view = document.getElementById('view');
const laneWidth = Math.max(170, Math.min(310, Math.floor(640 / lanes.length)));
const boxWidth = laneWidth - 40, room = Math.floor((boxWidth - 12) / CHARACTER);
/* All boxes have two lines where one does not hold what every event is. */
const tall = events.some((e) => Array.from(shortText(e)).length > room);
const BOX = tall ? 25 + LINE : 25, ROW = BOX + 13;
const boxes = [], arrows = [], lines = new Map(), on = {};
let at = 0, timer = null, slider, said, details, tip, playButton;

/* ---- Nodes ----------------------------------------------------------------------------------- */

function node(name, properties, ...children)
{
	const n = document.createElement(name);

	for (const key in properties || {})
		n.setAttribute(key, properties[key]);
	n.append(...children);
	return n;
}

function drawn(name, properties, ...children)
{
	const n = document.createElementNS(SVG, name);

	for (const key in properties)
		n.setAttribute(key, properties[key]);
	n.append(...children);
	return n;
}

/* An event by its number among all; undefined where it is left out. */
function eventOf(number)
{
	return events[number - first];
}

function siteOf(e)
{
	const place = e.line ? e.file + ':' + e.line : e.code || '';

	return e.function ? place + ' ' + e.function : place;
}

/* ---- The picture ------------------------------------------------------------------------------ */

function centre(i)
{
	return { x: LEFT + events[i].lane * laneWidth + laneWidth / 2, y: TOP + i * ROW + BOX / 2 };
}

function fitted(text)
{
	const characters = Array.from(text);

	return characters.length > room ? characters.slice(0, room - 1).join('') + '…' : text;
}

/* The words that fit, and, in a second line, the others as far as they do. */
function linesOf(e, text)
{
	const words = text.split(' ');
	const where = e.location ? text.indexOf(' ' + e.location) : -1;
	let first = words.shift();

	if (!tall || Array.from(text).length <= room)
		return [fitted(text)];
	/* The location and what is done there, if the first line holds the rest. */
	if (where > 0 && where <= room && text.length - where - 1 <= room)
		return [text.slice(0, where), text.slice(where + 1)];
	while (words.length && Array.from(first + ' ' + words[0]).length <= room)
		first += ' ' + words.shift();
	return [fitted(first), fitted(words.join(' '))].filter(Boolean);
}

/* What it reads from is drawn. */
function shortText(e)
{
	const text = e.text.replace(/ \((from \d+\.\d+|initial)\)$/, '');

	if (e.kind === 'access' || e.kind === 'says')
		return e.name + ': ' + text;
	return e.kind === 'operation' ? e.name + ' ' + text : '✗ ' + text;
}

function label(e)
{
	const parts = [e.name + ' ' + e.text, lanes[e.lane].title, siteOf(e), e.source];

	if (e.bug)
		parts.unshift('bug');
	return parts.filter(Boolean).join(', ');
}

function drawBox(e, i)
{
	const c = centre(i);
	const g = drawn('g', {
		'class': 'event ' + e.kind + (e.bug ? ' bug' : ''), 'data-event': i, role: 'option',
		tabindex: -1, 'aria-label': label(e),
	});

	g.append(drawn('rect', { x: c.x - boxWidth / 2, y: c.y - BOX / 2, width: boxWidth, height: BOX, rx: 6 }));
	linesOf(e, shortText(e)).forEach((line, n, all) => g.append(drawn('text', {
		x: c.x - boxWidth / 2 + 7, y: c.y + 4 + (n - (all.length - 1) / 2) * LINE,
	}, line)));
	g.addEventListener('click', () => move(i, true));
	g.addEventListener('mouseenter', (pointer) => showTip(e, pointer));
	g.addEventListener('mousemove', placeTip);
	g.addEventListener('mouseleave', () => { tip.hidden = true; });
	boxes.push(g);
	return g;
}

/* Beside each other where two events have several edges. */
function pathOf(from, to, kind)
{
	const a = centre(from), b = centre(to), shift = (kind - 2.5) * 3;
	const side = b.x > a.x ? 1 : -1, half = boxWidth / 2;

	if (kind === 0)
		return `M${a.x},${a.y + BOX / 2}L${b.x},${b.y - BOX / 2 - 1}`;
	if (a.x !== b.x) {
		const x1 = a.x + side * half, x2 = b.x - side * (half + 1), bend = side * Math.min(60, laneWidth / 3);

		return `M${x1},${a.y + shift}C${x1 + bend},${a.y + shift} ${x2 - bend},${b.y + shift} ${x2},${b.y + shift}`;
	}
	const x = a.x + half, bulge = Math.min(20, 10 + Math.abs(to - from));

	return `M${x},${a.y + shift}C${x + bulge},${a.y + shift} ${x + bulge},${b.y + shift} ${x + 1},${b.y + shift}`;
}

function drawEdges(svg)
{
	KINDS.forEach(([kind, meaning], k) => {
		for (const [from, to] of data.edges[kind]) {
			const a = eventOf(from), b = eventOf(to);

			if (!a || !b)
				continue;
			const path = drawn('path', {
				'class': 'edge ' + kind, d: pathOf(from - first, to - first, k),
				'marker-end': `url(#head-${kind})`,
			});

			path.append(drawn('title', {}, `${a.name} → ${b.name}: ${meaning}`));
			svg.append(path);
			arrows.push({ path, kind, from: from - first, to: to - first });
		}
	});
}

function drawHeads(svg)
{
	const defs = drawn('defs', {});

	for (const [kind] of KINDS)
		defs.append(drawn('marker', {
			id: 'head-' + kind, 'class': 'head ' + kind, viewBox: '0 0 8 8', refX: 7, refY: 4,
			markerWidth: 7, markerHeight: 7, markerUnits: 'userSpaceOnUse', orient: 'auto-start-reverse',
		}, drawn('path', { d: 'M0,0L8,4L0,8z' })));
	svg.append(defs);
}

/* Whose lane is which stays to be seen above a long picture. */
function drawTitles(width)
{
	const svg = drawn('svg', { 'class': 'titles', width, height: TITLES, viewBox: `0 0 ${width} ${TITLES}` });

	lanes.forEach((lane, l) => {
		const x = LEFT + l * laneWidth;

		svg.append(drawn('rect', { 'class': 'head', x: x + 4, y: 4, width: laneWidth - 8, height: TITLES, rx: 8 }));
		svg.append(drawn('text', { 'class': 'lane-name', x: x + 16, y: 24 }, lane.title));
		svg.append(drawn('text', { 'class': 'lane-from', x: x + 16, y: 41 },
			fitted((lane['function'] || '') + (lane.created ? ' (created by ' + lane.created + ')' : ''))));
	});
	return svg;
}

function drawLanes(svg, height)
{
	lanes.forEach((lane, l) => svg.append(drawn('rect', {
		'class': 'lane', x: LEFT + l * laneWidth + 4, y: -8, width: laneWidth - 8, height: height + 4, rx: 8,
	})));
}

function drawPicture()
{
	const width = LEFT + lanes.length * laneWidth + 4, height = TOP + events.length * ROW + 8;
	const svg = drawn('svg', {
		width, height, viewBox: `0 0 ${width} ${height}`, role: 'listbox',
		'aria-label': 'The execution, one lane for each thread, in the order in which it was executed',
	});

	drawHeads(svg);
	drawLanes(svg, height);
	events.forEach((e, i) =>
		svg.append(drawn('text', { 'class': 'number', x: LEFT - 10, y: centre(i).y + 4 }, String(first + i + 1))));
	drawEdges(svg);
	events.forEach((e, i) => svg.append(drawBox(e, i)));
	svg.addEventListener('keydown', onKey);
	return [drawTitles(width), svg];
}

/* ---- What is said of an event ------------------------------------------------------------------ */

function facts(e)
{
	const list = [];
	const add = (name, value) => value !== undefined && value !== '' && list.push([name, String(value)]);

	add('event', e.kind === 'fails' || e.kind === 'waits' ? e.name + ', at its end' : e.name);
	add('thread', lanes[e.lane].title);
	add(e.kind === 'says' ? 'says' : 'does', e.text);
	add('location', e.location);
	add('bytes', e.size);
	add('order', e.order);
	add('read', e.read);
	add('wrote', e.wrote);
	if (e.from)
		add('reads from', e.from + (e.synchronises === false ? ', which does not happen before it' : ''));
	add('at', siteOf(e));
	return list;
}

function fill(into, e)
{
	const list = node('dl', {});

	for (const [name, value] of facts(e))
		list.append(node('dt', {}, name), node('dd', {}, value));
	into.replaceChildren(list);
	if (e.source)
		into.append(node('pre', { 'class': 'line' }, e.source));
}

function showTip(e, pointer)
{
	fill(tip, e);
	tip.hidden = false;
	placeTip(pointer);
}

function placeTip(pointer)
{
	const x = Math.min(pointer.clientX + 16, window.innerWidth - tip.offsetWidth - 8);
	const y = Math.min(pointer.clientY + 16, window.innerHeight - tip.offsetHeight - 8);

	tip.style.left = Math.max(4, x) + 'px';
	tip.style.top = Math.max(4, y) + 'px';
}

/* ---- The source -------------------------------------------------------------------------------- */

function key(path, line)
{
	return line + ':' + path;
}

/* First the files that the bug is in, last those of the system. */
function rank(file)
{
	if (data.bug.sides.some((side) => side.path === file.path))
		return 0;
	return file.path.startsWith('/usr/') ? 2 : 1;
}

function drawSource()
{
	const pane = node('section', { 'class': 'source', 'aria-label': 'Source', tabindex: 0 });

	for (const file of data.files.slice().sort((a, b) => rank(a) - rank(b))) {
		const table = node('table', {});
		let before = 0;

		for (const [number, text] of file.lines) {
			if (before && number !== before + 1)
				table.append(node('tr', { 'class': 'gap' }, node('td', { colspan: 3 }, '⋯')));
			before = number;
			const who = node('td', { 'class': 'who' });
			const row = node('tr', {}, who, node('td', { 'class': 'number' }, String(number)),
				node('td', { 'class': 'code' }, text));

			lines.set(key(file.path, number), { row, who });
			table.append(row);
		}
		if (file.lines.length)
			pane.append(node('h3', {}, file.path), table);
	}
	for (const side of data.bug.sides) {
		const line = lines.get(key(side.path, side.line));

		if (line)
			line.row.classList.add('side');
	}
	if (!pane.firstChild)
		pane.append(node('p', {}, 'The source is not shown: it is not there, or may not be.'));
	return pane;
}

/* Where each thread is, and the line of the current event. */
function markSource(pane)
{
	const last = new Map();

	for (const { row, who } of lines.values()) {
		row.classList.remove('here');
		who.textContent = '';
	}
	for (let i = 0; i <= at; i++)
		last.set(events[i].lane, events[i]);
	for (const [lane, e] of last) {
		const line = lines.get(key(e.path, e.line));

		if (line)
			line.who.textContent += (line.who.textContent ? ' ' : '') + lanes[lane].name;
	}
	const here = lines.get(key(events[at].path, events[at].line));

	if (!here)
		return;
	here.row.classList.add('here');
	const y = here.row.getBoundingClientRect().top - pane.getBoundingClientRect().top;

	if (y < 40 || y > pane.clientHeight - 40)
		pane.scrollTop += y - pane.clientHeight / 2;
}

/* ---- The current event ------------------------------------------------------------------------- */

/* Is event i one that happens before j, or j itself? */
function before(i, j)
{
	return events[j].clock[events[i].lane] >= i + first;
}

function paint()
{
	boxes.forEach((g, i) => {
		const names = g.classList;

		names.toggle('later', i > at);
		names.toggle('current', i === at);
		names.toggle('before', on.hb && i !== at && before(i, at));
		names.toggle('after', on.hb && i !== at && before(at, i));
		g.setAttribute('tabindex', i === at ? 0 : -1);
		g.setAttribute('aria-selected', i === at);
	});
	for (const a of arrows) {
		a.path.classList.toggle('off', !on[a.kind]);
		a.path.classList.toggle('later', a.to > at);
		a.path.classList.toggle('near', a.to === at || a.from === at);
	}
}

function move(i, focus)
{
	const pane = document.querySelector('.source');

	at = Math.max(0, Math.min(events.length - 1, i));
	slider.value = at;
	slider.setAttribute('aria-valuetext', label(events[at]));
	said.textContent = `${first + at + 1} of ${first + events.length}: ${events[at].name} ${events[at].text}`;
	fill(details, events[at]);
	paint();
	markSource(pane);
	if (focus)
		boxes[at].focus({ preventScroll: true });
	reveal();
}

/* The picture has a scroll bar of its own: the current event comes to where it can be seen. */
function reveal()
{
	const pane = document.querySelector('.picture'), margin = 70;
	const box = boxes[at].getBoundingClientRect(), frame = pane.getBoundingClientRect();

	if (box.top < frame.top + margin || box.bottom > frame.top + pane.clientHeight - margin)
		pane.scrollTop += box.top - frame.top - pane.clientHeight / 2;
	if (box.left < frame.left + margin || box.right > frame.left + pane.clientWidth)
		pane.scrollLeft += box.left - frame.left - (pane.clientWidth - box.width) / 2;
}

/* The nearest event in the lane beside it. */
function beside(step)
{
	for (let l = events[at].lane + step; l >= 0 && l < lanes.length; l += step) {
		let best = -1;

		events.forEach((e, i) => {
			if (e.lane === l && (best < 0 || Math.abs(i - at) < Math.abs(best - at)))
				best = i;
		});
		if (best >= 0)
			return best;
	}
	return at;
}

function onKey(pressed)
{
	const keys = {
		ArrowDown: () => at + 1, ArrowUp: () => at - 1, ArrowLeft: () => beside(-1), ArrowRight: () => beside(1),
		Home: () => 0, End: () => events.length - 1,
	};

	if (!keys[pressed.key] || pressed.ctrlKey || pressed.altKey || pressed.metaKey)
		return;
	pressed.preventDefault();
	move(keys[pressed.key](), true);
}

/* ---- What moves it ----------------------------------------------------------------------------- */

function stop()
{
	clearInterval(timer);
	timer = null;
	playButton.textContent = 'Play';
}

function play()
{
	if (timer)
		return stop();
	if (at === events.length - 1)
		move(0);
	playButton.textContent = 'Pause';
	timer = setInterval(() => {
		move(at + 1);
		if (at === events.length - 1)
			stop();
	}, 700);
}

function button(text, name, act)
{
	const b = node('button', { type: 'button', 'aria-label': name }, text);

	b.addEventListener('click', act);
	return b;
}

function drawPlayer()
{
	slider = node('input', { type: 'range', min: 0, max: events.length - 1, step: 1, 'aria-label': 'Step of the schedule' });
	slider.addEventListener('input', () => move(Number(slider.value)));
	said = node('output', { 'aria-live': 'polite' });
	playButton = button('Play', 'Play the schedule', play);
	return node('div', { 'class': 'player' }, playButton, button('◀', 'One step back', () => move(at - 1)),
		button('▶', 'One step on', () => move(at + 1)), slider, said);
}

function drawSwitches()
{
	const set = node('fieldset', {}, node('legend', {}, 'Edges'));

	for (const [kind, meaning, shown] of KINDS) {
		const box = node('input', { type: 'checkbox', id: 'show-' + kind });
		const count = data.edges[kind].length;
		const swatch = drawn('svg', { 'class': 'swatch', width: 26, height: 10, 'aria-hidden': true },
			drawn('path', { 'class': 'edge ' + kind, d: 'M1,5L25,5' }));

		box.checked = on[kind] = shown && count > 0;
		box.disabled = !count;
		box.addEventListener('change', () => { on[kind] = box.checked; paint(); });
		set.append(node('label', { title: meaning + ': ' + count }, box, swatch, kind, node('small', {}, meaning)));
	}
	return set;
}

function start()
{
	const picture = node('section', { 'class': 'picture', 'aria-label': 'Execution' });

	tip = node('div', { 'class': 'tip', hidden: '' });
	details = node('section', { 'class': 'details', 'aria-label': 'Current event' });
	view.append(node('div', { 'class': 'tools' }, drawSwitches(), drawPlayer()),
		node('div', { 'class': 'panes' }, picture, node('aside', {}, details, drawSource())), tip);
	picture.append(...drawPicture());
	for (const link of document.querySelectorAll('a[data-event]'))
		link.addEventListener('click', (click) => {
			click.preventDefault();
			move(Number(link.dataset.event) - first, true);
		});
	move(events.length - 1);
}

if (events.length)
	start();
})();
