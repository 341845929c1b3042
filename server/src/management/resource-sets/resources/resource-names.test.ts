import { describe, expect, test } from 'vitest';
import { toOrgId } from '../../../kernel/words/ids.ts';
import { namespaceOf } from '../../../kernel/words/namespace.ts';
import { namesOf, readResource } from './resource-names.ts';

const ORG = '00o123456789abcdeXYZ';
const ID = '123456789abcdeXYZ';
const context = { baseUrl: 'https://acme.example', namespace: namespaceOf('svc'), orgId: toOrgId(ORG) };

describe('what names a resource', () => {
  test.each([
    ['https://acme.example/api/v1/users', 'users', ''],
    [`https://acme.example/api/v1/users/00u${ID}`, 'user', `00u${ID}`],
    ['https://acme.example/api/v1/groups', 'groups', ''],
    [`https://acme.example/api/v1/groups/00g${ID}`, 'group', `00g${ID}`],
    [`https://acme.example/api/v1/groups/00g${ID}/users`, 'groupUsers', `00g${ID}`],
    ['https://acme.example/api/v1/apps', 'apps', ''],
    [`https://acme.example/api/v1/apps/0oa${ID}`, 'app', `0oa${ID}`],
    ['https://acme.example/api/v1/apps?filter=name+eq+"slack"', 'appName', 'slack'],
    ['https://acme.example/api/v1/apps?filter=name%20eq%20%22slack%22', 'appName', 'slack'],
    ['https://acme.example/api/v1/idps', 'identityProviders', ''],
    ['https://acme.example/api/v1/iam', 'iam', ''],
    [`orn:svc:directory:${ORG}:users`, 'users', ''],
    [`orn:svc:directory:${ORG}:users:00u${ID}`, 'user', `00u${ID}`],
    [`orn:svcpreview:directory:${ORG}:users:00u${ID}`, 'user', `00u${ID}`],
    [`orn:svcpreview:idp:${ORG}:apps`, 'apps', ''],
    [`orn:svc:directory:${ORG}:groups:00g${ID}`, 'group', `00g${ID}`],
    [`orn:svc:directory:${ORG}:groups:00g${ID}:contained_resources`, 'groupUsers', `00g${ID}`],
    [`orn:svc:idp:${ORG}:apps`, 'apps', ''],
    [`orn:svc:idp:${ORG}:apps:slack`, 'appName', 'slack'],
    [`orn:svc:idp:${ORG}:apps:0oa${ID}`, 'app', `0oa${ID}`],
    [`orn:svc:idp:${ORG}:apps:oidc_client:0oa${ID}`, 'app', `0oa${ID}`],
  ])('%s is %s %s', (text, kind, key) => expect(readResource(text, context)).toEqual({ kind, key }));

  test.each([
    '',
    'users',
    'https://acme.example',
    'https://acme.example.evil.test/api/v1/users',
    'https://other.example/api/v1/users',
    'https://acme.example/api/v1/users/',
    'https://acme.example/api/v1/users/../groups',
    `https://acme.example/api/v1/users/00u${ID}/users`,
    `https://acme.example/api/v1/apps/0oa${ID}/users`,
    'https://acme.example/api/v1/apps?filter=name+eq+"a"+or+id+pr',
    'https://acme.example/api/v1/apps?q=slack',
    'https://acme.example/api/v1/toString',
    `orn:okta:directory:${ORG}:users`,
    `orn:oktapreview:directory:${ORG}:users`,
    `orn:preview:directory:${ORG}:users`,
    `orn:svcpreviewpreview:directory:${ORG}:users`,
    'orn:svcpreview:directory:00oother89abcdefXYZ:users',
    'orn:svc:directory:00oother89abcdefXYZ:users',
    `orn:svc:directory:00oother89abcdefgXYZ:users:00u${ID}`,
    `orn:svc:directory:${ORG}:users:00u${ID}:contained_resources`,
    `orn:svc:directory:${ORG}:apps`,
    `orn:svc:idp:${ORG}:users`,
    `orn:svc:idp:${ORG}:apps:slack:toString`,
    `orn:svc:directory:${ORG}:groups:00g${ID}:owners`,
  ])('%j names none', (text) => expect(() => readResource(text, context)).toThrow('resources'));

  test.each([
    ['users', '', 'https://acme.example/api/v1/users', `orn:svc:directory:${ORG}:users`],
    [
      'groupUsers',
      '00g',
      'https://acme.example/api/v1/groups/00g/users',
      `orn:svc:directory:${ORG}:groups:00g:contained_resources`,
    ],
    ['app', '0oa', 'https://acme.example/api/v1/apps/0oa', `orn:svc:idp:${ORG}:apps:0oa`],
    [
      'appName',
      'slack',
      'https://acme.example/api/v1/apps?filter=name+eq+%22slack%22',
      `orn:svc:idp:${ORG}:apps:slack`,
    ],
  ] as const)('%s %j is told as %s', (kind, key, address, orn) => {
    expect(namesOf({ kind, key }, context)).toEqual({ address, orn });
  });
});
