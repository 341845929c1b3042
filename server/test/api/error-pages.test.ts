import { describe, expect, test } from 'vitest';
import { exchange } from '../support/raw-connection.ts';
import { setTheme } from '../support/themes.ts';
import { useService } from '../support/use-service.ts';

/** This file tests how refusals look to people and to programs (ADR 0043). */
const { service, org } = useService({ isShared: false });
const BROWSER = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'sec-fetch-mode': 'navigate',
  'accept-language': 'fr-CH, en;q=0.5',
};
const PAGE = 'text/html; charset=utf-8';

describe('an address that nothing has', () => {
  test('is a page for a browser, in its language and the look of the org, with the number of the error', async () => {
    const own = await service.newOrg();
    await setTheme(own, { primaryColorHex: '#b5321a' });
    const { headers, status, text } = await own.anonymous.get('/nothing/here', { headers: BROWSER });
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([404, PAGE, 'no-store']);
    expect(text).toContain('<html lang="fr">');
    expect(text).toContain('--brand: #b5321a');
    const errorId = /oae[\w-]{22}/.exec(text)?.[0] ?? '';
    expect(service.logged()).toContain(errorId);
    const chosen = { ...BROWSER, cookie: '__Host-language=ja' };
    expect((await own.anonymous.get('/nothing', { headers: chosen })).text).toContain('<html lang="ja">');
  });

  test('says nothing of what was asked for', async () => {
    const { text } = await org.anonymous.get('/%3Cscript%3Ealert(1)?%3Cscript%3E', { headers: BROWSER });
    expect(text).not.toContain('script>');
  });

  test.each([{}, { accept: '*/*' }, { accept: 'application/json' }, { ...BROWSER, 'sec-fetch-mode': 'cors' }])(
    'is the error object for %j',
    async (headers) => {
      expect(await org.anonymous.get('/nothing', { headers })).toMatchObject({
        status: 404,
        headers: { 'content-type': expect.stringMatching(/^application\/json/) },
        body: { errorCode: 'E0000008', errorCauses: [] },
      });
    },
  );

  test.each(['/api/v1/nothing', '/api/v1/users/x/y/z', '/oauth2/v1/nothing', '/.well-known/nothing'])(
    'is the error object for a browser at %s',
    async (path) => {
      const { body, status } = await org.anonymous.get(path, { headers: BROWSER });
      expect([status, body.errorCode]).toEqual([404, 'E0000008']);
    },
  );
});

test('the API answers a browser as it answers everybody', async () => {
  const [one, other] = [
    await org.anonymous.get('/api/v1/users', { headers: BROWSER }),
    await org.anonymous.get('/api/v1/users'),
  ];
  expect([one.status, one.body.errorCode]).toEqual([401, other.body.errorCode]);
});

test('a method that an address does not have is a page with Allow', async () => {
  const { headers, status } = await org.anonymous.post('/account/sessions/more', { headers: BROWSER });
  expect([status, headers['content-type']]).toEqual([404, PAGE]);
  const refused = await org.anonymous.put('/account/sessions', { headers: BROWSER });
  expect([refused.status, refused.headers['allow'], refused.headers['content-type']]).toEqual([405, 'GET, POST', PAGE]);
});

test('an address that cannot be read is a page', async () => {
  const { headers, status, text } = await org.anonymous.get('/signin/%zz', { headers: BROWSER });
  expect([status, headers['content-type']]).toEqual([400, PAGE]);
  expect(text).toContain('<html lang="fr">');
  expect((await org.anonymous.get('/signin/%zz')).body).toMatchObject({ errorCode: 'E0000002' });
});

test('a host that is no org is told to a browser by a page without a name', async () => {
  const lines = Object.entries(BROWSER).map(([name, value]) => `${name}: ${value}`);
  const text = ['GET / HTTP/1.1', 'Host: nobody.localhost', ...lines, 'Connection: close', '', ''].join('\r\n');
  const [answer] = await exchange(service, org, text);
  expect(answer).toMatchObject({ status: 404, headers: { 'content-type': [PAGE] } });
});

test('an image that is gone is the error object for the page that shows it, and a page for who opens it', async () => {
  const path = '/fs/bco/4/fs0AAAAAAAAAAAAAAAAA';
  const image = { ...BROWSER, accept: 'image/avif,image/*,*/*;q=0.8', 'sec-fetch-mode': 'no-cors' };
  expect((await org.anonymous.get(path, { headers: image })).body).toMatchObject({ errorCode: 'E0000007' });
  expect((await org.anonymous.get(path, { headers: BROWSER })).headers['content-type']).toBe(PAGE);
});
