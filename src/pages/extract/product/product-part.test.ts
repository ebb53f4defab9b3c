import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { extractHtml } from '../extract-html.ts';

const PROSE =
  'This kettle is made in a small works on the coast. It boils a litre of water in three minutes and keeps it warm for an hour. ';

function markdownOf(body: string, data: object | null = null): string {
  const script = data === null ? '' : `<script type="application/ld+json">${JSON.stringify(data)}</script>`;
  const page = `<title>Harbour kettle</title>${script}<main><h1>Harbour kettle</h1>${body}</main>`;
  return extractHtml(page, 'https://shop.example/products/kettle').markdown;
}

const KETTLE = {
  '@type': 'Product',
  name: 'Harbour kettle',
  description: 'A kettle of brushed steel with a wooden handle, for one litre.',
  sku: 'HK-100',
  brand: { '@type': 'Brand', name: 'Lighthouse' },
  offers: { '@type': 'Offer', price: 1299, priceCurrency: 'EUR', availability: 'https://schema.org/InStock' },
  additionalProperty: [
    { '@type': 'PropertyValue', name: 'Capacity', value: 1, unitText: 'litre' },
    { '@type': 'PropertyValue', name: 'Power', value: '2000 W' },
  ],
};

describe('product data', () => {
  test('that the page does not show stand below its text', () => {
    const markdown = markdownOf(`<p>${PROSE.repeat(3)}</p>`, KETTLE);
    assert.match(markdown, /keeps it warm for an hour\.\s+## Product details\s+A kettle of brushed steel/);
    assert.match(
      markdown,
      /- Price: 1299 EUR\n- Availability: in stock\n- Brand: Lighthouse\n- SKU: HK-100\n/,
    );
    assert.match(markdown, /- Capacity: 1 litre\n- Power: 2000 W/);
  });

  test('that the page shows are not repeated', () => {
    const shown =
      `<p>${PROSE.repeat(3)} A kettle of brushed steel with a wooden handle, for one litre. In stock. By Lighthouse, HK-100.</p>` +
      '<p>It costs €1,299.00 with delivery; its capacity is 1 litre and its power 2000 W, as the plate below says.</p>';
    assert.doesNotMatch(markdownOf(shown, KETTLE), /Product details/);
  });

  test('variants with their prices, where the page does not name them', () => {
    const variant = (name: string, price: string): object => ({
      '@type': 'Product',
      name,
      offers: { price, priceCurrency: 'EUR' },
    });
    const group = {
      '@type': 'ProductGroup',
      name: 'Harbour kettle',
      hasVariant: [variant('Kettle, copper', '89'), variant('Kettle, steel', '79.50')],
    };
    const markdown = markdownOf(`<p>${PROSE.repeat(3)}</p>`, group);
    assert.match(markdown, /### Variants\s+- Kettle, copper, 89 EUR\n- Kettle, steel, 79\.50 EUR/);
  });

  test('as microdata', () => {
    const markdown = markdownOf(
      `<div itemscope itemtype="https://schema.org/Product"><meta itemprop="sku" content="HK-7"><p>${PROSE.repeat(3)}</p>
       <div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><meta itemprop="price" content="49.90">
       <meta itemprop="priceCurrency" content="GBP"></div></div>`,
    );
    assert.match(markdown, /- Price: 49\.90 GBP\n- SKU: HK-7/);
  });

  test('of an article about products and of a list of products are left', () => {
    const article = [{ '@type': 'NewsArticle', headline: 'Kettles' }, KETTLE];
    const several = [KETTLE, { ...KETTLE, name: 'Pier kettle' }];
    for (const data of [article, several])
      assert.doesNotMatch(markdownOf(`<p>${PROSE.repeat(3)}</p>`, data), /Product details/);
  });
});
