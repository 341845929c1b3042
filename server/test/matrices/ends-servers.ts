import { rotateSigningKey } from '../../src/oauth/index.ts';
import { masterKeyOf } from '../../src/platform/crypto/index.ts';
import { good } from '../support/custom-servers.ts';
import { makeTestKeyPair } from '../support/made-keys.ts';
import { operatorContext } from '../support/org-settings.ts';
import { type Ending, lifecycle, remove } from './ends-ending.ts';
import type { EndsWorld } from './ends-world.ts';

/** This key must equal the master key of test services. */
const MASTER_KEY = masterKeyOf(Buffer.alloc(32, 7));
const USE = { body: { use: 'sig' } };
const policyPath = ({ server }: EndsWorld): string => `${server.path}/policies/${server.policyId}`;
const rulePath = (world: EndsWorld): string => `${policyPath(world)}/rules/${world.server.ruleId}`;

export const SERVER_ENDINGS: readonly Ending[] = [
  {
    name: 'the authorization server is deactivated',
    alone: 'server',
    events: ['oauth2.as.deactivated'],
    ends: ['server', 'serverWatermark'],
    apply: (world) => lifecycle(world, world.server.path, 'deactivate'),
  },
  {
    name: 'the authorization server is deactivated and activated',
    alone: 'server',
    events: ['oauth2.as.deactivated'],
    ends: ['serverWatermark'],
    apply: (world) => lifecycle(world, world.server.path, 'deactivate', 'activate'),
  },
  {
    name: 'the authorization server is deleted',
    alone: 'server',
    events: ['oauth2.as.deleted'],
    ends: ['server', 'serverWatermark'],
    apply: async (world) => {
      await lifecycle(world, world.server.path, 'deactivate');
      await remove(world, world.server.path);
    },
  },
  ...(['deactivate', 'delete'] as const).flatMap((action): Ending[] => [
    {
      name: `the policy of the authorization server: ${action}`,
      alone: 'server',
      events: [`policy.lifecycle.${action}`],
      ends: ['policy'],
      apply: (world) =>
        action === 'delete' ? remove(world, policyPath(world)) : lifecycle(world, policyPath(world), action),
    },
    {
      name: `the rule of the authorization server: ${action}`,
      alone: 'server',
      events: [`policy.rule.${action}`],
      ends: ['policy'],
      apply: (world) =>
        action === 'delete' ? remove(world, rulePath(world)) : lifecycle(world, rulePath(world), action),
    },
  ]),
  {
    name: 'a scope of the authorization server is deleted',
    alone: 'server',
    events: ['oauth2.scope.deleted'],
    ends: ['scope'],
    apply: (world) => remove(world, `${world.server.path}/scopes/${world.scopeId}`),
  },
  {
    name: 'a claim of the authorization server is deleted',
    alone: 'server',
    events: ['oauth2.claim.deleted'],
    ends: [],
    apply: async (world) => {
      const claims = `${world.server.path}/claims`;
      const claim = { name: 'team', claimType: 'RESOURCE', valueType: 'EXPRESSION', value: '"a"', status: 'ACTIVE' };
      const { id } = await good(world.org.admin.post(claims, { body: claim }));
      await remove(world, `${claims}/${id}`);
    },
  },
  {
    name: 'the authorization server signs with another key: the former one is published until its tokens are over',
    alone: 'server',
    events: ['app.oauth2.as.key.rollover'],
    ends: [],
    apply: (world) => good(world.org.admin.post(`${world.server.path}/credentials/lifecycle/keyRotate`, USE)),
  },
  {
    name: 'the org signs with another key: the former one is published until its tokens are over',
    alone: 'org',
    events: ['app.oauth2.key.rollover'],
    ends: [],
    apply: ({ org, service }) =>
      rotateSigningKey(
        { work: service.application.work, makeKeyPair: makeTestKeyPair, masterKey: MASTER_KEY },
        operatorContext(service, org),
        {
          atOnce: true,
        },
      ),
  },
  {
    // No API request removes all keys, so the test deletes the rows.
    name: 'all keys of the org are removed',
    alone: 'org',
    events: [],
    ends: ['key'],
    apply: ({ org, service }) => service.database.pool.query('delete from signing_keys where org_id = $1', [org.id]),
  },
];
