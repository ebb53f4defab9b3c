// Searches while somebody types, and when a library, a version or a kind is chosen.
const form = document.querySelector('form.search');
const box = form.querySelector('input[name=q]');
const shown = document.querySelector('#passages');
const PAUSE_MS = 120;
let waiting;
let running;
async function searchNow() {
  running?.abort();
  running = new AbortController();
  const query = new URLSearchParams(new FormData(form));
  history.replaceState(null, '', `/libraries?${query}`);
  query.set('part', 'results');
  try {
    const answer = await fetch(`/libraries?${query}`, { signal: running.signal });
    // The server has escaped everything that is not its own markup.
    if (answer.ok) shown.innerHTML = await answer.text();
  } catch (error) {
    // The search of a newer letter has taken its place, or the server is away; the button still works.
    if (error.name !== 'AbortError' && !(error instanceof TypeError)) throw error;
  }
}
box.addEventListener('input', () => {
  clearTimeout(waiting);
  waiting = setTimeout(searchNow, PAUSE_MS);
});
form.addEventListener('change', ({ target }) => {
  // Another library has other versions, which the whole page shows.
  if (target.name === 'library') form.submit();
  else if (target !== box) searchNow();
});
