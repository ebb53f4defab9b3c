import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { extractHtml } from '../extract-html.ts';

const metas: [meta: string, index: boolean, follow: boolean][] = [
  ['<meta name="robots" content="noindex">', false, true],
  ['<META NAME="ROBOTS" CONTENT="NOINDEX,NOFOLLOW">', false, false],
  ['<meta content=none name=robots>', false, false],
  ['<meta name="robots" content="index"><meta name="robots" content="noindex;nofollow">', false, false],
  ['<meta name="Sanderling" content="noindex">', false, true],
  ['<meta http-equiv="X-Robots-Tag" content="noindex">', false, true],
  ['<meta name="otherbot" content="noindex">', true, true],
  ['<meta name="robots" content="noarchive, max-snippet:20">', true, true],
];

/** More open elements than the tree takes in; what follows them is in the source alone. */
const DEEP = '<div>'.repeat(3_000);

for (const [where, before] of [
  ['in the head', ''],
  ['behind more elements than are read', DEEP],
])
  describe(`robots meta ${where}`, () => {
    for (const [meta, index, follow] of metas)
      test(meta, () => {
        const { robots } = extractHtml(`<html>${before}${meta}<p>Text</p></html>`, 'https://e.org/');
        assert.deepEqual(robots, { index, follow });
      });
  });
