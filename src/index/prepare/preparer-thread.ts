import { takeLowPriority } from '../../platform/threads/low-priority.ts';
import { serveCalls } from '../../platform/threads/serve-calls.ts';
import type { IndexedPage } from '../local-index-types.ts';
import { type PreparerCalls, preparePage } from './prepare-page.ts';

/* Reads pages before they are written, in a thread of its own. Searches go first: an import would else take all cores. */
takeLowPriority();
serveCalls({ prepare: (pages: IndexedPage[]) => pages.map(preparePage) } satisfies PreparerCalls);
