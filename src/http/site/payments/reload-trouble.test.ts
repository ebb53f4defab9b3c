import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AutoReload } from '../../../billing/payments/auto-reload.ts';
import { renderReloadError } from './reload-fieldset.ts';

const settings: AutoReload = {
  enabled: false,
  threshold: 1_000,
  pack: 'builder',
  capCents: 50_000,
  spentThisMonthCents: 0,
  lastError: null,
  hasCard: true,
  card: null,
};

test('shows nothing without an error', () => {
  assert.equal(renderReloadError(settings), null);
});

test('a known code is put into words, an unknown one is shown unchanged', () => {
  assert.match(
    renderReloadError({ ...settings, lastError: 'expired_card' })?.text ?? '',
    /failed: the card has expired\. Auto-reload is now off\./,
  );
  assert.match(
    renderReloadError({ ...settings, enabled: true, lastError: '<odd>' })?.text ?? '',
    /failed: &lt;odd&gt;\.<\/p>/,
  );
});
