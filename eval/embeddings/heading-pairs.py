"""Writes each heading of HTML manuals with the text below it: heading-pairs.py FOLDER OUT.

FOLDER holds unpacked documentation packages (usr/share/doc/PACKAGE/...). A line of OUT is [heading, text, title, package].
"""
import html
import json
import os
import random
import re
import sys

PAIRS_PER_PACKAGE_MAX = 6000
FILE_BYTES_MAX = 600_000
TEXT_CHARS = 700
SKIPPED = re.compile(r'genindex|search\.html|_modules|/annotated|class-?index')
DROPPED = re.compile(r'<(?:script|style)\b.*?</(?:script|style)>|<!--.*?-->', re.S | re.I)
HEADING = re.compile(r'<h([1-6])\b[^>]*>(.*?)</h\1>|<dt\b[^>]*>(.*?)</dt>', re.S | re.I)
TITLE = re.compile(r'<title[^>]*>(.*?)</title>', re.S | re.I)


def plain(markup):
    text = html.unescape(re.sub(r'<[^>]+>', ' ', markup))
    return re.sub(r'\s+', ' ', text).strip().replace('\u00b6', '')


def pairs_of(page):
    title = TITLE.search(page)
    headings = list(HEADING.finditer(page))
    for place, heading in enumerate(headings):
        # Terms of definition lists are many and short.
        if heading.group(3) is not None and random.random() > 0.3:
            continue
        end = headings[place + 1].start() if place + 1 < len(headings) else len(page)
        name = re.sub(r'^[\d.]+\s+', '', plain(heading.group(2) or heading.group(3) or ''))
        text = plain(page[heading.end():min(end, heading.end() + 6000)])[:TEXT_CHARS]
        if 8 <= len(name) <= 150 and len(text) > 120:
            yield name, text, plain(title.group(1))[:120] if title else ''


def main(folder, out):
    random.seed(1)
    files = [os.path.join(root, name) for root, _, names in os.walk(folder) for name in names if name.endswith('.html')]
    files = sorted(path for path in files if not SKIPPED.search(path) and os.path.getsize(path) <= FILE_BYTES_MAX)
    random.shuffle(files)
    counts = {}
    with open(out, 'w') as lines:
        for path in files:
            package = os.path.relpath(path, folder).removeprefix('usr/share/doc/').split(os.sep)[0]
            with open(path, encoding='utf8', errors='replace') as page:
                for pair in pairs_of(DROPPED.sub(' ', page.read())):
                    if counts.get(package, 0) >= PAIRS_PER_PACKAGE_MAX:
                        break
                    counts[package] = counts.get(package, 0) + 1
                    lines.write(json.dumps([*pair, package]) + '\n')
    print(sum(counts.values()), 'pairs of', len(counts), 'packages')


main(*sys.argv[1:])
