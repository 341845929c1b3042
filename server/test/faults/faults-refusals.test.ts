import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { kindNamed, newAppOf } from '../support/app-kinds.ts';
import { APPS, createApp } from '../support/apps.ts';
import { createServerPath, newClaim } from '../support/authorization-servers.ts';
import { newRule, RULES } from '../support/group-rules.ts';
import { createGroup } from '../support/groups.ts';
import { multipart } from '../support/multipart.ts';
import { defaultPolicyPath, newRoutingRule } from '../support/policies.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

// F29 (docs/faults.md): the server does not keep refused input in memory. Each refused input is different.

setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');

function usedMegabytes(): number {
  if (typeof collect !== 'function') throw new Error('the heap cannot be cleaned up');
  collect();
  return process.memoryUsage().heapUsed / 1_048_576;
}

const { org } = useService({ isShared: false });

type Refused = (count: number) => ReturnType<TestOrg['admin']['post']>;

const SCHEMA = '/api/v1/meta/schemas/user/default';
const pattern = (count: number): string => `${'(?:a?){1000}'.repeat(40)}x${count}`;
const attribute = { title: 'a', type: 'string' };

const KINDS: Readonly<Record<string, () => Promise<Refused>>> = {
  'patterns of attributes of their own': async () => (count) =>
    org.admin.post(SCHEMA, {
      body: { definitions: { custom: { properties: { zz: { ...attribute, pattern: pattern(count) } } } } },
    }),
  'patterns of attributes that all have': async () => (count) =>
    org.admin.post(SCHEMA, { body: { definitions: { base: { properties: { login: { pattern: pattern(count) } } } } } }),
  'expressions of group rules': async () => {
    const group = (await createGroup(org)).id;
    return (count) =>
      org.admin.post(RULES, {
        body: newRule([group], `isMemberOfGroupNameRegex("${'(?:\\pL?){1000}'.repeat(400)}x${count}")`),
      });
  },
  'claims of groups': async () => {
    const claims = `${await createServerPath(org)}/claims`;
    const groups = { valueType: 'GROUPS', group_filter_type: 'REGEX' };
    return (count) => org.admin.post(claims, { body: newClaim({ ...groups, value: pattern(count) }) });
  },
  'routing rules': async () => {
    const rules = `${await defaultPolicyPath(org, 'IDP_DISCOVERY')}/rules`;
    return (count) => {
      const patterns = [{ matchType: 'EXPRESSION', value: `${'(?:a?){1000}'.repeat(15)}x${count}` }];
      return org.admin.post(rules, { body: newRoutingRule({ conditions: { userIdentifier: { patterns } } }) });
    };
  },
  images: async () => {
    const { id } = await createApp(org, newAppOf(kindNamed('BOOKMARK bookmark')));
    return (count) => {
      const content = Buffer.from(`<svg xmlns="x"><a href=${' '.repeat(20_000)}${count} onload=""></svg>`);
      return org.admin.post(`${APPS}/${id}/logo`, multipart('file', content));
    };
  },
};

test.each(Object.entries(KINDS))(
  '%s: two hundred refusals leave nothing behind',
  async (_, prepare) => {
    const send = await prepare();
    const sendMany = async (from: number, count: number): Promise<void> => {
      for (let at = from; at < from + count; at += 20) {
        const answers = await Promise.all(Array.from({ length: 20 }, (__, index) => send(at + index)));
        for (const { status, text } of answers) expect(status, text).toBe(400);
      }
    };
    await sendMany(0, 20);
    const before = usedMegabytes();
    await sendMany(20, 200);
    expect(usedMegabytes() - before).toBeLessThan(8);
  },
  120_000,
);
