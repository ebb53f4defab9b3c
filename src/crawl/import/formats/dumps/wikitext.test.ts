import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { convertWikitext } from './wikitext.ts';

describe('convertWikitext', () => {
  const cases: [what: string, wikitext: string, markdown: string][] = [
    [
      'headings and lists',
      '== Habits ==\n* wades\n** runs\n# first',
      '## Habits\n- wades\n  - runs\n1. first',
    ],
    ['links by their text', 'A [[Calidris alba|sanderling]] and [[surf]].', 'A sanderling and surf.'],
    [
      'templates, tables and references left out',
      "{{Infobox|a={{b}}}}'''Knot'''<ref>x</ref> {| c |}",
      '**Knot**',
    ],
    [
      'brackets that are never closed take nothing with them',
      'Before {{open and after.',
      'Before open and after.',
    ],
  ];
  for (const [what, wikitext, markdown] of cases)
    test(what, () => assert.equal(convertWikitext(wikitext), markdown));
});
