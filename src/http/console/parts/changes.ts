import type { TextChange } from '../../../text/changes/compare-texts.ts';
import { type Html, html } from '../../site/html.ts';
import { formatCount } from './controls.ts';

/** Changes on one page, and characters of each passage. */
const CHANGES_MAX = 200;
const PASSAGE_CHARS_MAX = 4_000;
const TITLES: Record<TextChange['kind'], string> = {
  added: 'Added',
  removed: 'Removed',
  changed: 'Changed',
  moved: 'Moved',
};

/** Renders how two texts of a page differ, block by block, with the words that changed marked. Noise is only counted. */
export function renderChanges(changes: readonly TextChange[]): Html {
  const meant = changes.filter(({ noise }) => noise === null);
  const noise = changes.length - meant.length;
  const rest = meant.length - CHANGES_MAX;
  return html`${meant.length === 0 && html`<p>Nothing has changed but noise.</p>`}${meant.slice(0, CHANGES_MAX).map(renderChange)}
${rest > 0 && html`<p class="notice">And ${formatCount(rest, 'further change')}.</p>`}${noise > 0 && html`<p class="quiet">${noise === 1 ? 'One change is' : `${noise} changes are`} noise, such as dates, counters and the order of lists.</p>`}`;
}

function renderChange({ kind, headingPath, before, after, words }: TextChange): Html {
  const place = headingPath.length === 0 ? '' : ` · ${headingPath.join(' › ')}`;
  const runs =
    words ??
    [before, after].flatMap((passage, at) =>
      passage === null || (kind === 'moved' && at === 0)
        ? []
        : [
            {
              kind:
                kind === 'moved' ? ('same' as const) : at === 0 ? ('removed' as const) : ('added' as const),
              text: passage.quote,
            },
          ],
    );
  return html`<div class="change"><p class="quiet">${TITLES[kind]}${place}</p><div class="passage" dir="auto">${runs.map(renderRun)}</div></div>`;
}

function renderRun({ kind, text }: { kind: 'same' | 'removed' | 'added'; text: string }): Html {
  const shown =
    text.length > PASSAGE_CHARS_MAX ? `${text.slice(0, PASSAGE_CHARS_MAX).toWellFormed()} […]` : text;
  if (kind === 'same') return html`${shown}`;
  return kind === 'removed' ? html`<del>${shown}</del>` : html`<ins>${shown}</ins>`;
}
