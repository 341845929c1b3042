import { USER_STATUSES, type UserStatus } from '../../src/kernel/user-statuses.ts';
import type { TestClient, TestResponse } from './client.ts';
import { newProfile, type TestOrg } from './service.ts';

export const PASSWORD = 'Correct-1-Horse';
export const ANOTHER_PASSWORD = 'Battery-2-Staple';
export const QUESTION = { question: 'Which horse?', answer: 'the correct one' };
export const CREDENTIALS = { password: { value: PASSWORD }, recovery_question: QUESTION };

export const userPath = (idOrLogin: string): string => `/api/v1/users/${encodeURIComponent(idOrLogin)}`;

export const ATTEMPTS_TO_LOCKOUT = 10;

export const changePassword = (
  client: TestClient,
  id: string,
  oldPassword: string,
  newPassword: string,
  query = '',
): Promise<TestResponse> =>
  client.post(`${userPath(id)}/credentials/change_password${query}`, {
    body: { oldPassword: { value: oldPassword }, newPassword: { value: newPassword } },
  });

export async function lockOut(client: TestClient, id: string): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS_TO_LOCKOUT; attempt += 1) {
    await changePassword(client, id, 'Wrong-0-Password', ANOTHER_PASSWORD);
  }
}

const BROUGHT_BY: Readonly<Partial<Record<UserStatus, string>>> = {
  RECOVERY: 'reset_password',
  PASSWORD_EXPIRED: 'expire_password',
  SUSPENDED: 'suspend',
  DEPROVISIONED: 'deactivate',
};

/**
 * Creates a user with this status, who starts with a password and a recovery question unless the status is PROVISIONED.
 */
export async function userIn(org: TestOrg, status: UserStatus): Promise<TestResponse['body']> {
  const credentials = status === 'PROVISIONED' ? {} : { credentials: CREDENTIALS };
  const user = await org.createUser({ ...credentials, query: status === 'STAGED' ? '?activate=false' : '' });
  if (status === 'LOCKED_OUT') await lockOut(org.admin, user.id);
  const operation = BROUGHT_BY[status];
  if (operation !== undefined) await org.admin.post(`${userPath(user.id)}/lifecycle/${operation}`);
  const { body } = await org.admin.get(userPath(user.id));
  if (body.status !== status) throw new Error(`the user is ${body.status}, not ${status}`);
  return body;
}

export { newProfile, USER_STATUSES, type UserStatus };

export const eventsOf = (org: TestOrg, response: TestResponse): Promise<TestResponse['body'][]> =>
  org.systemLog(`transaction.id eq "${String(response.headers['x-svc-request-id'])}"`);

/** Returns the links in the `Link` header by relation, each as a path with its query. */
export function linksOf(response: TestResponse): Readonly<Record<string, string>> {
  const header = response.headers['link'];
  const lines = (Array.isArray(header) ? header.join(', ') : (header ?? '')).split(/,\s*(?=<)/);
  const links = lines.flatMap((line) => {
    const match = /^<https:\/\/[^/]+([^>]*)>; rel="(\w+)"$/.exec(line);
    return match === null ? [] : [[match[2] ?? '', match[1] ?? ''] as const];
  });
  return Object.fromEntries(links);
}

export interface Pages {
  readonly users: TestResponse['body'][];
  readonly sizes: readonly number[];
  readonly last: TestResponse;
}

/** Follows the links `next` (or `prev`) to the end. `between` runs between two pages. */
export async function followPages(
  client: TestClient,
  path: string,
  options: { readonly relation?: 'next' | 'prev'; readonly between?: () => Promise<unknown> } = {},
): Promise<Pages> {
  const users: TestResponse['body'][] = [];
  const sizes: number[] = [];
  for (let at: string = path; sizes.length < 1_000; ) {
    const page = await client.get(at);
    if (page.status !== 200) throw new Error(`${at} answered ${page.status}: ${page.text}`);
    users.push(...page.body);
    sizes.push(page.body.length);
    const next = linksOf(page)[options.relation ?? 'next'];
    if (next === undefined) return { users, sizes, last: page };
    await options.between?.();
    at = next;
  }
  throw new Error('the pages do not end');
}

export const searchPath = (search: string, rest = ''): string =>
  `/api/v1/users?search=${encodeURIComponent(search)}${rest}`;
export const filterPath = (filter: string, rest = ''): string =>
  `/api/v1/users?filter=${encodeURIComponent(filter)}${rest}`;
