#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Is a page of heddle show what it should be, whatever the names in it?

  page.py PAGE JSON         the page, and the same execution by --format=json
  page.py --svg FILE TEXT   is there a title with that text in a picture?
"""
import html.parser
import json
import sys
import xml.dom.minidom

# Names as they are written in page.css, page.js and html.c: no others may be there before the script runs.
ALLOWED = {
    'html': {'lang'}, 'head': set(), 'meta': {'charset', 'http-equiv', 'content', 'name'}, 'title': set(),
    'style': set(), 'body': set(), 'header': set(), 'h1': set(), 'p': {'class'}, 'ul': set(), 'li': set(),
    'a': {'href', 'data-event'}, 'code': set(), 'noscript': set(), 'pre': set(), 'main': {'id'},
    'script': {'type', 'id'},
}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.text, self.wrong, self.counts = [], {}, [], {}

    def handle_starttag(self, tag, attrs):
        if tag not in ALLOWED:
            self.wrong.append(f'<{tag}>')
        for name, value in attrs:
            if name not in ALLOWED.get(tag, ()):
                self.wrong.append(f'{tag} {name}={value}')
            if name == 'href' and value != '#view':
                self.wrong.append(f'href {value}')
        self.counts[tag] = self.counts.get(tag, 0) + 1
        if tag != 'meta':
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f'</{tag}>')

    def handle_comment(self, data):
        self.wrong.append(f'<!--{data}-->')

    def handle_data(self, data):
        key = self.open[-1] if self.open else ''
        self.text[key] = self.text.get(key, '') + data
        if key == 'script':
            self.text.setdefault('scripts', []).append(data)


def check_page(path, as_json):
    with open(path, encoding='utf-8') as file:
        page = Page()
        page.feed(file.read())
    page.close()
    with open(as_json, encoding='ascii') as file:
        wanted = json.load(file)
    problems = list(page.wrong) + [f'<{tag}> is open' for tag in page.open]
    if page.counts.get('script') != 2 or page.counts.get('style') != 1:
        problems.append('not two scripts and a style sheet')
    if json.loads(page.text['scripts'][0]) != wanted:
        problems.append('the data is not that of --format=json')
    headline = wanted['bug']['headline']
    if page.text['h1'] != headline or page.text['title'] != headline + ' - heddle':
        problems.append(f"the headline is {page.text['h1']!r}, not {headline!r}")
    if page.text['code'].find(wanted['bug']['sides'][0]['file']) < 0:
        problems.append('the first side has no place')
    return problems


def check_svg(path, text):
    document = xml.dom.minidom.parse(path)
    titles = [a.getAttribute('xlink:title') for a in document.getElementsByTagName('a')]
    return [] if text in titles else [f'no {text!r} among {titles}']


def main(argv):
    problems = check_svg(*argv[2:]) if argv[1] == '--svg' else check_page(*argv[1:])
    print('\n'.join(problems))
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv))
