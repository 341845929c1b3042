import { describe, expect, test } from 'vitest';
import { appLinks, type LinkedApp } from './link-rules.ts';

const app = (given: Partial<LinkedApp>): LinkedApp => ({
  id: '0oa1',
  label: 'App',
  name: 'bookmark',
  signOnMode: 'BOOKMARK',
  scheme: null,
  isHidden: false,
  hasPassword: false,
  logoUrl: 'https://acme.example/logo',
  links: [{ name: 'login', href: 'https://acme.example/home/bookmark/0oa1/aln1' }],
  ...given,
});

describe('appLinks', () => {
  test('the only link of an app bears its label', () => {
    const [link] = appLinks([app({})]);
    expect(link).toMatchObject({ label: 'App', href: 'https://acme.example/home/bookmark/0oa1/aln1', sortOrder: 0 });
  });

  test('of several each says its name', () => {
    const links = [
      { name: 'mail', href: 'https://a.example/1' },
      { name: 'calendar', href: 'https://a.example/2' },
    ];
    expect(appLinks([app({ links })]).map(({ href, label }) => [href, label])).toEqual([
      ['https://a.example/1', 'App mail'],
      ['https://a.example/2', 'App calendar'],
    ]);
  });

  test('come by label, then by id, numbered', () => {
    const apps = [app({ id: '0oa3', label: 'B' }), app({ id: '0oa2', label: 'A' }), app({ id: '0oa1', label: 'B' })];
    expect(appLinks(apps).map((link) => [link.app.id, link.sortOrder])).toEqual([
      ['0oa2', 0],
      ['0oa1', 1],
      ['0oa3', 2],
    ]);
  });

  test('credentials are set where a password is kept that the app takes', () => {
    const given = { signOnMode: 'BROWSER_PLUGIN', hasPassword: true };
    expect(appLinks([app(given)])[0]?.hasCredentials).toBe(true);
    expect(appLinks([app({ ...given, hasPassword: false })])[0]?.hasCredentials).toBe(false);
    expect(appLinks([app({ ...given, scheme: 'EXTERNAL_PASSWORD_SYNC' })])[0]?.hasCredentials).toBe(false);
  });
});
