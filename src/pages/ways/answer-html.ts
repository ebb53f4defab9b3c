/** Text as HTML. */
export function htmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/** Names with their values as a list; those without a value are left out, addresses become links. */
export function factsHtml(facts: readonly (readonly [name: string, value: string])[]): string {
  const items = facts.flatMap(([name, value]) => {
    if (value === '') return [];
    const shown = htmlText(value);
    const isAddress = /^https?:\/\/\S+$/.test(value);
    return [`<li>${htmlText(name)}: ${isAddress ? `<a href="${shown}">${shown}</a>` : shown}</li>`];
  });
  return items.length === 0 ? '' : `<ul>${items.join('')}</ul>`;
}

/** Plain text as paragraphs that keep their line breaks. */
export function paragraphsHtml(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .split(/\n{2,}/)
    .map((part) => `<p>${htmlText(part.trim()).replaceAll('\n', '<br>')}</p>`)
    .join('');
}
