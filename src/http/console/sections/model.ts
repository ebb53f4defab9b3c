import assert from 'node:assert/strict';
import type { WriterState } from '../../../writing/writer.ts';
import { formatNumber } from '../../site/amounts.ts';
import { type Html, html } from '../../site/html.ts';
import { renderCodeBlock } from '../../site/shell/parts.ts';
import { formatMilliseconds, formatPercent, renderBadge, renderFigures } from '../parts/controls.ts';
import type { Section } from '../section.ts';

const MODES: Record<WriterState['jsonMode'], string> = {
  schema: 'by a JSON schema',
  object: 'as a JSON object, without a schema',
  text: 'as text: the server offers no JSON mode',
};

/** GET /admin/model: the operator's model: whether it answers, how fast, in which JSON mode, and what was spent today. */
export const modelSection: Section = {
  path: '/admin/model',
  name: 'Model',
  actions: {},
  async show({ writer }) {
    assert(writer, 'the page exists only where a model is set');
    const state = await writer.state();
    const { name, url, today, tokensPerDay, lastMs, jsonMode } = state;
    return {
      main: html`<p class="lead"><strong>${name}</strong> at <span class="address">${url}</span> writes answers, summaries, values and reports. Only what the pages prove is delivered.</p>
${renderFigures([
  { name: 'State', value: renderState(state) },
  { name: 'Last reply', value: formatMilliseconds(lastMs), note: 'of this process' },
  { name: 'Calls today', value: formatNumber(today.calls), note: 'of all processes, in UTC' },
  {
    name: 'Tokens today',
    value: formatNumber(today.tokens),
    note: `${formatPercent(today.tokens / tokensPerDay)} of ${formatNumber(tokensPerDay)} (MODEL_TOKENS_PER_DAY)`,
  },
])}
<p>It replies ${MODES[jsonMode]}.</p>
${renderCodeBlock({ id: 'model-command', label: 'Ask it one small question', code: 'npm run sanderling -- doctor' })}`,
    };
  },
};

function renderState({ breaker, lastMs, today, tokensPerDay }: WriterState): Html {
  if (today.tokens >= tokensPerDay) return renderBadge('no tokens left today', 'warn');
  if (breaker === 'open') return renderBadge('failing, left alone for a while', 'alarm');
  if (breaker !== 'closed') return renderBadge('being tried', 'warn');
  return lastMs === null ? renderBadge('not asked yet', 'plain') : renderBadge('answers', 'good');
}
