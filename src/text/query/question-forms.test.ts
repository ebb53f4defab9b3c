import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type AskedForm, detectAskedForms, matchesForm } from './question-forms.ts';

describe('detectAskedForms', () => {
  const asked: [string, AskedForm[]][] = [
    ['default port of the server', ['default']],
    ['how many clients can connect at once', ['limit']],
    ['what does the walrus operator do', ['definition']],
    ['since which version can it write JSON', ['version']],
    ['which exception does a missing key raise', ['outcome']],
    ['is the cache thread safe', ['choice']],
    ['where are the log files kept', ['place']],
    ['why is the file still large', ['reason']],
    ['カーネルの設定はどこにありますか', ['place']],
    ['下载的缓存默认保存多久', ['default']],
    ['sanderling breeding range', []],
  ];
  for (const [question, forms] of asked) {
    test(question, () => assert.deepEqual(detectAskedForms(question), forms));
  }
});

describe('matchesForm', () => {
  const held: [AskedForm, string, string][] = [
    ['default', 'Default: 300', 'The seconds until it is stale.'],
    ['limit', 'At most 64 tables.', 'A table is read in order.'],
    ['command', 'Run `make install`.', 'It is installed with the others.'],
    ['version', 'Available since version 3.1.', 'Available on all systems.'],
    ['outcome', 'Raises a KeyError.', 'Reads the key.'],
    ['place', 'Written to /var/log/mail.', 'Written once a day.'],
    ['reason', 'It waits because the lock is held.', 'It waits for the lock.'],
  ];
  for (const [form, yes, no] of held) {
    test(form, () => assert.deepEqual([matchesForm(yes, form), matchesForm(no, form)], [true, false]));
  }
});
