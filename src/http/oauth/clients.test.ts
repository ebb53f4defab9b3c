import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFetchFailure } from '../../contract/errors.ts';
import type { FetchedResponse } from '../../platform/net/fetch-types.ts';
import { createClientFinder, hasRedirect } from './clients.ts';

const ID = 'https://app.example/client.json';
const DOCUMENT = {
  client_id: ID,
  client_name: 'Notes',
  redirect_uris: ['https://app.example/cb'],
  grant_types: ['authorization_code'],
};

/** Finds a client whose document is answered as given. */
async function findWith(answer: Partial<FetchedResponse> | 'fails', id = ID) {
  const asked: string[] = [];
  const find = createClientFinder({
    signClient: (text) => text,
    readClient: () => null,
    fetchDocument: async ({ url }) => {
      asked.push(url);
      if (answer === 'fails') throw createFetchFailure('connect', 'away');
      const body = new TextEncoder().encode(JSON.stringify(DOCUMENT));
      return { url, status: 200, headers: {}, redirects: [], body, ...answer };
    },
  });
  const client = await find(id);
  await find(id);
  return { client, asked };
}

const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

test('a document describes its client, and is fetched once', async () => {
  const { client, asked } = await findWith({});
  assert.deepEqual(client, {
    id: ID,
    name: 'Notes',
    redirectUris: ['https://app.example/cb'],
    host: 'app.example',
  });
  assert.deepEqual(asked, [ID]);
});

test('a document that is not the client’s own is none', async () => {
  const wrong: (Partial<FetchedResponse> | 'fails')[] = [
    'fails',
    { status: 404 },
    { redirects: [{ url: ID, headers: {} }] },
    { body: encode('text') },
    { body: new TextEncoder().encode('{') },
    { body: encode({ ...DOCUMENT, client_id: 'https://other.example/client.json' }) },
    { body: encode({ ...DOCUMENT, redirect_uris: ['javascript:alert(1)'] }) },
    { body: encode({ client_id: ID }) },
  ];
  for (const answer of wrong) assert.equal((await findWith(answer)).client, null, JSON.stringify(answer));
  for (const id of [
    'https://app.example',
    'https://app.example/',
    `${ID}#x`,
    'https://app.example/a/../client.json',
  ])
    assert.deepEqual(await findWith({}, id), { client: null, asked: [] }, id);
});

test('a redirect on this machine may have another port, and nothing else may differ', () => {
  const client = { id: 'x', name: 'x', host: null, redirectUris: ['http://127.0.0.1/cb', 'notes://cb'] };
  assert.ok(hasRedirect(client, 'http://127.0.0.1:5123/cb'));
  assert.ok(hasRedirect(client, 'notes://cb'));
  for (const asked of [
    'http://127.0.0.1:5123/other',
    'http://localhost/cb',
    'https://127.0.0.1/cb',
    'notes://other',
  ])
    assert.equal(hasRedirect(client, asked), false, asked);
});
