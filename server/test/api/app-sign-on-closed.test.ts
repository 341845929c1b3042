import { expect, test } from 'vitest';
import { findShutApps } from '../../src/management/policies/index.ts';
import { createApp } from '../support/apps.ts';
import { CLOSED_RULE, createPolicy, POLICIES } from '../support/policies.ts';
import { useService } from '../support/use-service.ts';

/** This file tests access policy rules with conditions or requirements that cannot be evaluated yet (ADR 0053). */
const { service, org } = useService();

const headerOf = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) =>
  headers['x-policy-evaluation'];

test('of an access policy answers say that an active rule asks for what cannot be told yet', async () => {
  const policy = await createPolicy(org, { type: 'ACCESS_POLICY', name: 'Closed' });
  const path = `${POLICIES}/${policy.id}`;
  const added = await org.admin.post(`${path}/rules`, { body: { name: 'Rule', ...CLOSED_RULE } });
  const place = `${path}/rules/${added.body.id}`;
  const list = `${POLICIES}?type=ACCESS_POLICY`;
  const told = async () =>
    Promise.all(
      [list, path, `${path}?expand=rules`, `${path}/rules`, place].map(async (url) =>
        headerOf(await org.admin.get(url)),
      ),
    );
  expect(headerOf(added)).toBe('closed');
  const app = await createApp(org);
  const shut = async () => (await findShutApps(service.database.db)).filter(({ rule }) => rule === 'Rule');
  expect(await shut()).toEqual([]);
  await org.admin.put(`/api/v1/apps/${app.id}/policies/${policy.id}`);
  const closed = ['conditions.riskScore', 'conditions.device', 'conditions.platform', 'conditions.elCondition'];
  const asked = 'actions.appSignOn.verificationMethod';
  const parts = [...closed, `${asked}.factorMode`, `${asked}.constraints`];
  expect(await shut()).toMatchObject([{ policy: 'Closed', rule: 'Rule', apps: [app.label], parts }]);
  expect(await told()).toEqual(['closed', 'closed', 'closed', 'closed', 'closed']);
  await org.admin.post(`${path}/lifecycle/deactivate`);
  expect((await told()).slice(0, 3)).toEqual([undefined, undefined, undefined]);
  await org.admin.post(`${path}/lifecycle/activate`);
  const actions = { appSignOn: { access: 'ALLOW', verificationMethod: { type: 'ASSURANCE', factorMode: '1FA' } } };
  const mended = await org.admin.put(place, { body: { name: 'Rule', actions } });
  expect({ status: mended.status, header: headerOf(mended) }).toEqual({ status: 200, header: undefined });
  expect(new Set(await told())).toEqual(new Set([undefined]));
  expect(await shut()).toEqual([]);
});

test('an app whose own policy is inactive is under the default policy', async () => {
  const policy = await createPolicy(org, { type: 'ACCESS_POLICY', name: 'Inactive' });
  const app = await createApp(org);
  await org.admin.put(`/api/v1/apps/${app.id}/policies/${policy.id}`);
  const listed = await org.admin.get(`${POLICIES}?type=ACCESS_POLICY`);
  const [initial] = listed.body.filter(({ system }: { system: boolean }) => system);
  const rules = `${POLICIES}/${initial.id}/rules`;
  const rule = await org.admin.post(rules, { body: { name: 'Default closed', ...CLOSED_RULE } });
  const shut = async () =>
    (await findShutApps(service.database.db)).flatMap((one) => (one.rule === 'Default closed' ? one.apps : []));
  expect(await shut()).not.toContain(app.label);
  await org.admin.post(`${POLICIES}/${policy.id}/lifecycle/deactivate`);
  expect(await shut()).toContain(app.label);
  await org.admin.del(`${rules}/${rule.body.id}`);
});

test('a replacement that says nothing of the factors keeps how many the rule asks for', async () => {
  const policy = await createPolicy(org, { type: 'ACCESS_POLICY', name: 'Kept' });
  const path = `${POLICIES}/${policy.id}/rules`;
  const modeAfter = async (place: string, name: string, appSignOn: object) => {
    const body = { name, type: 'ACCESS_POLICY', actions: { appSignOn: { access: 'ALLOW', ...appSignOn } } };
    const replaced = await org.admin.put(place, { body });
    const { factorMode } = replaced.body.actions.appSignOn.verificationMethod;
    return { factorMode, header: headerOf(replaced) };
  };
  const unsaid = [
    {},
    { verificationMethod: null },
    { verificationMethod: { reauthenticateIn: 'PT4H' } },
    { verificationMethod: { type: 'ASSURANCE', factorMode: null, reauthenticateIn: 'PT2H' } },
  ];
  const [catchAll] = (await org.admin.get(path)).body;
  const ofOne = `${path}/${catchAll.id}`;
  for (const body of unsaid) {
    expect(await modeAfter(ofOne, 'Catch-all Rule', body)).toEqual({ factorMode: '1FA', header: undefined });
  }
  const added = await org.admin.post(path, {
    body: { name: 'Two', actions: { appSignOn: { access: 'ALLOW', verificationMethod: { type: 'ASSURANCE' } } } },
  });
  expect(added.body.actions.appSignOn.verificationMethod.factorMode).toBe('2FA');
  const ofTwo = `${path}/${added.body.id}`;
  for (const body of unsaid) {
    expect(await modeAfter(ofTwo, 'Two', body)).toEqual({ factorMode: '2FA', header: 'closed' });
  }
  const said = { verificationMethod: { type: 'ASSURANCE', factorMode: '1FA' } };
  expect(await modeAfter(ofTwo, 'Two', said)).toEqual({ factorMode: '1FA', header: undefined });
});
