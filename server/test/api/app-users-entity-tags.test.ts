import { describe, expect, test } from 'vitest';
import { appGroup, appUser, assign, assignTo, newApp, newGroup } from '../support/app-assignments.ts';
import { webApp } from '../support/apps.ts';
import { beforeTests } from '../support/before-tests.ts';
import type { TestResponse } from '../support/client.ts';
import { useService } from '../support/use-service.ts';

const { org } = useService();
const app = beforeTests(() => newApp(org, webApp()));

const tagOf = ({ headers }: TestResponse): string => String(headers['etag']);
const STALE = { status: 412, body: { errorCode: 'E0000231' } };

interface Kind {
  readonly make: () => Promise<string>;
  readonly method: 'POST' | 'PUT' | 'PATCH';
  readonly body: (value: string) => unknown;
}

const madeUser = async (): Promise<string> => {
  const user = await org.createUser();
  await assign(org, app, user);
  return appUser(app, user);
};
const madeGroup = async (): Promise<string> => {
  const group = await newGroup(org);
  await assignTo(org, app, group);
  return appGroup(app, group);
};
const profileOf = (nickname: string) => ({ profile: { nickname } });

const KINDS: Readonly<Record<string, Kind>> = {
  updateApplicationUser: { make: madeUser, method: 'POST', body: profileOf },
  assignUserToApplicationById: { make: madeUser, method: 'PUT', body: profileOf },
  assignGroupToApplication: { make: madeGroup, method: 'PUT', body: profileOf },
  updateGroupAssignmentToApplication: {
    make: madeGroup,
    method: 'PATCH',
    body: (value) => [{ op: 'replace', path: '/profile/nickname', value }],
  },
};

describe.each(Object.entries(KINDS))('%s', (_, { body, make, method }) => {
  const change = (path: string, value: string, tag?: string) =>
    org.admin.send(method, path, { body: body(value), ...(tag === undefined ? {} : { headers: { 'if-match': tag } }) });

  test('takes the tag that was read, once', async () => {
    const path = await make();
    const read = await org.admin.get(path);
    expect(tagOf(read)).toMatch(/^W\/"[0-9a-f]{64}"$/);
    const changed = await change(path, 'first', tagOf(read));
    expect(changed.status).toBe(200);
    expect(tagOf(changed)).not.toBe(tagOf(read));
    expect(tagOf(await org.admin.get(path))).toBe(tagOf(changed));
    expect(await change(path, 'second', tagOf(read))).toMatchObject(STALE);
    expect(await org.admin.get(path)).toMatchObject({ body: { profile: { nickname: 'first' } } });
  });

  test('what changes nothing keeps the tag', async () => {
    const path = await make();
    const changed = await change(path, 'same');
    expect(tagOf(await change(path, 'same', tagOf(changed)))).toBe(tagOf(changed));
  });

  test('any of a list, and `*`; garbage is refused', async () => {
    const path = await make();
    const tag = tagOf(await org.admin.get(path));
    expect((await change(path, 'one', `W/"${'0'.repeat(64)}", ${tag}`)).status).toBe(200);
    expect((await change(path, 'two', '*')).status).toBe(200);
    expect(await change(path, 'three', 'no tag')).toMatchObject({ status: 400, body: { errorCode: 'E0000242' } });
  });

  test('of two administrators with the same tag one is told', async () => {
    const path = await make();
    const tag = tagOf(await org.admin.get(path));
    const answers = await Promise.all(['one', 'other'].map((value) => change(path, value, tag)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412]);
  });

  test('an assignment made anew is another one', async () => {
    const path = await make();
    const tag = tagOf(await org.admin.get(path));
    expect((await org.admin.send('DELETE', path, { headers: { 'if-match': tag } })).status).toBe(204);
    await org.admin.put(path);
    expect(await change(path, 'late', tag)).toMatchObject(STALE);
    expect(await org.admin.send('DELETE', path, { headers: { 'if-match': tag } })).toMatchObject(STALE);
  });
});

test('what is not there meets no condition', async () => {
  const user = await org.createUser();
  const headers = { 'if-match': '*' };
  expect(await org.admin.put(appUser(app, user), { headers })).toMatchObject(STALE);
  expect(await org.admin.put(appGroup(app, await newGroup(org)), { headers })).toMatchObject(STALE);
});
