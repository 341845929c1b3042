import { describe, expect, test } from 'vitest';
import { useService } from '../support/use-service.ts';

const html = { headers: { accept: 'text/html' } };
const { service } = useService({ isShared: false });

const header = (headers: Readonly<Record<string, string | string[] | undefined>>, name: string) =>
  String(headers[name]);

describe('GET /', () => {
  test('shows the org and leads to the sign-in, without a credential', async () => {
    const { status, headers, text } = await service.org.anonymous.get('/', html);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(text).toContain('<h1>Test</h1>');
    expect(text).toContain('<a class="button" href="/signin">Sign in</a>');
  });

  test('answers browsers and curl', async () => {
    for (const accept of ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', '*/*']) {
      expect((await service.org.anonymous.get('/', { headers: { accept } })).status).toBe(200);
    }
  });

  test('has a strict policy with a nonce of its own each time, and loads nothing', async () => {
    const [first, second] = await Promise.all([1, 2].map(() => service.org.anonymous.get('/', html)));
    const policy = header(first?.headers ?? {}, 'content-security-policy');
    const nonce = /'nonce-([A-Za-z0-9+/=]+)'/.exec(policy)?.[1];
    expect(policy).toMatch(/^default-src 'none'; style-src 'nonce-/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(first?.text).toContain(`<style nonce="${nonce}">`);
    expect(header(second?.headers ?? {}, 'content-security-policy')).not.toBe(policy);
    expect(first?.text).not.toMatch(/<script|<iframe|src=|@import|url\(|\bon\w+=|style="/i);
  });

  test('is neither framed, nor stored, nor guessed at', async () => {
    const { headers } = await service.org.anonymous.get('/', html);
    expect(headers).toMatchObject({
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cache-control': 'no-store',
    });
  });

  test("escapes the org's name", async () => {
    await service.database.pool.query('update orgs set company_name = $2 where id = $1', [
      service.org.id,
      '<script>alert("x")</script>',
    ]);
    service.clock.advance(5_000);
    const { text } = await service.org.anonymous.get('/', html);
    expect(text).toContain('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;');
    expect(text).not.toContain('<script>');
  });

  test('is a page of an org: another host is 404, another method 405', async () => {
    const elsewhere = service.org.client({}, 'nobody.localhost');
    expect((await elsewhere.get('/', html)).status).toBe(404);
    expect((await service.org.anonymous.post('/', { body: {} })).status).toBe(405);
  });
});
