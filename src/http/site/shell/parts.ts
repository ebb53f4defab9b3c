import { type Html, html } from '../html.ts';

/** Renders code with a button that copies it. `id` must be unique on the page. */
export function renderCodeBlock({ id, label, code }: { id: string; label: string; code: string }): Html {
  return html`<figure class="code">
<figcaption>${label}<button class="copy" type="button" data-copy="${id}" aria-label="Copy ${label}">Copy</button></figcaption>
<pre tabindex="0"><code id="${id}">${code}</code></pre>
</figure>`;
}

type Tab = { title: string; body: Html };

type Tabs = { name: string; legend: string; panels: Tab[]; open?: number };

/** Renders panels of which one is open, without a script: a group of radio buttons. `name` must be unique on the page. */
export function renderTabs({ name, legend, panels, open = 0 }: Tabs): Html {
  return html`<fieldset class="tabs"><legend class="hidden">${legend}</legend>
${panels.map(({ title, body }, place) => {
  const id = `${name}-${place + 1}`;
  return html`<input type="radio" name="${name}" id="${id}"${place === open && html` checked`}><label for="${id}">${title}</label><div class="tab-panel">${body}</div>
`;
})}</fieldset>`;
}

/** Renders the text that a list shows while it is empty. */
export function renderEmptyState({
  title,
  text,
  action,
}: {
  title: string;
  text: Html;
  action?: Html;
}): Html {
  return html`<div class="empty"><p class="title">${title}</p><div>${text}</div>${action ?? null}</div>`;
}
