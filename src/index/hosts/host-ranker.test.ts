import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { HostStanding, PageOutline } from './host-ranker.ts';
import { createHostRanker, createNumberSet, type RankBounds } from './host-ranker.ts';

const outline = (host: string, parts: Partial<PageOutline> = {}): PageOutline => ({
  host,
  chars: 3_000,
  links: 5,
  targets: [],
  print: null,
  ...parts,
});

function rank(outlines: PageOutline[], bounds?: RankBounds) {
  const ranker = createHostRanker(bounds);
  ranker.add(outlines);
  const { ranking, standings } = ranker.finish(1);
  const of = (host: string): HostStanding => {
    const standing = standings.find((one) => one.host === host);
    assert.ok(standing, `${host} has no standing`);
    return standing;
  };
  return { ranking, standings, of };
}

const plain = (count: number): PageOutline[] =>
  Array.from({ length: count }, (_, number) => outline(`quiet${number}.example`));

describe('ranking hosts', () => {
  test('a host that others link to has authority, one that nobody links to has none', () => {
    const { of } = rank([
      outline('known.example'),
      outline('quiet.example'),
      ...Array.from({ length: 6 }, (_, n) => outline(`reader${n}.example`, { targets: ['known.example'] })),
    ]);
    assert.ok(of('known.example').authority > 0.1);
    assert.equal(of('quiet.example').authority, 0);
  });

  test('hosts of one registrable domain vote once, however many they are and however often they link', () => {
    const farm = Array.from({ length: 40 }, (_, n) =>
      outline(`h${n}.farm.example`, { targets: ['bought.example'] }),
    );
    const voters = Array.from({ length: 3 }, (_, n) =>
      outline(`reader${n}.example`, { targets: ['known.example'] }),
    );
    const sites = [outline('bought.example'), outline('known.example'), ...plain(5)];
    const { of, ranking } = rank([...sites, ...farm, ...farm, ...voters]);
    assert.ok(of('known.example').authority > of('bought.example').authority);
    assert.equal(ranking.links, 4);
    const one = rank([...sites, outline('h0.farm.example', { targets: ['bought.example'] }), ...voters]);
    assert.equal(of('bought.example').authority, one.of('bought.example').authority);
  });

  test('links within a site and to hosts that the index does not have count nothing', () => {
    const { ranking } = rank([
      outline('docs.site.example', { targets: ['www.site.example', 'far.example'] }),
      outline('www.site.example', { targets: ['docs.site.example'] }),
    ]);
    assert.equal(ranking.links, 0);
  });

  test('of two hosts with the same pages, the one that fewer link to is damped', () => {
    const pages = (host: string): PageOutline[] =>
      Array.from({ length: 12 }, (_, print) => outline(host, { print }));
    const { of } = rank([
      ...pages('original.example'),
      ...pages('mirror.example'),
      ...plain(4),
      outline('reader.example', { targets: ['original.example'] }),
    ]);
    assert.equal(of('original.example').damping, 0);
    assert.ok(of('mirror.example').damping > 0.3);
    assert.equal(of('mirror.example').signals.copied, 0.8);
  });

  test('of copies between hosts that nobody links to, none is called the copy', () => {
    const pages = ['one.example', 'two.example'].flatMap((host) =>
      Array.from({ length: 12 }, (_, print) => outline(host, { print })),
    );
    assert.equal(rank(pages).ranking.damped, 0);
  });

  test('a site of thin pages has no say', () => {
    const thin = Array.from({ length: 60 }, () =>
      outline('thin.example', { chars: 50, links: 40, targets: ['bought.example'] }),
    );
    const { of } = rank([...thin, outline('bought.example'), ...plain(8)]);
    assert.equal(of('thin.example').damping, 1);
    assert.equal(of('bought.example').authority, 0);
  });

  test('the order in which pages come changes nothing', () => {
    const hosts = ['a.example', 'b.example', 'c.a.example', 'd.example', '127.0.0.1:80', 'intranet'];
    const page = fc.record({
      host: fc.constantFrom(...hosts),
      chars: fc.nat(2_000),
      links: fc.nat(30),
      targets: fc.uniqueArray(fc.constantFrom(...hosts, 'elsewhere.example')),
      print: fc.option(fc.nat(5)),
    });
    fc.assert(
      fc.property(
        fc.array(page, { minLength: 1, maxLength: 30 }),
        fc.infiniteStream(fc.nat()),
        (pages, keys) => {
          const shuffled = pages
            .map((one) => ({ one, key: keys.next().value ?? 0 }))
            .sort((left, right) => left.key - right.key)
            .map(({ one }) => one);
          assert.deepEqual(rank(shuffled).standings, rank(pages).standings);
        },
      ),
    );
  });

  test('what is beyond the bounds is left out and told', () => {
    const pages = [
      outline('a.example', { print: 1, targets: ['b.example', 'c.example'] }),
      outline('b.example', { print: 1 }),
      outline('c.example', { print: 1 }),
    ];
    const { ranking } = rank(pages, { hostsMax: 2, linksMax: 1, pagesMax: 1 });
    assert.deepEqual(ranking.dropped, { hosts: 1, links: 1, copies: 1 });
    assert.equal(ranking.hosts, 2);
    assert.equal(ranking.pages, 3);
  });
});

test('a set of numbers holds what a Set does, ascending', () => {
  const number = fc.oneof(fc.nat(50), fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }));
  fc.assert(
    fc.property(fc.array(number, { maxLength: 3_000 }), (numbers) => {
      const set = createNumberSet(10_000);
      for (const one of numbers) set.add(one);
      assert.deepEqual(
        [...set.values()],
        [...new Set(numbers)].sort((one, other) => one - other),
      );
    }),
    { numRuns: 30 },
  );
});
