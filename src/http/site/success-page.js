// The proof leaves the address, so that it stands in no history and no screenshot; this tab alone keeps it for a reload.
const PROOF = 'sanderling-success';
let isFirstLook = false;
if (location.search !== '') {
  const given = new URLSearchParams(location.search);
  const proof = new URLSearchParams({ session_id: given.get('session_id'), n: given.get('n') }).toString();
  try {
    isFirstLook = sessionStorage.getItem(PROOF) !== proof;
    sessionStorage.setItem(PROOF, proof);
  } catch {
    // Storage is switched off: a reload then tells how to come back.
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
    // No permission, or a page without TLS: the old way needs a selection.
    getSelection().selectAllChildren(key);
    return document.execCommand('copy');
  }
}

if (key && button && status) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    status.textContent = (await copyKey()) ? 'Copied.' : 'The key is selected: press Ctrl+C or ⌘C.';
  });
  // Where the browser allows it without a click; never again over what was copied since.
  if (isFirstLook)
    navigator.clipboard?.writeText(key.textContent).then(
      () => {
        status.textContent = 'Copied to the clipboard.';
      },
      () => {},
    );
}
