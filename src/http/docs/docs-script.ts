import { loadScript } from '../site/assets.ts';

/** Filters the list of the documentation, and tries operations on their pages. */
export const DOCS_SCRIPT = loadScript(new URL('docs.js', import.meta.url));
