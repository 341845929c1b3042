import { expect, test } from 'vitest';
import { allRoutes } from '../../src/app/declared-routes.ts';
import { type AnyRoute, MAXIMUM_BODY_BYTES } from '../../src/platform/http/index.ts';
import { exchange, requestText } from '../support/raw-connection.ts';
import { useService } from '../support/use-service.ts';

const { service } = useService();

/** All routes except GET and DELETE. Operations without a body are included, because the edge reads bodies anyway. */
const routes = allRoutes.filter(({ method }) => method !== 'GET' && method !== 'DELETE');
const limitOf = ({ bodyLimit }: AnyRoute): number => bodyLimit?.bytes ?? MAXIMUM_BODY_BYTES;

test('other limits have a reason, and nobody who has not signed in may send more', () => {
  const others = routes.filter((route) => route.bodyLimit !== undefined);
  expect(others.length).toBeGreaterThan(20);
  for (const { access, bodyLimit, operationId } of others) {
    expect([operationId, bodyLimit?.reason]).toEqual([operationId, expect.stringMatching(/^[A-Z].{20,}\.$/)]);
    // This page's route is public, but checks the session itself.
    expect([operationId, access !== 'public' || operationId === 'sendProfilePage']).toEqual([operationId, true]);
  }
});

const LARGEST = [
  'assignGroupToApplication',
  'assignUserToApplicationById',
  'createApplication',
  'createClient',
  'createEventHook',
  'createNetworkZone',
  'replaceApplication',
  'replaceClient',
  'replaceEventHook',
  'replaceGroup',
  'replaceNetworkZone',
  'replaceUser',
  'updateApplicationUser',
  'updateApplicationUserProfile',
  'updateGroupSchema',
  'updateProfileMapping',
  'updateUser',
  'updateUserProfile',
  'uploadApplicationLogo',
  'uploadBrandThemeBackgroundImage',
  'uploadBrandThemeFavicon',
  'uploadBrandThemeLogo',
];

test('few routes take half a megabyte or more', () => {
  const large = routes.filter((route) => limitOf(route) > 524_288).map(({ operationId }) => operationId);
  expect(large.toSorted()).toEqual(LARGEST);
});

test('every route refuses a body of one byte beyond its limit, before it is read', async () => {
  expect(routes.length).toBeGreaterThan(100);
  const refused = async (route: AnyRoute) => {
    const path = route.url.replaceAll(/:\w+/g, 'unknown');
    const headers = [`Content-Length: ${limitOf(route) + 1}`, 'Content-Type: application/json'];
    const [answer] = await exchange(service, service.org, requestText(service.org, `${route.method} ${path}`, headers));
    return `${route.operationId} ${answer?.status}`;
  };
  for (let from = 0; from < routes.length; from += 20) {
    const some = routes.slice(from, from + 20);
    expect(await Promise.all(some.map(refused))).toEqual(some.map(({ operationId }) => `${operationId} 413`));
  }
});
