import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hasSecret } from './secret-in-address.ts';

const SECRET = [
  'https://user:pass@e.org/',
  'https://user@e.org/',
  'https://e.org/doc?token=abc',
  'https://e.org/doc?a=1&access_token=abc',
  'https://e.org/doc?accessToken=abc',
  'https://e.org/doc?auth[token]=abc',
  'https://e.org/doc?sig=abc',
  'https://e.org/doc?Signature=abc&Expires=1',
  'https://e.org/doc?key=abc',
  'https://e.org/doc?api-key=abc',
  'https://e.org/doc?auth=abc',
  'https://e.org/doc?code=abc',
  'https://e.org/doc?jwt=abc',
  'https://e.org/doc?password=abc',
  'https://e.org/doc?PHPSESSID=abc',
  'https://e.org/doc?sid=abc',
  'https://e.org/doc;jsessionid=1A2B?x=1',
  'https://e.org/doc#access_token=abc',
  'https://s3.e.org/doc?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=60',
  'https://storage.e.org/doc?X-Goog-Date=20260101T000000Z',
  'https://a.blob.e.org/doc?sv=2024-01-01&se=2026-01-01&sp=r&sr=b',
  'https://cdn.e.org/doc?Expires=1700000000&Key-Pair-Id=K2',
  'https://e.org/doc?h=9f86d081884c7d659a2feaa0c55ad015',
  'https://e.org/doc?x=3f2b8c1e-6a4d-4b7f-9c0e-1d2a3b4c5d6e',
  'https://e.org/doc?x=dGhpcyBpcyBh0HNlY3JldCB2YWx1ZQ4',
  'https://e.org/doc?x=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln',
  'https://e.org/in/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln',
  'https://e.org/reset/9f86d081884c7d659a2feaa0c55ad015',
  'https://e.org/s/aB3dE6gH1jK4mN7pQ0sT',
];

const OPEN = [
  'https://e.org/',
  'https://e.org/doc?page=2&lang=en&sort=price',
  'https://e.org/doc?id=1234567890123456789012345',
  'https://e.org/doc?date=2026-01-01T00:00:00Z',
  'https://e.org/doc?title=How_To_Make_The_Best_Bread_In_2026',
  'https://e.org/search?q=iphone-15-pro-max-vs-galaxy-s24-ultra-2026',
  'https://e.org/search?q=how+to+sign+a+token',
  'https://e.org/watch?v=dQw4w9WgXcQ',
  'https://e.org/doc?fbclid=IwAR3x9Yb2Kf81sQz0aLm4Vt7Gh5Jp6Dn8Rc1We2Xu',
  'https://e.org/repo/commit/9f86d081884c7d659a2feaa0c55ad0159f86d081',
  'https://e.org/news/3f2b8c1e-6a4d-4b7f-9c0e-1d2a3b4c5d6e',
  'https://e.org/share/how-to-bake',
  'https://e.org/token/introduction-to-access-tokens',
  'https://e.org/doc?sp=1',
  'not an address',
];

describe('an address with a secret', () => {
  for (const url of SECRET) test(url, () => assert.equal(hasSecret(url), true));
});

describe('an address without one', () => {
  for (const url of OPEN) test(url, () => assert.equal(hasSecret(url), false));
});
