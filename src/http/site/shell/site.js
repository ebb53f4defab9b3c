// Comfort for every page: buttons that copy. Without scripts they stay invisible.
const NOTE_MS = 2_000;

async function copyText(source) {
  try {
    await navigator.clipboard.writeText(source.textContent);
    return true;
  } catch {
    // No permission, or a page without TLS: the old API copies the selection.
    getSelection().selectAllChildren(source);
    return document.execCommand('copy');
  }
}

document.documentElement.classList.add('scripted');
document.addEventListener('click', async (event) => {
  const button = event.target.closest?.('button[data-copy]');
  const source = button && document.getElementById(button.dataset.copy);
  if (!source) return;
  button.dataset.name ??= button.textContent;
  button.textContent = (await copyText(source)) ? 'Copied' : 'Press Ctrl+C';
  setTimeout(() => {
    button.textContent = button.dataset.name;
  }, NOTE_MS);
});
