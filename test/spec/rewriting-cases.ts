import { type Case, each, sending, served } from './spec-case.ts';

const send = sending();
const REWRITTEN: [page: string, read: string][] = [
  [
    'https://github.com/owner/repo/blob/main/src/a.ts',
    'https://raw.githubusercontent.com/owner/repo/main/src/a.ts',
  ],
  [
    'https://www.github.com/owner/repo/blob/main/README.md',
    'https://raw.githubusercontent.com/owner/repo/main/README.md',
  ],
  ['https://gitlab.com/group/repo/-/blob/main/a.md', 'https://gitlab.com/group/repo/-/raw/main/a.md'],
  ['https://bitbucket.org/owner/repo/src/main/a.md', 'https://bitbucket.org/owner/repo/raw/main/a.md'],
  [
    'https://codeberg.org/owner/repo/src/branch/main/a.md',
    'https://codeberg.org/owner/repo/raw/branch/main/a.md',
  ],
  ['https://arxiv.org/pdf/2401.00001', 'https://arxiv.org/html/2401.00001'],
  ['https://arxiv.org/pdf/2401.00001v2', 'https://arxiv.org/html/2401.00001v2'],
  ['https://arxiv.org/pdf/2401.00001.pdf', 'https://arxiv.org/html/2401.00001'],
  [
    'https://huggingface.co/owner/model/blob/main/README.md',
    'https://huggingface.co/owner/model/raw/main/README.md',
  ],
  ['https://gitlab.com/group/repo/blob/main/a.md', 'https://gitlab.com/group/repo/-/raw/main/a.md'],
];
const KEPT = [
  'https://github.com/owner/repo',
  'https://github.com/owner/repo/issues/1',
  'https://example.org/owner/repo/blob/main/a.ts',
  'https://arxiv.org/abs/2401.00001',
];

/** Which address is read in place of a page; the network answers with the address that it was asked for. */
export const REWRITING_CASES: Case[] = [
  ...each(REWRITTEN, ([page, read], n) =>
    send(
      `RW01.${n}`,
      `${page} is read as ${read}`,
      { path: `/r/${page}` },
      served(1, { text: new RegExp(`Asked for ${read}(?:\\s|$)`) }),
    ),
  ),
  ...each(REWRITTEN.slice(0, 6), ([page, read], n) =>
    send(
      `RW02.${n}`,
      `contents read ${page} as ${read}`,
      { path: '/v1/contents', body: { urls: [page] } },
      served(1, { text: new RegExp(`Asked for ${read}(?:\\\\n|")`) }),
    ),
  ),
  ...each(KEPT, (page, n) =>
    send(
      `RW03.${n}`,
      `${page} is read as it is`,
      { path: `/r/${page}` },
      served(1, { text: new RegExp(`Asked for ${page}(?:\\s|$)`) }),
    ),
  ),
];
