import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rewriteUrl } from './rewrite-url.ts';

const CASES: [url: string, read: string[]][] = [
  [
    'https://github.com/o/r/blob/main/src/a%20b.ts',
    ['https://raw.githubusercontent.com/o/r/main/src/a%20b.ts'],
  ],
  [
    'https://www.github.com/o/r/blame/v1.0/README.md',
    ['https://raw.githubusercontent.com/o/r/v1.0/README.md'],
  ],
  [
    'https://github.com/o/r/blob/feature/x/a.py?plain=1',
    ['https://raw.githubusercontent.com/o/r/feature/x/a.py'],
  ],
  ['https://github.com/o/r', ['https://github.com/o/r']],
  ['https://github.com/o/r/tree/main/src', ['https://github.com/o/r/tree/main/src']],
  ['https://github.com.evil.example/o/r/blob/main/a', ['https://github.com.evil.example/o/r/blob/main/a']],
  [
    'https://gist.github.com/me/0123456789abcdef0123',
    [
      'https://gist.githubusercontent.com/me/0123456789abcdef0123/raw',
      'https://gist.github.com/me/0123456789abcdef0123',
    ],
  ],
  ['https://gist.github.com/me/starred', ['https://gist.github.com/me/starred']],
  [
    'https://gitlab.com/g/sub/r/-/blob/main/a/b.rs',
    ['https://gitlab.com/g/sub/r/-/raw/main/a/b.rs', 'https://gitlab.com/g/sub/r/-/blob/main/a/b.rs'],
  ],
  [
    'https://git.example.org/g/r/-/blob/v2/x.c#L10',
    ['https://git.example.org/g/r/-/raw/v2/x.c', 'https://git.example.org/g/r/-/blob/v2/x.c#L10'],
  ],
  [
    'https://gitlab.com/g/sub/r/blob/main/a/b.rs',
    ['https://gitlab.com/g/sub/r/-/raw/main/a/b.rs', 'https://gitlab.com/g/sub/r/blob/main/a/b.rs'],
  ],
  [
    'https://gitlab.gnome.org/GNOME/glib/blob/2.80.0/README.md?ref_type=tags',
    [
      'https://gitlab.gnome.org/GNOME/glib/-/raw/2.80.0/README.md',
      'https://gitlab.gnome.org/GNOME/glib/blob/2.80.0/README.md?ref_type=tags',
    ],
  ],
  ['https://gitlab.com/blob/r', ['https://gitlab.com/blob/r']],
  ['https://gitlab.com/g/blob/main/a', ['https://gitlab.com/g/blob/main/a']],
  ['https://example.org/g/r/blob/main/a', ['https://example.org/g/r/blob/main/a']],
  [
    'https://huggingface.co/o/model/blob/main/config.json',
    [
      'https://huggingface.co/o/model/raw/main/config.json',
      'https://huggingface.co/o/model/blob/main/config.json',
    ],
  ],
  [
    'https://hf.co/datasets/o/data/blob/v1.0/dir/README.md',
    [
      'https://huggingface.co/datasets/o/data/raw/v1.0/dir/README.md',
      'https://hf.co/datasets/o/data/blob/v1.0/dir/README.md',
    ],
  ],
  [
    'https://huggingface.co/spaces/o/app/blob/main/app.py',
    [
      'https://huggingface.co/spaces/o/app/raw/main/app.py',
      'https://huggingface.co/spaces/o/app/blob/main/app.py',
    ],
  ],
  [
    'https://huggingface.co/gpt2/blob/main/README.md',
    ['https://huggingface.co/gpt2/raw/main/README.md', 'https://huggingface.co/gpt2/blob/main/README.md'],
  ],
  ['https://huggingface.co/o/model/tree/main', ['https://huggingface.co/o/model/tree/main']],
  ['https://huggingface.co/blog/a', ['https://huggingface.co/blog/a']],
  [
    'https://www.biorxiv.org/content/10.1101/2020.01.02.123456v2.full.pdf',
    [
      'https://www.biorxiv.org/content/10.1101/2020.01.02.123456v2.full',
      'https://www.biorxiv.org/content/10.1101/2020.01.02.123456v2',
    ],
  ],
  [
    'https://medrxiv.org/content/10.1101/2020.01.02.20012345v1.full.pdf+html',
    [
      'https://www.medrxiv.org/content/10.1101/2020.01.02.20012345v1.full',
      'https://www.medrxiv.org/content/10.1101/2020.01.02.20012345v1',
    ],
  ],
  [
    'https://www.biorxiv.org/content/biorxiv/early/2020/01/02/2020.01.01.123456.full.pdf?download=1',
    [
      'https://www.biorxiv.org/content/biorxiv/early/2020/01/02/2020.01.01.123456.full',
      'https://www.biorxiv.org/content/biorxiv/early/2020/01/02/2020.01.01.123456',
    ],
  ],
  [
    'https://www.biorxiv.org/content/10.1101/2020.01.02.123456v2.full',
    ['https://www.biorxiv.org/content/10.1101/2020.01.02.123456v2.full'],
  ],
  ['https://www.biorxiv.org/about.pdf', ['https://www.biorxiv.org/about.pdf']],
  [
    'https://biorxiv.org.evil.example/content/a.full.pdf',
    ['https://biorxiv.org.evil.example/content/a.full.pdf'],
  ],
  ['https://gitlab.com/g/r/-/issues/4', ['https://gitlab.com/g/r/-/issues/4']],
  [
    'https://bitbucket.org/o/r/src/master/a.txt',
    ['https://bitbucket.org/o/r/raw/master/a.txt', 'https://bitbucket.org/o/r/src/master/a.txt'],
  ],
  ['https://bitbucket.org/o/r/src/master/', ['https://bitbucket.org/o/r/src/master/']],
  [
    'https://codeberg.org/o/r/src/branch/main/LICENSE',
    ['https://codeberg.org/o/r/raw/branch/main/LICENSE', 'https://codeberg.org/o/r/src/branch/main/LICENSE'],
  ],
  [
    'https://forge.example.org/o/r/src/tag/v1/go.mod',
    ['https://forge.example.org/o/r/raw/tag/v1/go.mod', 'https://forge.example.org/o/r/src/tag/v1/go.mod'],
  ],
  ['https://example.org/o/r/src/branch/main/folder', ['https://example.org/o/r/src/branch/main/folder']],
  [
    'https://git.sr.ht/~u/r/tree/master/item/src/a.c',
    ['https://git.sr.ht/~u/r/blob/master/src/a.c', 'https://git.sr.ht/~u/r/tree/master/item/src/a.c'],
  ],
  [
    'https://arxiv.org/pdf/2301.00001v2.pdf',
    ['https://arxiv.org/html/2301.00001v2', 'https://arxiv.org/abs/2301.00001v2'],
  ],
  [
    'https://www.arxiv.org/pdf/2301.00001',
    ['https://arxiv.org/html/2301.00001', 'https://arxiv.org/abs/2301.00001'],
  ],
  [
    'https://arxiv.org/pdf/hep-th/9901001',
    ['https://arxiv.org/html/hep-th/9901001', 'https://arxiv.org/abs/hep-th/9901001'],
  ],
  ['https://arxiv.org/abs/2301.00001', ['https://arxiv.org/abs/2301.00001']],
  ['https://example.org/pdf/2301.00001', ['https://example.org/pdf/2301.00001']],
];

for (const [url, read] of CASES)
  test(`${url} is read from ${read[0]}`, () => assert.deepEqual(rewriteUrl(url), read));
