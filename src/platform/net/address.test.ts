import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createAddressPolicy, isPublicAddress } from './address.ts';

const BAD =
  `0.0.0.0 0.1.2.3 10.0.0.0 10.255.255.255 100.64.0.0 100.100.100.200 100.127.255.255 127.0.0.1 127.255.255.254
  169.254.0.1 169.254.169.254 169.254.170.2 172.16.0.0 172.31.255.255 192.0.0.1 192.0.0.192 192.0.2.1 192.31.196.1
  192.52.193.1 192.88.99.1 192.168.0.1 192.168.255.255 192.175.48.1 198.18.0.0 198.19.255.255 198.51.100.7 203.0.113.9
  224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 168.63.129.16
  :: ::1 ::2 ::7f00:1 ::a9fe:a9fe ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:a83f:8110
  ::ffff:0:127.0.0.1 ::ffff:0:7f00:1 64:ff9b::127.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b::808:808 64:ff9b:1::1 100::1
  100:0:0:1::1 1::1 2001::1 2001:0:4136:e378:8000:63bf:80ff:fffe 2001:2::1 2001:10::1 2001:20::1 2001:1ff::1 2001:db8::1
  2002:7f00:1:: 2002:a9fe:a9fe:: 2002:808:808:: 2620:4f:8000::1 3fff::1 3fff:fff::1 4000::1 5f00::1 8000::1 fc00::1
  fd00:ec2::254 fe80::1 fe80::5efe:127.0.0.1 febf::1 fec0::1 ff02::1 ff0e::1`.split(/\s+/);

const GOOD =
  `1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 172.15.255.255
  172.32.0.0 192.0.1.0 198.17.255.255 198.20.0.0 223.255.255.255 168.63.129.15 ::ffff:8.8.8.8 2000::1 2001:200::1
  2001:4860:4860::8888 2003::1 2606:4700:4700::1111 2620:4f:8001::1 2a00:1450::1 3ffe:ffff::1 3fff:1000::1
  3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff`.split(/\s+/);

const NOT_ADDRESSES = [
  '',
  'localhost',
  '127.1',
  '0177.0.0.1',
  '0x7f000001',
  '2130706433',
  '1.1.1.1.',
  ' 1.1.1.1',
  '1.1.1.1/32',
  '[::1]',
  'fe80::1%eth0',
  '2606:4700::1%1',
  '2606:4700::1%',
  '1.1.1.256',
  '١.1.1.1',
];

/** The same policy on numbers: first address, prefix length. */
const DENIED_BITS: [first: number, bits: number][] = [
  [0x00000000, 8],
  [0x0a000000, 8],
  [0x64400000, 10],
  [0x7f000000, 8],
  [0xa83f8110, 32],
  [0xa9fe0000, 16],
  [0xac100000, 12],
  [0xc0000000, 24],
  [0xc0000200, 24],
  [0xc01fc400, 24],
  [0xc034c100, 24],
  [0xc0586300, 24],
  [0xc0a80000, 16],
  [0xc0af3000, 24],
  [0xc6120000, 15],
  [0xc6336400, 24],
  [0xcb007100, 24],
  [0xe0000000, 4],
  [0xf0000000, 4],
];

