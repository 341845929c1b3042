import { expect, test } from 'vitest';
import { allRoutes } from '../../src/app/declared-routes.ts';
import type { AnyRoute } from '../../src/platform/http/index.ts';
import type { RequestOptions, TestResponse } from '../support/client.ts';
import { isRecord, type JsonRecord } from '../support/contract-schema.ts';
import { useService } from '../support/use-service.ts';
import { address, bodyOf } from './route-bodies.ts';
import { nodesBelow, type SchemaNode, smallest, withValue } from './worst-bodies.ts';

// This file tests the size limits in schemas, and malformed bodies that every route must refuse. Routes must not refuse
// a value of the maximum size because of its size. They must refuse a value that is larger by one, and name the field.

const { org } = useService();

const routes = allRoutes.filter(({ body, bodyType }) => body !== undefined && (bodyType ?? 'json') === 'json');
const tooMuch = (maximum: number): RegExp =>
  new RegExp(
    maximum === 1 ? 'must have at most one entry' : `must (be|have) at most ${maximum} (characters|entries|members)`,
  );

const send = (route: AnyRoute, options: RequestOptions): Promise<TestResponse> =>
  org.admin.send(route.method, address(route, {}), options);

function sizedValues({ schema }: SchemaNode): (readonly [maximum: number, make: (size: number) => unknown])[] {
  const items: JsonRecord = isRecord(schema['items']) ? schema['items'] : {};
  const makers: Readonly<Record<string, (size: number) => unknown>> = {
    maxLength: (size) => 'a'.repeat(size),
    maxItems: (size) => Array.from({ length: size }, () => smallest(items)),
    maxProperties: (size) => Object.fromEntries(Array.from({ length: size }, (_, at) => [`a${at}`, 1])),
  };
  return Object.entries(makers).flatMap(([name, make]) => {
    const maximum = schema[name];
    return typeof maximum === 'number' ? [[maximum, make] as const] : [];
  });
}

function limitsOf(route: AnyRoute) {
  const schema: JsonRecord = isRecord(route.body) ? route.body : {};
  const given = bodyOf(route, org).body;
  const least = smallest(schema);
  const base = isRecord(given) && isRecord(least) ? { ...least, ...given } : (given ?? least);
  return nodesBelow({ path: [], schema }).flatMap((node) =>
    sizedValues(node).map(([maximum, make]) => ({
      field: node.path.join('.') || 'body',
      maximum,
      body: (size: number) => withValue(base, schema, node.path, make(size)),
    })),
  );
}

/** Counts the events in the log, except for those of the service's own jobs. */
const changes = async (): Promise<number> =>
  (await org.systemLog()).filter(({ actor }) => actor.type !== 'SystemPrincipal').length;

test('one more than a schema takes is refused, with the field named, and changes nothing', async () => {
  const before = await changes();
  let count = 0;
  for (const route of routes) {
    for (const { body, field, maximum } of limitsOf(route)) {
      const answer = await send(route, { body: body(maximum + 1) });
      const said = JSON.stringify(answer.body);
      expect([route.operationId, field, answer.status, said]).toEqual([
        route.operationId,
        field,
        400,
        expect.stringContaining(field),
      ]);
      expect(said).toMatch(tooMuch(maximum));
      count += 1;
    }
  }
  expect(count).toBeGreaterThan(150);
  expect(await changes()).toBe(before);
});

test('as much as a schema takes is not refused for its size', async () => {
  for (const route of routes) {
    for (const { body, field, maximum } of limitsOf(route)) {
      const { status, text } = await send(route, { body: body(maximum) });
      expect([route.operationId, field, status < 500, tooMuch(maximum).test(text)]).toEqual([
        route.operationId,
        field,
        true,
        false,
      ]);
    }
  }
});

test.each([
  ['65 containers within each other', `{"a":${'['.repeat(64)}${']'.repeat(64)}}`, 'E0000003'],
  ['a key that is repeated', '{"a":1,"a":2}', 'E0000003'],
  ['NUL', String.raw`{"a":"\u0000"}`, 'E0000001'],
  ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'E0000003'],
] as const)('no route takes %s', async (name, raw, code) => {
  const options = { raw, headers: { 'content-type': 'application/json' } };
  for (const route of routes) {
    const { body, status, text } = await send(route, options);
    if (name === 'NUL') expect(text).toContain('contains the character NUL');
    const said: unknown = body?.errorCode ?? body?.error;
    expect([route.operationId, status, String(said)]).toEqual([
      route.operationId,
      400,
      expect.stringMatching(new RegExp(`^(?:${code}|invalid_)`)),
    ]);
  }
});
