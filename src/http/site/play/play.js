// Says that a call is under way, keeps it from being sent twice, and lets "/" lead to the search box.
document.addEventListener('submit', (event) => {
  const form = event.target;
  const button = event.submitter ?? form.querySelector('button');
  if (!form.matches('form.search') || !button) return;
  if (form.dataset.sent) {
    event.preventDefault();
    return;
  }
  form.dataset.sent = 'yes';
  button.dataset.name = button.textContent;
  button.setAttribute('aria-busy', 'true');
  button.textContent = 'Working…';
});
// Going back shows the page as it was left.
window.addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form.search[data-sent]')) {
    delete form.dataset.sent;
    for (const button of form.querySelectorAll('[aria-busy]')) {
      button.removeAttribute('aria-busy');
      button.textContent = button.dataset.name;
    }
  }
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.closest('input, textarea, select')) return;
  const box = [...document.querySelectorAll('form.search input')].find((input) => input.offsetParent);
  if (!box) return;
  event.preventDefault();
  box.focus();
});
