import { beforeAll, describe, expect, test } from 'vitest';
import { allRoutes } from '../../src/app/declared-routes.ts';
import { deadAddressesIn, handedOutBy, methodsAt } from '../support/addresses.ts';
import { NAMED_KINDS, newAppOf } from '../support/app-kinds.ts';
import { APPS } from '../support/apps.ts';
import { newBrowser } from '../support/authorization.ts';
import type { TestClient, TestResponse } from '../support/client.ts';
import { newProviderKey } from '../support/identity-providers.ts';
import { newSamlProvider, PROVIDER_KEYS, PROVIDERS } from '../support/provider-requests.ts';
import { useService } from '../support/use-service.ts';
import { idsOfEverything } from '../sweeps/ids-of-everything.ts';
import { address } from '../sweeps/route-bodies.ts';

/** This file tests that the addresses in responses can be opened (ADR 0059). */
const { service, org } = useService({ isShared: false });
let ids: Readonly<Record<string, string>>;
let person: TestClient;

beforeAll(async () => {
  ids = await idsOfEverything(service, org);
  const { client, userId } = await newBrowser(service, org, null);
  person = client;
  for (const [, kind] of NAMED_KINDS) {
    const { body, text } = await org.admin.post(APPS, { body: newAppOf(kind) });
    expect(body.id, text).toEqual(expect.any(String));
    await org.admin.post(`${APPS}/${body.id}/users`, { body: { id: userId } });
  }
  const { body: key } = await org.admin.post(PROVIDER_KEYS, { body: newProviderKey() });
  await org.admin.post(PROVIDERS, { body: newSamlProvider(key.kid) });
});

/** Returns whether a GET request can follow an address. If a link names no methods, the routes decide. */
function isFollowed({ methods, url }: ReturnType<typeof handedOutBy>[number]): boolean {
  const isTemplate = decodeURIComponent(url.href).includes('{');
  return !isTemplate && (methods?.includes('GET') ?? methodsAt(allRoutes, url.pathname).has('GET'));
}

async function follow(path: string): Promise<TestResponse> {
  return (path.startsWith('/api/') ? org.admin : person).get(path);
}

test('what all lists and all resources link to can be opened', async () => {
  const begun = allRoutes
    .filter(({ access, method, url }) => method === 'GET' && access === 'authenticated' && url.startsWith('/api/v1/'))
    .map((route) => address(route, ids));
  const pages = ['/', '/.well-known/svc-organization', '/.well-known/openid-configuration', '/signin'];
  const queue: string[] = [...begun, ...pages, '/oauth2/default/.well-known/oauth-authorization-server'];
  const seen = new Set(queue);
  const failures: string[] = [];
  let followed = 0;
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const response = await follow(path);
    // The addresses in `begun` come from the route table and need not exist, but all others must.
    if (followed >= begun.length && [404, 405, 500].includes(response.status)) {
      failures.push(`${path} ${response.status}`);
    }
    followed += 1;
    for (const handed of handedOutBy(response, `${org.baseUrl}${path}`).filter(isFollowed)) {
      const next = handed.url.pathname + handed.url.search;
      if (seen.has(next) || next.includes('after=') || next.includes('ui_locales=')) continue;
      seen.add(next);
      queue.push(next);
    }
  }
  expect(failures).toEqual([]);
  expect(followed).toBeGreaterThan(begun.length + 50);
});

describe('an address that leads nowhere is found', () => {
  const ORIGIN = 'https://acme.localhost:8443';
  const answer = (given: Partial<TestResponse>): TestResponse => ({
    status: 200,
    headers: {},
    body: undefined,
    text: '',
    ...given,
  });
  const inBody = (body: object) => answer({ body });
  const inPage = (text: string, type = 'text/html') => answer({ text, headers: { 'content-type': type } });
  const href = `${ORIGIN}/nowhere`;
  const user = `${ORIGIN}/api/v1/users/00u1`;

  test.each([
    ['in a link', inBody({ _links: { self: { href } } })],
    ['in a list of links', inBody([{ _embedded: { x: { _links: { logo: [{ name: 'x', href }] } } } }])],
    ['by a hint', inBody({ _links: { self: { href: user, hints: { allow: ['GET', 'PATCH'] } } } })],
    ['by a method', inBody({ _links: { self: { href: user, method: 'PATCH' } } })],
    ['in metadata', inBody({ token_endpoint: href })],
    ['in a tile', inBody([{ linkUrl: href }])],
    ['in Location', answer({ status: 303, headers: { location: '/nowhere' } })],
    ['in Link', answer({ headers: { link: [`<${user}>; rel="self"`, `<${href}>; rel="next"`] } })],
    ['in a page', inPage('<a href="/nowhere?a=1&amp;b=2">x</a>')],
    ['in a form', inPage('<form method="post" action="/api/v1/org/nowhere"></form>')],
    ['in SAML metadata', inPage(`<md:SingleSignOnService Binding="x" Location="${href}"/>`, 'application/xml')],
  ])('%s', (_, response) => {
    expect(deadAddressesIn(allRoutes, response, ORIGIN, '/api/v1/users')).toHaveLength(1);
  });

  test('and others are left alone', () => {
    const links = {
      self: { href: user, hints: { allow: ['GET', 'PUT', 'DELETE'] } },
      suspend: { href: `${user}/lifecycle/suspend`, method: 'POST' },
      elsewhere: { href: 'https://app.example/nowhere' },
    };
    expect(deadAddressesIn(allRoutes, inBody({ _links: links, profile: { href } }), ORIGIN, '/')).toEqual([]);
  });
});
