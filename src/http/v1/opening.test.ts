import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import type { OpeningOptions } from '../../pages/open-page-types.ts';
import { buildOpening, openingFields } from './opening.ts';

const cases: [fields: object, opening: OpeningOptions | undefined][] = [
  [{}, undefined],
  [{ livecrawl: 'always' }, { freshMs: 0, copies: 'never' }],
  [{ livecrawl: 'preferred' }, { freshMs: 0 }],
  [{ livecrawl: 'never' }, { copies: 'only' }],
  [{ livecrawl: 'fallback' }, undefined],
  [{ livecrawl: 'auto' }, undefined],
  [{ livecrawl: 'a word of tomorrow' }, undefined],
  [{ livecrawl: true, livecrawlTimeout: 'soon', maxAgeHours: 'old' }, undefined],
  [{ maxAgeHours: 0 }, { freshMs: 0, copies: 'never' }],
  [{ maxAgeHours: -1 }, { copies: 'only' }],
  [{ maxAgeHours: 24 }, { freshMs: 86_400_000 }],
  [{ maxAgeHours: 24, livecrawl: 'never' }, { freshMs: 86_400_000 }],
  [{ livecrawlTimeout: 2_000 }, { timeoutMs: 2_000 }],
  [
    { livecrawlTimeout: 90_000, livecrawl: 'always' },
    { freshMs: 0, copies: 'never', timeoutMs: 15_000 },
  ],
  [{ livecrawlTimeout: -1 }, undefined],
];
for (const [fields, opening] of cases)
  test(JSON.stringify(fields), () =>
    assert.deepEqual(buildOpening(z.object(openingFields).parse(fields)), opening),
  );
