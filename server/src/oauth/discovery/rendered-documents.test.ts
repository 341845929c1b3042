import { expect, test } from 'vitest';
import type { MetadataInput } from './metadata.ts';
import { renderedOnce } from './rendered-documents.ts';

test('a document is rendered once for each issuer, and again when its scopes are another list', () => {
  let rendered = 0;
  const textOf = renderedOnce(
    ({ baseUrl, scopes }: MetadataInput) => {
      rendered += 1;
      return { issuer: baseUrl, scopes_supported: scopes };
    },
    ({ baseUrl }) => baseUrl,
  );
  const scopes = ['openid'];
  const ask = (baseUrl: string, listed: readonly string[]) =>
    JSON.parse(textOf({ baseUrl, namespaceWord: 'svc', scopes: listed })) as unknown;
  const one = { issuer: 'https://one.example', scopes_supported: ['openid'] };
  expect([ask('https://one.example', scopes), ask('https://one.example', scopes)]).toEqual([one, one]);
  expect(rendered).toBe(1);
  expect(ask('https://two.example', scopes)).toEqual({ issuer: 'https://two.example', scopes_supported: ['openid'] });
  expect(ask('https://one.example', ['email'])).toEqual({ ...one, scopes_supported: ['email'] });
  expect(rendered).toBe(3);
});
