import { beforeEach, describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import type { TestResponse } from '../support/client.ts';
import { createVerifiedHook, HOOKS, newHook, startHookReceiver, until } from '../support/hook-receiver.ts';
import { bodiesIn, HTTPS_HOST, startLogStreamReceiver } from '../support/log-stream-receiver.ts';
import { createStream, newHttpsStream, STREAMS } from '../support/log-streams.ts';
import { assign as assignRole, type Holder } from '../support/roles.ts';
import { type TestOrg } from '../support/service.ts';
import { withScopes } from '../support/service-clients.ts';
import { useService } from '../support/use-service.ts';
import { userPath } from '../support/users.ts';

// A hook or stream that has an owner receives values of attributes only while the owner may see all of them (ADR 0050).

const hooks = beforeTests(startHookReceiver);
const streams = beforeTests(startLogStreamReceiver);
const { service } = useService(() => ({ outbound: hooks.outbound() }));
const { service: streamService } = useService(() => ({ outbound: streams.outbound() }));
let org: TestOrg;

type Body = TestResponse['body'];
const UPDATE = 'user.account.update_profile';

let changes = 0;
async function change(of: TestOrg, userId: string): Promise<string> {
  changes += 1;
  const city = `City${changes}`;
  const { status, text } = await of.admin.post(userPath(userId), { body: { profile: { city } } });
  expect(status, text).toBe(200);
  return city;
}

async function demote(of: TestOrg, owner: Holder): Promise<void> {
  const roles = `${userPath(owner.userId)}/roles`;
  for (const { id } of (await of.admin.get(roles)).body) {
    expect((await of.admin.del(`${roles}/${id}`)).status).toBe(204);
  }
}

const gone = (of: TestOrg, owner: Holder) => of.admin.post(`${userPath(owner.userId)}/lifecycle/deactivate`);

describe('an event hook', () => {
  let owner: Holder;
  let hook: Body;
  let userId: string;
  const changed = newHook;

  beforeEach(async () => {
    hooks.reset();
    org = await service.newOrg();
    owner = await org.withRoles('SUPER_ADMIN');
    userId = (await org.createUser()).id;
    await service.drained();
    const body = changed(hooks.uri('/in'), { events: { type: 'EVENT_TYPE', items: [UPDATE], filter: null } });
    hook = await createVerifiedHook({ ...org, admin: owner }, body);
  });

  async function told(): Promise<{ readonly city: string; readonly details: Body; readonly target: Body }> {
    const before = hooks.events(org).length;
    const city = await change(org, userId);
    await until('the change', () => hooks.events(org).length > before);
    const [target] = hooks.events(org).at(-1).target;
    return { city, details: target.changeDetails, target };
  }

  async function expectNames(): Promise<void> {
    const { details, target } = await told();
    expect(details).toEqual({ from: { city: null }, to: { city: null } });
    expect(target).toMatchObject({ id: userId, alternateId: expect.any(String), displayName: expect.any(String) });
  }

  async function expectValues(): Promise<void> {
    const { city, details } = await told();
    expect(details.to).toEqual({ city });
  }

  test('tells values while its owner may read them, and names from then on', async () => {
    await expectValues();
    await demote(org, owner);
    await expectNames();
    await assignRole(org, userPath(owner.userId), 'REPORT_ADMIN');
    await expectNames();
    await assignRole(org, userPath(owner.userId), 'READ_ONLY_ADMIN');
    await expectValues();
    await gone(org, owner);
    await expectNames();
    await org.admin.del(userPath(owner.userId));
    await expectNames();
  });

  test('is its who replaced or activated it last', async () => {
    await demote(org, owner);
    await expectNames();
    const path = `${HOOKS}/${hook.id}`;
    const { name, events } = hook;
    const channel = changed(hooks.uri('/in'))['channel'];
    const replaced = await org.admin.put(path, { body: { name, events, channel } });
    expect(replaced.status, replaced.text).toBe(200);
    await expectValues();
    const other = await org.withRoles('ORG_ADMIN');
    for (const action of ['deactivate', 'activate']) {
      expect((await other.post(`${path}/lifecycle/${action}`)).status).toBe(200);
    }
    await expectValues();
    await demote(org, other);
    await expectNames();
  });

  test('may be an app’s, which is not called by the id of its app', async () => {
    const [clientId, roles] = ['Owner.of-hooks', '/oauth2/v1/clients/Owner.of-hooks/roles'];
    const app = await withScopes(service, org, ['eventHooks.manage'], ['SUPER_ADMIN'], { clientId });
    for (const action of ['deactivate', 'activate']) {
      expect((await app.post(`${HOOKS}/${hook.id}/lifecycle/${action}`)).status).toBe(200);
    }
    await demote(org, owner);
    await expectValues();
    for (const { id } of (await org.admin.get(roles)).body) await org.admin.del(`${roles}/${id}`);
    await expectNames();
  });

  test('that is older than owners tells what it told', async () => {
    await service.database.pool.query('update event_hooks set owner_id = null where org_id = $1', [org.id]);
    await demote(org, owner);
    await expectValues();
  });
});

test('a log stream tells values while its owner may read them, and names from then on', async () => {
  org = await streamService.newOrg();
  const owner = await org.withRoles('SUPER_ADMIN');
  const { id: userId } = await org.createUser();
  await streamService.drained();
  const body = newHttpsStream({ url: `https://${HTTPS_HOST}/in` });
  const stream = await createStream({ ...org, admin: owner }, body);
  const sent = (): Body[] =>
    streams.taken
      .flatMap(bodiesIn)
      .map((text): Body => JSON.parse(text))
      .filter(({ eventType }) => eventType === UPDATE);
  async function next(): Promise<readonly [city: string, told: Body]> {
    const before = sent().length;
    const city = await change(org, userId);
    await until('the change', () => sent().length > before);
    return [city, sent().at(-1).target[0].changeDetails.to];
  }
  const [first, values] = await next();
  expect(values).toEqual({ city: first });
  await demote(org, owner);
  expect((await next())[1]).toEqual({ city: null });
  // The administrator who activates the stream again becomes its owner.
  for (const action of ['deactivate', 'activate']) {
    expect((await org.admin.post(`${STREAMS}/${stream.id}/lifecycle/${action}`)).status).toBe(200);
  }
  const [last, again] = await next();
  expect(again).toEqual({ city: last });
});
