import { lowerPriority, serveCalls } from '../../platform/threads/serve-calls.ts';
import type { IndexedPage } from '../local-index-types.ts';
import { type PreparerCalls, preparePage } from './prepare-page.ts';

/* Prepares pages for writing in its own thread. Searches have priority: otherwise an import would take all cores. */
lowerPriority();
serveCalls({ prepare: (pages: IndexedPage[]) => pages.map(preparePage) } satisfies PreparerCalls);
