import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isHiddenByRule, readHidingRules } from './hiding-rules.ts';

const hides = (css: string, attributes: Record<string, string>, tag = 'p'): boolean =>
  isHiddenByRule(tag, attributes, readHidingRules([css]));

describe('rules that hide', () => {
  const cases: [css: string, attributes: Record<string, string>, hidden: boolean][] = [
    ['.x{display:none}', { class: 'x' }, true],
    ['.x{display:none}', { class: 'xy' }, false],
    ['#x { visibility : hidden }', { id: 'x' }, true],
    ['a, .x, b { color: red; display: none !important }', { class: 'y x' }, true],
    ['p.x{display:none}', { class: 'x' }, true],
    ['div.x{display:none}', { class: 'x' }, false],
    ['.x.y{display:none}', { class: 'x' }, false],
    ['.x.y{display:none}', { class: 'y x' }, true],
    ['/* .x{} */ .x{display:none}', { class: 'x' }, true],
    ['/* .x{display:none}', { class: 'x' }, false],
    ['@import "a.css"; .x{display:none}', { class: 'x' }, true],
    ['@font-face{src:url(a)} .x{display:none}', { class: 'x' }, true],
    ['@media print{.x{display:none}}', { class: 'x' }, false],
    ['@media (max-width:40em){.x{display:none}}', { class: 'x' }, false],
    ['.x{display:none} @media (min-width:40em){.x{display:block}}', { class: 'x' }, false],
    ['.x{display:none} @media print{.x{display:block}}', { class: 'x' }, true],
    ['.x{display:none} .x.open{display:block}', { class: 'x' }, false],
    ['.x{display:none} .open .x{display:block}', { class: 'x' }, false],
    ['.x{display:none} .x .inner{display:block}', { class: 'x' }, true],
    ['.x{display:none} .active{display:block}', { class: 'x active' }, false],
    ['.box .x{display:none}', { class: 'x' }, false],
    ['.x:hover{display:none}', { class: 'x' }, false],
    ['.x{display:none', { class: 'x' }, true],
    ['.y{color:red; .x{display:none}} .z{display:none}', { class: 'x' }, false],
    ['.y{color:red; .x{color:red}} .z{display:none}', { class: 'z' }, true],
  ];
  for (const [css, attributes, hidden] of cases)
    test(`${css} on ${JSON.stringify(attributes)}`, () => assert.equal(hides(css, attributes), hidden));
});
