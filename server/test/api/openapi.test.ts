import { describe, expect, test } from 'vitest';
import { allRoutes } from '../../src/app/declared-routes.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService();

const html = { headers: { accept: 'text/html' } };

describe('GET /api/openapi.json', () => {
  test('is told everybody by every org, with the address that was asked as its server', async () => {
    const other = await service.newOrg();
    const [here, there] = await Promise.all([org, other].map((one) => one.anonymous.get('/api/openapi.json')));
    expect(here).toMatchObject({ status: 200, body: { openapi: '3.1.0', servers: [{ url: org.baseUrl }] } });
    expect(there).toMatchObject({ status: 200, body: { servers: [{ url: other.baseUrl }] } });
    expect({ ...there?.body, servers: [] }).toEqual({ ...here?.body, servers: [] });
  });

  test('has every operation of the service', async () => {
    const { body } = await org.anonymous.get('/api/openapi.json');
    const paths = Object.values<Record<string, { operationId: string }>>(body.paths);
    const operationIds = paths.flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
    expect(operationIds.toSorted()).toEqual(allRoutes.map(({ operationId }) => operationId).toSorted());
  });

  test('may be read from any origin, and never with a credential', async () => {
    const { headers } = await org.client({ origin: 'null' }).get('/api/openapi.json');
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
    expect(headers['cache-control']).toBe('public, max-age=3600');
  });
});

describe('GET /api/reference', () => {
  test('runs the viewer in an origin of its own that reaches the document and nothing else', async () => {
    const { headers, status } = await org.anonymous.get('/api/reference', html);
    expect(status).toBe(200);
    const policy = String(headers['content-security-policy']);
    const nonce = /'nonce-([A-Za-z0-9+/=]+)'/.exec(policy)?.[1];
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      `script-src 'nonce-${nonce}' ${org.baseUrl}/api/reference/viewer.js`,
      `style-src 'nonce-${nonce}' ${org.baseUrl}/api/reference/viewer.css`,
      'img-src data:',
      `connect-src ${org.baseUrl}/api/openapi.json`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      'sandbox allow-scripts',
    ]);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-frame-options': 'DENY',
      'referrer-policy': 'same-origin',
      'cache-control': 'no-store',
    });
    expect(headers).not.toHaveProperty('set-cookie');
    // Browsers do not show a sandboxed page that has this header.
    expect(headers).not.toHaveProperty('cross-origin-opener-policy');
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });

  test('has a nonce of its own each time', async () => {
    const [one, other] = await Promise.all([1, 2].map(() => org.anonymous.get('/api/reference', html)));
    expect(one?.headers['content-security-policy']).toBeDefined();
    expect(one?.headers['content-security-policy']).not.toBe(other?.headers['content-security-policy']);
  });

  test.each([
    ['viewer.js', 'text/javascript; charset=utf-8', 'SwaggerUIBundle'],
    ['viewer.css', 'text/css; charset=utf-8', '.swagger-ui'],
  ])('brings its file %s along', async (name, mediaType, text) => {
    const response = await org.anonymous.get(`/api/reference/${name}`);
    expect(response).toMatchObject({ status: 200, headers: { 'content-type': mediaType } });
    expect(response.text).toContain(text);
  });

  test.each(['package.json', '..%2Fpackage.json', 'toString', 'swagger-ui-bundle.js'])(
    'has no file %s',
    async (name) => {
      const response = await org.anonymous.get(`/api/reference/${name}`);
      expect(response).toMatchObject({ status: 404, body: { errorCode: 'E0000007' } });
    },
  );
});
