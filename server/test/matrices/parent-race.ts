import type { ParentTable } from '../../src/platform/postgres/index.ts';
import { bookmarkApp, newApp } from '../support/app-assignments.ts';
import { newPublicJwk, serviceApp, webApp } from '../support/apps.ts';
import type { TestResponse } from '../support/client.ts';
import type { TestOrg } from '../support/service.ts';
import { CREDENTIALS } from '../support/users.ts';

export type Body = TestResponse['body'];

export interface ParentRace {
  /** The foreign keys to the parent in the rows that the request writes. */
  readonly keys: readonly string[];
  readonly prepare: (org: TestOrg) => Promise<Prepared>;
}
export interface Prepared {
  readonly parent: ParentTable;
  readonly id: string;
  readonly column?: string;
  readonly send: () => Promise<TestResponse>;
}

export async function good(answer: Promise<TestResponse>): Promise<Body> {
  const { body, status, text } = await answer;
  if (status >= 300) throw new Error(`it was not made: ${status} ${text}`);
  return body;
}
export const user = (org: TestOrg): Promise<Body> => org.createUser({ credentials: CREDENTIALS });
export const web = (org: TestOrg): Promise<Body> => newApp(org, webApp());
export const bookmark = (org: TestOrg): Promise<Body> => newApp(org, bookmarkApp());
export const service = (org: TestOrg): Promise<Body> =>
  newApp(org, serviceApp({ jwks: { keys: [newPublicJwk(`key-${Math.random()}`)] } }));

/** Builds a race between the parent's deletion and an administrator's request. */
export const below = (
  keys: readonly string[],
  parent: ParentTable,
  make: (org: TestOrg) => Promise<Body>,
  path: (made: Body, org: TestOrg) => Promise<readonly [method: string, path: string, body?: unknown]>,
): ParentRace => ({
  keys,
  prepare: async (org) => {
    const made = await make(org);
    const [method, url, body] = await path(made, org);
    return { parent, id: made.id, send: () => org.admin.send(method, url, body === undefined ? {} : { body }) };
  },
});
