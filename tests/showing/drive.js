/* SPDX-License-Identifier: BSD-2-Clause */
/* What somebody does with the page of message.c, behind page.js; page.test reads what comes of it, a line for each. */
'use strict';
const driven = document.createElement('pre');
const tell = (what, value) => driven.append(`driven ${what}: ${value}\n`);
const current = () => document.querySelector('.event.current').getAttribute('aria-label').split(',')[0];
const visible = (kind) =>
	[...document.querySelectorAll('path.edge.' + kind)].filter((e) => getComputedStyle(e).display !== 'none' && e.closest('.picture')).length;
const marked = () =>
	[...document.querySelectorAll('tr')].filter((r) => r.querySelector('.who') && r.querySelector('.who').textContent)
		.map((r) => r.querySelector('.who').textContent + '@' + r.querySelector('.number').textContent).join(' ');
const slider = document.querySelector('input[type=range]');
const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
const named = (name) => [...document.querySelectorAll('button')].find((b) => b.getAttribute('aria-label') === name);

tell('first', current());
tell('lanes', document.querySelectorAll('rect.lane').length);
tell('titles', [...document.querySelectorAll('.titles .lane-name')].map((t) => t.textContent).join('; '));
tell('boxes', [...document.querySelectorAll('.event')].map((e) =>
	[...e.querySelectorAll('text')].map((t) => t.textContent).join(' / ')).join('; '));
tell('edges', `po ${visible('po')} rf ${visible('rf')} sw ${visible('sw')} hb ${visible('hb')}`);
document.getElementById('show-rf').click();
document.getElementById('show-hb').click();
tell('switched', `po ${visible('po')} rf ${visible('rf')} sw ${visible('sw')} hb ${visible('hb')}`);
slider.value = 2;
slider.dispatchEvent(new Event('input', { bubbles: true }));
tell('slid', `${current()}; ${document.querySelectorAll('.event.later').length} later; ${marked()}`);
tell('line', document.querySelector('tr.here .code').textContent.trim());
document.querySelectorAll('.event')[4].dispatchEvent(new MouseEvent('click', { bubbles: true }));
tell('clicked', `${current()}; ${document.activeElement === document.querySelectorAll('.event')[4]}; ${slider.value}`);
tell('unordered', [...document.querySelectorAll('.event:not(.before):not(.current):not(.after)')]
	.map((e) => e.getAttribute('aria-label').split(',')[0]).join('; '));
press('ArrowUp');
tell('up', current());
press('ArrowLeft');
tell('left', current());
press('End');
tell('end', current());
press('Home');
tell('home', `${current()}; ${document.querySelectorAll('.event[tabindex="0"]').length} to be reached by Tab`);
named('One step on').click();
tell('step', current());
document.querySelector('a[data-event]').click();
tell('side', current());
document.querySelectorAll('.event')[2].dispatchEvent(new MouseEvent('mouseenter', { clientX: 30, clientY: 30 }));
tell('hover', document.querySelector('.tip').hidden ? 'nothing' :
	[...document.querySelectorAll('.tip dd, .tip pre')].map((e) => e.textContent).join(' | '));
document.querySelectorAll('.event')[2].dispatchEvent(new MouseEvent('mouseleave', {}));
tell('left', document.querySelector('.tip').hidden);
named('Play the schedule').click();
tell('plays', current() + ' ' + named('Play the schedule').textContent);
named('Play the schedule').click();
tell('scripts', document.scripts.length + ' ' + document.querySelectorAll('img, b, iframe').length);
document.body.append(driven);