describe('isPublicAddress', () => {
  for (const ip of BAD) test(`${ip} is not public`, () => assert.equal(isPublicAddress(ip), false));
  for (const ip of GOOD) test(`${ip} is public`, () => assert.equal(isPublicAddress(ip), true));
  for (const text of NOT_ADDRESSES)
    test(`"${text}" is not an address`, () => assert.equal(isPublicAddress(text), false));

  test('agrees with the policy on numbers for any IPv4 address, plain and mapped', () => {
    fc.assert(
      fc.property(ipv4Bits(), (bits) => {
        const expected = isPublicIpv4(bits);
        assert.equal(isPublicAddress(dotted(bits)), expected);
        for (const text of mappedForms(bits)) assert.equal(isPublicAddress(text), expected, text);
      }),
      { numRuns: 3_000 },
    );
  });

  test('agrees with the policy on numbers for any IPv6 address in long, short and upper-case form', () => {
    fc.assert(
      fc.property(ipv6Bits(), (bits) => {
        for (const text of ipv6Forms(bits)) assert.equal(isPublicAddress(text), isPublicIpv6(bits), text);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('createAddressPolicy', () => {
  const ownAddresses = (): string[] => ['93.184.215.14', '2a00:1450::9', '10.0.0.5'];

  test("the machine's own addresses are not permitted, however they are written", () => {
    const policy = createAddressPolicy({ allowPrivate: [], ownAddresses });
    for (const ip of [
      '93.184.215.14',
      '::ffff:93.184.215.14',
      '2a00:1450::9',
      '2A00:1450:0:0::9',
      '10.0.0.5',
    ])
      assert.equal(policy.permits(ip), false, ip);
    assert.equal(policy.permits('93.184.215.15'), true);
    assert.equal(policy.allowsPrivate, false);
  });

  test('allowed ranges are permitted, and no other private address', () => {
    const policy = createAddressPolicy({
      allowPrivate: ['127.10.0.0/16', 'fd00::/8', '10.0.0.5/32'],
      ownAddresses,
    });
    for (const ip of ['127.10.0.1', '::ffff:127.10.255.255', 'fd00::1', '10.0.0.5', '8.8.8.8'])
      assert.equal(policy.permits(ip), true, ip);
    for (const ip of [
      '127.0.0.1',
      '127.11.0.1',
      'fc00::1',
      '::1',
      '10.0.0.6',
      '93.184.215.14',
      'fd00::1%eth0',
    ])
      assert.equal(policy.permits(ip), false, ip);
    assert.equal(policy.allowsPrivate, true);
  });

  test('an allowed NAT64 prefix does not allow the addresses behind it', () => {
    const policy = createAddressPolicy({ allowPrivate: ['64:ff9b::/96', '10.7.0.0/16'], ownAddresses });
    assert.equal(policy.permits('64:ff9b::8.8.8.8'), true);
    assert.equal(policy.permits('64:ff9b::10.7.0.1'), true);
    assert.equal(policy.permits('64:ff9b::127.0.0.1'), false);
    assert.equal(policy.permits('64:ff9b::93.184.215.14'), false);
  });

  for (const cidr of ['10.0.0.0', '10.0.0.0/33', '999.0.0.0/8', '10/8', 'fd00::/129', 'intranet/8', ''])
    test(`"${cidr}" is not a range`, () =>
      assert.throws(() => createAddressPolicy({ allowPrivate: [cidr], ownAddresses }), RangeError));
});

/** Any 32 bits, half of the time at or next to an edge of a denied range. */
function ipv4Bits(): fc.Arbitrary<number> {
  const edges = DENIED_BITS.flatMap(([first, bits]) => [first, first + 2 ** (32 - bits) - 1]);
  const nearEdge = fc
    .tuple(fc.constantFrom(...edges), fc.integer({ min: -2, max: 2 }))
    .map(([edge, step]) => (edge + step + 2 ** 32) % 2 ** 32);
  return fc.oneof(fc.integer({ min: 0, max: 2 ** 32 - 1 }), nearEdge);
}

function isPublicIpv4(bits: number): boolean {
  return !DENIED_BITS.some(([first, length]) => bits >= first && bits < first + 2 ** (32 - length));
}

/** Any 128 bits, often with the prefix of a relevant range. */
function ipv6Bits(): fc.Arbitrary<bigint> {
  const any = fc.bigInt({ min: 0n, max: 2n ** 128n - 1n });
  const groups =
    `0:0 0:1 64:ff9b 100:0 2000:0 2001:0 2001:1ff 2001:200 2001:db8 2001:db9 2002:7f00 2620:4f 2a00:1450
    3ffe:ffff 3fff:0 3fff:fff 3fff:1000 3fff:ffff 4000:0 5f00:0 fc00:0 fe80:0 fec0:0 ff02:0`.split(/\s+/);
  const begun = fc.tuple(fc.constantFrom(...groups), any).map(([group, rest]) => {
    const [high = '0', low = '0'] = group.split(':');
    const head = BigInt(Number.parseInt(high, 16) * 65_536 + Number.parseInt(low, 16));
    return (head << 96n) | (rest & (2n ** 96n - 1n));
  });
  return fc.oneof(any, begun);
}

function isPublicIpv6(bits: bigint): boolean {
  const top = (length: bigint): bigint => bits >> (128n - length);
  if (top(96n) === 0xffffn) return isPublicIpv4(Number(bits & 0xffffffffn));
  if (top(3n) !== 1n) return false;
  const denied = [
    top(23n) === 0x20010000n >> 9n,
    top(32n) === 0x20010db8n,
    top(16n) === 0x2002n,
    top(48n) === 0x2620004f8000n,
    top(20n) === 0x3fff0n,
  ];
  return !denied.includes(true);
}

function dotted(bits: number): string {
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255).join('.');
}

function mappedForms(bits: number): string[] {
  const [high, low] = [(bits >>> 16).toString(16), (bits & 0xffff).toString(16)];
  const groups = `0:0:0:0:0:FFFF:${high}:${low}`;
  return [`::ffff:${dotted(bits)}`, `::ffff:${high}:${low}`, groups, `0:0:0:0:0:ffff:${dotted(bits)}`];
}

function ipv6Forms(bits: bigint): string[] {
  const groups = Array.from({ length: 8 }, (_, at) =>
    ((bits >> BigInt(112 - at * 16)) & 0xffffn).toString(16),
  );
  const padded = groups.map((group) => group.padStart(4, '0')).join(':');
  const short = new URL(`http://[${padded}]/`).hostname.slice(1, -1);
  return [groups.join(':'), padded, padded.toUpperCase(), short];
}
