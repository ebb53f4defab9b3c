/** Escapes text for HTML. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/** Renders names and values as a list; pairs without a value are left out, addresses become links. */
export function renderFacts(facts: readonly (readonly [name: string, value: string])[]): string {
  const items = facts.flatMap(([name, value]) => {
    if (value === '') return [];
    const shown = escapeHtml(value);
    const isAddress = /^https?:\/\/\S+$/.test(value);
    return [`<li>${escapeHtml(name)}: ${isAddress ? `<a href="${shown}">${shown}</a>` : shown}</li>`];
  });
  return items.length === 0 ? '' : `<ul>${items.join('')}</ul>`;
}

/** Renders plain text as paragraphs that keep their line breaks. */
export function renderParagraphs(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .split(/\n{2,}/)
    .map((part) => `<p>${escapeHtml(part.trim()).replaceAll('\n', '<br>')}</p>`)
    .join('');
}
