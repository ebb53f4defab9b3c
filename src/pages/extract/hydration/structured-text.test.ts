import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { extractHtml } from '../extract-html.ts';

const markdownOf = (object: unknown, body = ''): string =>
  extractHtml(
    `<!doctype html><title>T</title><script type="application/ld+json">${JSON.stringify(object)}</script>${body}`,
    'https://example.org/x',
  ).markdown;

const LONG = 'A sentence about the coast that is long enough to count as the text of a page. '
  .repeat(3)
  .trim();

describe('a page without text is read from its JSON-LD', () => {
  test('a recipe', () => {
    const markdown = markdownOf({
      '@type': 'Recipe',
      description: LONG,
      recipeIngredient: ['300 g samphire', '40 g butter'],
      recipeInstructions: [
        { '@type': 'HowToStep', text: 'Rinse it.' },
        { '@type': 'HowToStep', text: 'Boil it.' },
      ],
    });
    assert.equal(
      markdown,
      `${LONG}\n\n## Ingredients\n\n- 300 g samphire\n- 40 g butter\n\n## Instructions\n\n1. Rinse it.\n2. Boil it.`,
    );
  });

  test('questions and answers', () => {
    const markdown = markdownOf({
      '@type': 'FAQPage',
      mainEntity: [
        { '@type': 'Question', name: 'May I camp?', acceptedAnswer: { text: `<p>${LONG}</p>` } },
        { '@type': 'Question', name: 'Unanswered?' },
      ],
    });
    assert.equal(markdown, `## May I camp?\n\n${LONG}`);
  });

  test('a job', () => {
    const markdown = markdownOf({
      '@type': 'JobPosting',
      description: `<p>${LONG}</p>`,
      hiringOrganization: { name: 'Harbour office' },
      jobLocation: { address: { addressLocality: 'Husum', addressCountry: 'DE' } },
      baseSalary: { currency: 'EUR', value: { minValue: 40000, maxValue: 50000, unitText: 'YEAR' } },
    });
    assert.equal(
      markdown,
      `- Employer: Harbour office\n- Location: Husum, DE\n- Salary: 40000 to 50000 EUR year\n\n${LONG}`,
    );
  });

  test('an event', () => {
    const markdown = markdownOf({
      '@type': 'MusicEvent',
      startDate: '2026-07-01T20:00',
      location: { name: 'The quay', address: 'Quay 1' },
      description: LONG,
    });
    assert.equal(markdown, `- Starts: 2026-07-01T20:00\n- Place: The quay, Quay 1\n\n${LONG}`);
  });

  test('a product', () => {
    const markdown = markdownOf({
      '@type': 'Product',
      description: LONG,
      brand: { name: 'Norderney' },
      offers: [{ price: 24.5, priceCurrency: 'EUR' }],
      additionalProperty: [{ name: 'Length', value: '30 m' }],
    });
    assert.equal(markdown, `${LONG}\n\n- Brand: Norderney\n- Price: 24.5 EUR\n- Length: 30 m`);
  });
});

test('a page that shows its text keeps it', () => {
  const shown = `<p>${'The page shows a text of its own. '.repeat(20)}</p>`;
  assert.match(markdownOf({ '@type': 'Product', description: LONG.repeat(20) }, shown), /^The page shows/);
});
