import { serveCalls } from '../../platform/threads/serve-calls.ts';
import type { IndexedPage } from '../local-index-types.ts';
import { type PreparerCalls, preparePage } from './prepare-page.ts';

/* Reads pages before they are written, in a thread of its own. */
serveCalls({ prepare: (pages: IndexedPage[]) => pages.map(preparePage) } satisfies PreparerCalls);
