// Removes the credentials from the address, so that they appear in no history or screenshot; only this tab keeps them for a reload.
const STORED_AS = 'sanderling-success';
let isFirstLook = false;
if (location.search !== '') {
  const given = new URLSearchParams(location.search);
  const credentials = new URLSearchParams({
    session_id: given.get('session_id'),
    n: given.get('n'),
  }).toString();
  try {
    isFirstLook = sessionStorage.getItem(STORED_AS) !== credentials;
    sessionStorage.setItem(STORED_AS, credentials);
  } catch {
    // Storage is off: after a reload the page says how to return.
  }
  history.replaceState(null, '', '/success');
}

const key = document.getElementById('key');
const button = document.getElementById('copy');
const status = document.getElementById('copied');

async function copyKey() {
  try {
    await navigator.clipboard.writeText(key.textContent);
    return true;
  } catch {
    // No permission, or a page without TLS: the old API copies the selection.
    getSelection().selectAllChildren(key);
    return document.execCommand('copy');
  }
}

if (key && button && status) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    status.textContent = (await copyKey()) ? 'Copied.' : 'The key is selected: press Ctrl+C or ⌘C.';
  });
  // Some browsers allow this without a click. Only on the first view, so as not to overwrite a later copy.
  if (isFirstLook)
    navigator.clipboard?.writeText(key.textContent).then(
      () => {
        status.textContent = 'Copied to the clipboard.';
      },
      () => {},
    );
}
