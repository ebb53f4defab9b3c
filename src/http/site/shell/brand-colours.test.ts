import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { computeContrast, DARK_GROUND, deriveBrandColours, LIGHT_GROUND } from './site.ts';

describe('deriveBrandColours', () => {
  test('every colour becomes readable on both grounds, and under the text of a button', () => {
    for (const colour of ['#000000', '#ffffff', '#ffdd00', '#0b6470', '#ff0000', '#7f7f7f', '#00ff88']) {
      const { light, dark } = deriveBrandColours(colour);
      assert.ok(computeContrast(light, LIGHT_GROUND) >= 4.5, `${colour} in light: ${light}`);
      assert.ok(computeContrast(light, '#ffffff') >= 4.5, `${colour} under white: ${light}`);
      assert.ok(computeContrast(dark, DARK_GROUND) >= 4.5, `${colour} in dark: ${dark}`);
      assert.ok(computeContrast(dark, '#08191b') >= 4.5, `${colour} under dark text: ${dark}`);
    }
  });

  test('a colour that is readable stays as it is', () => {
    assert.equal(deriveBrandColours('#0b6470').light, '#0b6470');
    assert.equal(deriveBrandColours('#6fd0d6').dark, '#6fd0d6');
  });

  test('the grounds are those of the style sheet', () => {
    const tokens = readFileSync(new URL('../style/tokens.css', import.meta.url), 'utf8');
    const grounds = [...tokens.matchAll(/--ground: (#\w+)/g)].map(([, ground]) => ground);
    assert.deepEqual(grounds, [LIGHT_GROUND, DARK_GROUND]);
  });

  test('the contrast is that of WCAG', () => {
    assert.equal(computeContrast('#000000', '#ffffff'), 21);
    assert.equal(computeContrast('#777777', '#ffffff').toFixed(2), '4.48');
  });
});
