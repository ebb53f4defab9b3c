// Comfort for the documentation: the list filters as one types, and an operation is tried on its page.
const field = document.querySelector('.docs-search input');
const list = field?.closest('nav');

field?.addEventListener('input', () => {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const item of list.querySelectorAll('li[data-words]'))
    item.hidden = !words.every((word) => item.dataset.words.includes(word));
  for (const group of list.querySelectorAll('[data-group]'))
    group.hidden = !group.querySelector('li:not([hidden])');
});

function requestOf(form) {
  const keyField = form.querySelector('[data-key]');
  const body = form.querySelector('[data-body]')?.value;
  const query = new URLSearchParams(
    [...form.elements]
      .filter(({ name, value, dataset }) => name && value && !('key' in dataset) && !('body' in dataset))
      .map(({ name, value }) => [name, value]),
  );
  const { try: address, method } = form.dataset;
  return [
    query.size === 0 ? address : `${address}?${query}`,
    {
      method,
      headers: {
        ...(keyField?.value && { [keyField.dataset.key]: keyField.value }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
    },
  ];
}

async function send(form) {
  const panel = form.querySelector('.try-answer');
  const status = panel.querySelector('[data-status]');
  const answer = panel.querySelector('[data-answer]');
  panel.hidden = false;
  status.textContent = 'Waiting for the answer …';
  answer.textContent = '';
  const began = performance.now();
  try {
    const response = await fetch(...requestOf(form));
    const text = await response.text();
    const left = response.headers.get(form.dataset.left ?? '-');
    const ms = Math.round(performance.now() - began);
    status.textContent = `${response.status} in ${ms} ms${left === null ? '' : `, ${left} left`}`;
    answer.textContent = shown(text);
  } catch {
    status.textContent = 'No answer: the server cannot be reached.';
  }
}

function shown(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

for (const form of document.querySelectorAll('form[data-try]'))
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    send(form);
  });
