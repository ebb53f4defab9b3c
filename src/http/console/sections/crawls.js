/** Shows how far crawls and imports are, as the server reports it. */
const events = new EventSource('/admin/crawls/events');

events.addEventListener('runs', ({ data }) => {
  for (const { id, state, counts } of JSON.parse(data)) {
    const cells = document.querySelectorAll(`[data-run="${id}"]`);
    if (cells.length === 0) continue;
    for (const cell of cells) {
      const { state: shown, count } = cell.dataset;
      // Other buttons belong to another state.
      if (shown !== undefined && shown !== state && !isTyping()) location.reload();
      if (count !== undefined) cell.textContent = counts[count]?.toLocaleString('en') ?? '–';
    }
  }
});

function isTyping() {
  return document.activeElement?.matches('input') ?? false;
}
