import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dayOf, readDay } from './read-day.ts';

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

test('every day of the calendar survives a round trip', () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date('1990-01-01'), max: new Date('2099-12-31'), noInvalidDate: true }),
      (date) => {
        const day = date.toISOString().slice(0, 10);
        assert.equal(dayOf(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()), day);
        assert.equal(readDay(`Posted ${day} by me`), day);
      },
    ),
  );
});

test('the last day of February is that of the calendar', () => {
  assert.equal(dayOf(2000, 2, 29), '2000-02-29');
  assert.equal(dayOf(2024, 2, 29), '2024-02-29');
  assert.equal(dayOf(2100, 2, 29), null);
  assert.equal(dayOf(2023, 2, 29), null);
});
