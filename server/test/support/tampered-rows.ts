import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { bookmarkApp, passwordApp } from './app-assignments.ts';
import { newSamlApp } from './app-kinds.ts';
import { APPS, createApp, newPublicJwk, serviceApp } from './apps.ts';
import { customize, templatesOf } from './email-templates.ts';
import { createRule } from './group-rules.ts';
import { createGroup } from './groups.ts';
import { newProviderKey } from './identity-providers.ts';
import { pngOf } from './images.ts';
import { multipart, PNG } from './multipart.ts';
import { assign, bindRole, createCustomRole, withTargets } from './roles.ts';
import type { TestOrg } from './service.ts';
import { giveImage } from './themes.ts';

/**
 * The case, the table, a part of the row's line, the path of a member, its new value, and a part of the expected
 * reason.
 */
export type Tampering = readonly [string, string, string, string, unknown, string];

const RANGE = '/api/v1';

/** This image is valid as a page background, but not as an icon, which must be square. */
const WIDE = pngOf({ width: 600 });

async function made(org: TestOrg, method: 'post' | 'put', path: string, body: object): Promise<void> {
  const { status, text } = await org.admin[method](`${RANGE}${path}`, { body });
  expect(status, text).toBeLessThan(300);
}

async function fillApps(org: TestOrg): Promise<void> {
  const client = await createApp(org, serviceApp());
  await made(org, 'post', `/apps/${client.id}/credentials/jwks`, newPublicJwk('tampered'));
  await made(org, 'post', `/apps/${client.id}/grants`, { issuer: org.baseUrl, scopeId: 'svc.users.read' });
  const [mapping] = (await org.admin.get(`/api/v1/mappings?targetId=${client.id}`)).body;
  const nickname = { expression: 'user.nickName', pushStatus: 'PUSH' };
  await made(org, 'post', `/mappings/${mapping.id}`, { properties: { nickname } });
  const app = await createApp(org, newSamlApp());
  const profile = { authScheme: 'TOKEN', token: 'a-token-4711' };
  const connection = { baseUrl: 'https://scim.example/v2', profile };
  await made(org, 'post', `/apps/${app.id}/connections/default?activate=true`, connection);
  await made(org, 'put', `/apps/${app.id}/features/USER_PROVISIONING`, { update: { profile: { status: 'ENABLED' } } });
  await made(org, 'post', `/apps/${app.id}/credentials/keys/generate?validityYears=2`, {});
  expect((await org.admin.post(`${APPS}/${app.id}/logo`, multipart('file', PNG))).status).toBeLessThan(300);
  const credentials = { credentials: { userName: 'tampered' } };
  const [user, group] = [await org.createUser(), await createGroup(org)];
  await made(org, 'post', `/apps/${(await createApp(org, bookmarkApp())).id}/users`, { id: user.id });
  await made(org, 'post', `/apps/${(await createApp(org, passwordApp())).id}/users`, { id: user.id, ...credentials });
  await made(org, 'put', `/apps/${app.id}/groups/${group.id}`, { priority: 3 });
}

async function fillRoles(org: TestOrg): Promise<void> {
  const group = await createGroup(org);
  await createRule(org, [(await createGroup(org)).id], 'user.city == "Tampered"', { name: 'Tampered' });
  await withTargets(org, 'USER_ADMIN', { groups: [group.id] });
  await assign(org, `/api/v1/groups/${group.id}`, 'APP_ADMIN');
  await bindRole(org, { paths: [`/api/v1/groups/${group.id}`] });
  const role = await createCustomRole(org, 'groups.read');
  const include = { 'svc:ResourceAttribute/User/Profile': ['city'] };
  await made(org, 'post', `/iam/roles/${role.id}/permissions/svc.users.read`, { conditions: { include } });
}

