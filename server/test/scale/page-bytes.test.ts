import { expect, test } from 'vitest';
import { assign, newApp } from '../support/app-assignments.ts';
import { beforeTests } from '../support/before-tests.ts';
import { createGroup } from '../support/groups.ts';
import { useService } from '../support/use-service.ts';

/** Older versions could store rows of 3 MB, of which four exceed a page (docs/review-findings.md, security 12). */
const ROWS = 4;
const LONG = `jsonb_build_object('title', repeat('x', 3000000))`;
const MAXIMUM_PAGE_CHARACTERS = 9_000_000;

const { service } = useService();
const org = beforeTests(() => service.newOrg());

async function walk(path: string): Promise<string[][]> {
  const pages: string[][] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const { body, headers, status, text } = await org.admin.get(next);
    expect(status).toBe(200);
    expect(text.length).toBeLessThan(MAXIMUM_PAGE_CHARACTERS);
    pages.push(body.map(({ id }: { id: string }) => id));
    const link: string | undefined = /<https:\/\/[^/]+([^>]+)>; rel="next"/.exec(String(headers['link']))?.[1];
    next = link;
  }
  return pages;
}

test('lists of long rows end early, with a link to what follows, and leave nothing out', async () => {
  const app = await newApp(org);
  const ids: Record<'users' | 'groups', string[]> = { users: [], groups: [] };
  for (let row = 0; row < ROWS; row += 1) {
    const user = await org.createUser();
    await assign(org, app, user);
    ids.users.push(user.id);
    ids.groups.push((await createGroup(org)).id);
  }
  const { pool } = service.application;
  for (const [table, column, rows] of [
    ['users', 'id', ids.users],
    ['app_users', 'user_id', ids.users],
    ['groups', 'id', ids.groups],
  ] as const) {
    const text = `update ${table} set profile = profile || ${LONG} where org_id = $1 and ${column} = any($2::text[])`;
    await pool.query(text, [org.id, rows]);
  }
  const lists = {
    '/api/v1/users?limit=200': ids.users,
    '/api/v1/users?limit=200&search=status%20pr': ids.users,
    '/api/v1/groups?limit=200': ids.groups,
    [`/api/v1/apps/${app.id}/users?limit=200`]: ids.users,
  };
  for (const [path, expected] of Object.entries(lists)) {
    const pages = await walk(path);
    expect([path, pages.length > 1]).toEqual([path, true]);
    const found = pages.flat();
    expect(new Set(found).size).toBe(found.length);
    expect(found).toEqual(expect.arrayContaining(expected));
  }
});
