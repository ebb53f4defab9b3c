import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { toAllowanceAddress, toFreeKeyNetwork } from './address-prefixes.ts';

/** An address, the address that its free requests count for, and the network that gets one free key. */
const ADDRESSES: [address: string, allowance: string, freeKey: string][] = [
  ['203.0.113.9', '203.0.113.9', '203.0.113.0/24'],
  ['203.0.113.255', '203.0.113.255', '203.0.113.0/24'],
  ['::ffff:203.0.113.9', '203.0.113.9', '203.0.113.0/24'],
  ['::ffff:cb00:7109', '203.0.113.9', '203.0.113.0/24'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['::1', '::/64', '::/48'],
  ['fe80::1%eth0', 'fe80::/64', 'fe80::/48'],
];

for (const [address, allowance, freeKey] of ADDRESSES) {
  test(address, () => {
    assert.equal(toAllowanceAddress(address), allowance);
    assert.equal(toFreeKeyNetwork(address), freeKey);
  });
}

test('IPv6 addresses share an allowance if their first 64 bits are equal, a free key if the first 48 are', () => {
  const groups = fc.array(fc.nat({ max: 0xffff }), { minLength: 8, maxLength: 8 });
  const written = (address: number[]): string => address.map((group) => group.toString(16)).join(':');
  fc.assert(
    fc.property(groups, fc.nat({ max: 127 }), (address, bit) => {
      // ::ffff:a.b.c.d is an IPv4 address.
      fc.pre(address.slice(0, 5).some((group) => group > 1));
      const group = Math.floor(bit / 16);
      const other = address.with(group, (address[group] ?? 0) ^ (0x8000 >> (bit % 16)));
      const [one, two] = [written(address), written(other)];
      assert.equal(toAllowanceAddress(one) === toAllowanceAddress(two), bit >= 64);
      assert.equal(toFreeKeyNetwork(one) === toFreeKeyNetwork(two), bit >= 48);
    }),
  );
});