export async function fillParts(org: TestOrg): Promise<void> {
  await fillApps(org);
  await fillRoles(org);
  const scopes = [{ type: 'CORS' }];
  await made(org, 'post', '/trustedOrigins', { name: 'Tampered', origin: 'https://tampered.example', scopes });
  await made(org, 'post', '/behaviors', { name: 'Tampered', type: 'VELOCITY' });
  await customize(org, 'UserActivation', { subject: 'Tampered' });
  const settings = await org.admin.put(`${await templatesOf(org)}/AccountLockout/settings`, {
    body: { recipients: 'NO_USERS' },
  });
  expect(settings.status, settings.text).toBe(200);
  await giveImage(org, 'logo', PNG);
  await giveImage(org, 'background-image', WIDE);
  await made(org, 'post', '/idps/credentials/keys', newProviderKey());
  const side = (name: string) => ({ name, title: name, description: name, type: 'USER' });
  await made(org, 'post', '/meta/schemas/user/linkedObjects', { primary: side('boss'), associated: side('hand') });
}

const hexOf = (text: string): string => `\\x${Buffer.from(text).toString('hex')}`;
const PAGE = hexOf('<html><script>alert(1)</script></html>');
const ACTIVE = hexOf('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
/** A name with a very long run of combining marks. */
const MARKS = `a${'\u0301'.repeat(5_000)}`;

const ORIGIN_ROWS: readonly Tampering[] = [
  ['an origin with a path', 'trusted_origins', 'Tampered', 'origin', 'https://a.example/b', 'as browsers send it'],
  [
    'an origin that is code',
    'trusted_origins',
    'Tampered',
    'origin',
    'javascript:alert(1)',
    'must have the scheme http',
  ],
  ['a scope of no kind', 'trusted_origins', 'Tampered', 'scopes', [{ type: 'ALL' }], 'scopes.type: must be one of'],
  ['marks without an end', 'trusted_origins', 'Tampered', 'name', MARKS, 'combining marks'],
  ['a name longer than a request', 'trusted_origins', 'Tampered', 'name', 'a'.repeat(1_100_000), 'must be at most'],
  ['a detection of no type', 'behaviors', 'Tampered', 'type', 'OTHER', 'type'],
  ['a speed of nothing', 'behaviors', 'Tampered', 'settings.velocityKph', -1, 'velocityKph'],
  ['a language that is none', 'email_customizations', 'Tampered', 'language', '../../etc', 'language tag'],
  ['a mail with a script', 'email_customizations', 'Tampered', 'body', '<script>${activationLink}</script>', 'scripts'],
  ['a mail without its link', 'email_customizations', 'Tampered', 'body', 'Dear you', 'must contain'],
  ['a subject of two lines', 'email_customizations', 'Tampered', 'subject', 'a\r\nBcc: b@c.example', 'one line'],
  ['mails that must come', 'email_template_settings', '', 'template', 'ForgotPassword', 'recipients'],
  ['a picture that is a page', 'theme_images', '', 'content', PAGE, 'must be one complete image'],
  ['a picture of another kind', 'theme_images', '', 'media_type', 'image/jpeg', 'that of the content'],
  ['an icon that is no icon', 'themes', '', 'favicon', createHash('sha256').update(WIDE).digest('hex'), 'square'],
  ['a picture that is no bytes', 'theme_images', '', 'content', 'PNG', 'hexadecimal'],
  ['a picture without an end', 'theme_images', '', 'content', `\\x${'00'.repeat(2_000_001)}`, 'at most'],
];

const PART_ROWS: readonly Tampering[] = [
  ['a private key', 'app_keys', 'tampered', 'jwk.d', 'AAAA', 'private keys must never'],
  ['certificates from elsewhere', 'app_keys', 'tampered', 'jwk.x5u', 'https://a.example', 'would have stored'],
  ['a point beside the curve', 'app_keys', 'tampered', 'jwk.x', 'AAAA', 'point of the curve'],
  ['a key of another name', 'app_keys', 'tampered', 'kid', 'other', 'that of the key'],
  ['a logo that acts', 'app_logos', '', 'content', ACTIVE, 'must not contain'],
  ['a logo of another kind', 'app_logos', '', 'media_type', 'image/svg+xml', 'that of the content'],
  [
    'an app asked in the clear',
    'app_provisioning',
    'scim',
    'base_url',
    'http://scim.example',
    'must have the scheme https',
  ],
  ['an unknown feature', 'app_provisioning', 'scim', 'features', { ALL: {} }, 'feature'],
  [
    'a capability of no kind',
    'app_provisioning',
    'scim',
    'features.USER_PROVISIONING.update.profile.status',
    'MAYBE',
    'profile.status',
  ],
  ['a scope of everything', 'app_grants', '', 'scope', 'everything', 'There is no such scope'],
  ['a name of two lines', 'app_users', '"user_name":"', 'user_name', 'a\nb', 'control characters'],
  ['a place before all', 'app_groups', '', 'priority', -5, 'priority'],
  ['a certificate that is none', 'identity_provider_keys', '', 'jwk.x5c', ['AAAA'], 'certificate'],
  ['the key of another', 'identity_provider_keys', '', 'jwk.n', 'AAAA', 'would have stored'],
  ['a certificate for ever', 'identity_provider_keys', '', 'expires_at', '2999-01-01T00:00:00Z', 'expires_at'],
  ['a mapping of no kind', 'profile_mappings', '"properties":{', 'properties.nickname.pushStatus', 'A', 'pushStatus'],
  [
    'a mapping without an end',
    'profile_mappings',
    '"properties":{',
    'properties',
    { a: { expression: '((', pushStatus: 'PUSH' } },
    'at position',
  ],
];

const ROLE_ROWS: readonly Tampering[] = [
  ['a login that is not shown', 'users', '', 'profile.login', 'other@a.example', 'the login of the user'],
  ['a login that is found by another', 'users', '', 'login_key', 'other@a.example', 'that of the login'],
  ['a name that is not shown', 'groups', '', 'profile.name', 'Other', 'the name of the group'],
  ['a relation of no name', 'linked_object_definitions', 'boss', 'primary_name', 'a b', 'must begin with a letter'],
  ['a title of two lines', 'linked_object_definitions', 'boss', 'associated_title', 'a\nb', 'associated.title'],
  ['a rule without an end', 'group_rules', 'Tampered', 'expression', '((', 'at position'],
  [
    'a rule for every group',
    'group_rules',
    'Tampered',
    'target_group_ids',
    Array.from({ length: 101 }, (_, index) => `00g${index}`),
    'at most 100',
  ],
  ['a role that there is not', 'user_role_assignments', '', 'role_type', 'EVERYTHING', 'no such role'],
  ['a role that takes no targets', 'user_role_assignments', 'SUPER_ADMIN', 'is_targeted', true, 'has no targets'],
  ['a group’s role that there is not', 'group_role_assignments', '', 'role_type', 'CUSTOM', 'no such role'],
  ['a target of another kind', 'role_targets', '', 'target_type', 'APP_NAME', 'no such targets'],
  ['a role that looks like an id', 'custom_roles', '', 'description', ' ', 'description'],
  ['a permission that there is not', 'custom_role_permissions', '', 'permission', 'all', 'is not a permission'],
  [
    'a condition on nothing',
    'custom_role_permissions',
    '"conditions":{',
    'conditions',
    { include: [] },
    'names of attributes',
  ],
  ['a set without a description', 'resource_sets', '', 'description', '', 'description'],
  ['a resource of no kind', 'resource_set_resources', '"group"', 'kind', 'everything', 'no such kind'],
  ['a resource that is a path', 'resource_set_resources', '"group"', 'key', '../users', 'is not a resource'],
  [
    'an exclusion of everything',
    'resource_set_resources',
    '"group"',
    'excluded',
    [{ kind: 'users', key: '' }],
    'all of a kind',
  ],
  ['a token for nowhere', 'api_tokens', '', 'network', { connection: 'NEAR' }, 'connection'],
];

export const TAMPERED_PARTS = [
  ['origins, mails and images', ORIGIN_ROWS],
  ['parts of apps', PART_ROWS],
  ['people, roles and sets', ROLE_ROWS],
] as const;
