import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readDay, toIsoDay } from './read-day.ts';

const SAME_DAY = [
  '2024-05-06T23:59:00+02:00',
  '2024/5/6',
  '20240506',
  '20240506T1200',
  'Mon, 06 May 2024 10:00:00 GMT',
  '6th of May 2024',
  'May 6, 2024',
  '6. Mai 2024',
  '6 de mayo de 2024',
  '6 mai 2024',
  '6 maggio 2024',
  '6 мая 2024',
  '6 mei 2024',
  '6 maja 2024',
  '2024年5月6日',
  '06.05.2024',
  'Mon May 06 12:45:00 EDT 2024',
  'الاثنين، 06 مايو 2024 - 12:00',
  '6 Μαΐου 2024',
];
for (const text of SAME_DAY) test(`reads ${text}`, () => assert.equal(readDay(text), '2024-05-06'));

for (const text of [
  '',
  'May 2024',
  '2024',
  '31.02.2024',
  '99/99/2024',
  '12345678',
  '1.2.3',
  '13 foo 2024',
  '1850-01-01',
]) {
  test(`reads no day in "${text}"`, () => assert.equal(readDay(text), null));
}

const NO_DAYS = [
  'Release: 1.4.46',
  'Release 2023.10.1',
  'v2.10.12',
  'Version 10.12.11',
  'Python 3.11.02',
  'Python 3.11.12',
  'macOS 10.12.11',
  'v2023.10.01',
  'pip-2023.10.1',
  'pandas 2023.10.1rc1',
  '2023.10.1.4',
  '192.168.1.24',
  '10.12.11.4',
  '1.2.3.2004',
  '§ 1.4.46',
  'Section 12.10.11',
  'section 4.11.2012',
  '1.4-46',
  '2.10-12',
  'RFC 2026-05-06',
  'RFC 1990 May 12',
  'CVE-2019-10-11',
  '© 1998-99-01',
  'Copyright 2009-10-12',
  '(c) 2001-10-12',
];
for (const text of NO_DAYS)
  test(`reads no day in "${text}"`, () => {
    assert.equal(readDay(text), null);
    assert.equal(readDay(text, 'month-first'), null);
  });

const SHORT_YEARS: [text: string, day: string][] = [
  ['06.05.24', '2024-05-06'],
  ['am 06.05.24 um 12 Uhr', '2024-05-06'],
  ['Montag, 06.05.24', '2024-05-06'],
  ['Datum: 06.05.24', '2024-05-06'],
  ['06/05/24', '2024-05-06'],
  ['6/5/24', '2024-05-06'],
  ['06-05-24', '2024-05-06'],
  ['06.05.98', '1998-05-06'],
  ['Release: 06.05.2024', '2024-05-06'],
  ['Kiev 06.05.2024', '2024-05-06'],
  ['Version 3.1, 6 May 2024', '2024-05-06'],
];
for (const [text, day] of SHORT_YEARS) test(`reads ${text}`, () => assert.equal(readDay(text), day));

test('every day of the calendar survives a round trip', () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date('1990-01-01'), max: new Date('2099-12-31'), noInvalidDate: true }),
      (date) => {
        const day = date.toISOString().slice(0, 10);
        assert.equal(toIsoDay(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()), day);
        assert.equal(readDay(`Posted ${day} by me`), day);
      },
    ),
  );
});

test('the last day of February is that of the calendar', () => {
  assert.equal(toIsoDay(2000, 2, 29), '2000-02-29');
  assert.equal(toIsoDay(2024, 2, 29), '2024-02-29');
  assert.equal(toIsoDay(2100, 2, 29), null);
  assert.equal(toIsoDay(2023, 2, 29), null);
});

test('a year of two digits is one of this century, or of the last', () => {
  assert.equal(readDay('05.03.24'), '2024-03-05');
  assert.equal(readDay('03/05/07', 'month-first'), '2007-03-05');
  assert.equal(readDay('31-12-99'), '1999-12-31');
});
