import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extractLinkTexts } from './link-texts.ts';

const read = (markdown: string): Record<string, string[]> =>
  Object.fromEntries(extractLinkTexts({ url: 'https://docs.example/guide/start', markdown }));

test('links to other pages of the host are read by their canonical addresses', () => {
  assert.deepEqual(
    read(
      'See [*run* as another `user`](https://docs.example/become.html#how "Become") and [profiles](../profile/).',
    ),
    {
      'https://docs.example/become.html': ['run as another user'],
      'https://docs.example/profile': ['profiles'],
    },
  );
});

test('pictures, other hosts, the page itself, other schemes, numbers and steps name nothing', () => {
  const markdown = `![a picture](https://docs.example/a) [elsewhere](https://other.example/b) [itself](#part)
[write to us](mailto:a@docs.example) [1.2](https://docs.example/c) [Next](https://docs.example/d) [up](https://docs.example/e)`;
  assert.deepEqual(read(markdown), {});
});

test('a text counts once for a page, and so many texts', () => {
  const links = Array.from(
    { length: 40 },
    (_, place) => `[term number ${place % 20}](https://docs.example/x)`,
  );
  assert.deepEqual(
    read(links.join(' '))['https://docs.example/x'],
    Array.from({ length: 8 }, (_, place) => `term number ${place}`),
  );
});

test('a page of brackets is read in a moment', () => {
  assert.deepEqual(read('['.repeat(200_000) + ']('.repeat(100_000)), {});
});
