import { expect, test } from 'vitest';
import { translatorOf } from '../../../platform/pages/index.ts';
import { linksOf } from './consent-page.ts';

const t = translatorOf('en');

test('links of other schemes are not shown', () => {
  const page = linksOf(t, { tosUri: 'javascript:alert(1)', policyUri: 'https://app.example/privacy' })?.html;
  expect(page).not.toContain('javascript:');
  expect(page).toContain('Privacy policy');
  expect(page).not.toContain('Terms of service');
});

test('an app that says nothing of itself has none', () => {
  expect(linksOf(t, { tosUri: null, policyUri: null })).toBeNull();
});
