import { expect, test } from 'vitest';
import { findShutApps } from '../../src/management/policies/index.ts';
import { createApp } from '../support/apps.ts';
import { CLOSED_RULE, createPolicy, POLICIES } from '../support/policies.ts';
import { useService } from '../support/use-service.ts';

/** This file tests access policy rules whose conditions cannot be evaluated yet (ADR 0053). */
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
  const actions = { appSignOn: { access: 'ALLOW', verificationMethod: { type: 'ASSURANCE', factorMode: '1FA' } } };
  const mended = await org.admin.put(place, { body: { name: 'Rule', actions } });
  expect({ status: mended.status, header: headerOf(mended) }).toEqual({ status: 200, header: undefined });
  expect(new Set(await told())).toEqual(new Set([undefined]));
  expect(await shut()).toEqual([]);
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
