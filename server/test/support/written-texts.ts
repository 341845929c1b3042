import { assign } from './app-assignments.ts';
import { APPS, webApp } from './apps.ts';
import { newClaim, newServer, newServerPolicy, newServerRule, SERVERS } from './authorization-servers.ts';
import type { TestResponse } from './client.ts';
import { newRule, RULES } from './group-rules.ts';
import { GROUPS } from './groups.ts';
import { newHook } from './hook-receiver.ts';
import { newOidcProvider } from './identity-providers.ts';
import { newFileStream, STREAMS } from './log-streams.ts';
import { newPolicy, newSignOnRule, POLICIES } from './policies.ts';
import { newProfile, type TestOrg } from './service.ts';
import { userPath } from './users.ts';

/** Resources that the entries of `WRITTEN_TEXTS` need. The test creates them once. */
export interface Place {
  readonly org: TestOrg;
  readonly server: string;
  readonly serverPolicy: string;
  readonly policy: string;
  readonly app: TestResponse['body'];
  readonly group: string;
  readonly user: TestResponse['body'];
  readonly token: string;
}

let rows = 0;
export const next = (): string => {
  rows += 1;
  return `t${rows}`;
};

type Write = (place: Place, text: string) => Promise<TestResponse>;
const post = ({ org }: Place, path: string, body: unknown): Promise<TestResponse> => org.admin.post(path, { body });

export interface WrittenText {
  readonly field: string;
  readonly write: Write;
  /** Returns the text that the response body contains. */
  readonly read?: (body: TestResponse['body']) => unknown;
  /** Whether the text must be unique. If so, its NFC and NFD forms count as the same text. */
  readonly isName?: true;
  readonly isProse?: true;
}

const nameOf = (body: TestResponse['body']): unknown => body.name;
const labelOf = (body: TestResponse['body']): unknown => body.label;

/** Requests that each store a given text, by a description of the text or of the resource that it names. */
export const WRITTEN_TEXTS: Readonly<Record<string, WrittenText>> = {
  'a name of a user': {
    field: 'firstName',
    write: (place, firstName) => post(place, '/api/v1/users', { profile: newProfile({ firstName }) }),
    read: ({ profile }) => profile.firstName,
  },
  'an attribute of a user without a length of its own': {
    field: 'costCenter',
    write: (place, costCenter) => post(place, userPath(place.user.id), { profile: { costCenter } }),
    read: ({ profile }) => profile.costCenter,
    isProse: true,
  },
  'the name of a group': {
    field: 'name',
    write: (place, name) => post(place, GROUPS, { profile: { name } }),
    read: ({ profile }) => profile.name,
    isName: true,
  },
  'the description of a group': {
    field: 'description',
    write: (place, description) => post(place, GROUPS, { profile: { name: next(), description } }),
    read: ({ profile }) => profile.description,
    isProse: true,
  },
  'a group rule': {
    field: 'name',
    write: (place, name) => post(place, RULES, newRule([place.group], undefined, { name })),
    read: nameOf,
    isName: true,
  },
  'the label of an app': {
    field: 'label',
    write: (place, label) => post(place, APPS, webApp({}, {}, { label })),
    read: labelOf,
  },
  'the name of a user in an app': {
    field: 'credentials.userName',
    write: async (place, userName) =>
      assign(place.org, place.app, await place.org.createUser(), { credentials: { userName } }),
    read: ({ credentials }) => credentials.userName,
  },
  'a zone': {
    field: 'name',
    write: (place, name) => post(place, '/api/v1/zones', { type: 'IP', name, gateways: [] }),
    read: nameOf,
    isName: true,
  },
  'a behavior': {
    field: 'name',
    write: (place, name) => post(place, '/api/v1/behaviors', { name, type: 'VELOCITY' }),
    read: nameOf,
    isName: true,
  },
  'a trusted origin': {
    field: 'name',
    write: (place, name) =>
      post(place, '/api/v1/trustedOrigins', { name, origin: `https://${next()}.example`, scopes: [{ type: 'CORS' }] }),
    read: nameOf,
    isName: true,
  },
  'a policy': {
    field: 'name',
    write: (place, name) => post(place, POLICIES, newPolicy({ name })),
    read: nameOf,
    isName: true,
  },
  'a rule of a policy': {
    field: 'name',
    write: (place, name) => post(place, `${place.policy}/rules`, newSignOnRule({ name })),
    read: nameOf,
    isName: true,
  },
  'an authorization server': {
    field: 'name',
    write: (place, name) => post(place, SERVERS, newServer({ name })),
    read: nameOf,
    isName: true,
  },
  'a policy of an authorization server': {
    field: 'name',
    write: (place, name) => post(place, `${place.server}/policies`, newServerPolicy({ name })),
    read: nameOf,
    isName: true,
  },
  'a rule of an authorization server': {
    field: 'name',
    write: (place, name) => post(place, `${place.serverPolicy}/rules`, newServerRule({ name })),
    read: nameOf,
    isName: true,
  },
  'a claim': {
    field: 'name',
    write: (place, name) => post(place, `${place.server}/claims`, newClaim({ name })),
    read: nameOf,
    isName: true,
  },
  'an identity provider': {
    field: 'name',
    write: (place, name) => post(place, '/api/v1/idps', newOidcProvider(name)),
    read: nameOf,
    isName: true,
  },
  'a custom role': {
    field: 'label',
    write: (place, label) =>
      post(place, '/api/v1/iam/roles', { label, description: 'd', permissions: ['svc.users.read'] }),
    read: labelOf,
    isName: true,
  },
  'the description of a custom role': {
    field: 'description',
    write: (place, description) =>
      post(place, '/api/v1/iam/roles', { label: next(), description, permissions: ['svc.users.read'] }),
    read: ({ description }) => description,
    isProse: true,
  },
  'a resource set': {
    field: 'label',
    write: (place, label) =>
      post(place, '/api/v1/iam/resource-sets', {
        label,
        description: 'd',
        resources: [`${place.org.baseUrl}/api/v1/users`],
      }),
    read: labelOf,
    isName: true,
  },
  'an event hook': {
    field: 'name',
    write: (place, name) => post(place, '/api/v1/eventHooks', { ...newHook('https://hooks.example/in'), name }),
    read: nameOf,
  },
  'a log stream': {
    field: 'name',
    write: (place, name) => post(place, STREAMS, { ...newFileStream(), name }),
    read: nameOf,
    isName: true,
  },
  'an API token': {
    field: 'name',
    write: (place, name) => place.org.admin.put(`/api/v1/api-tokens/${place.token}`, { body: { name } }),
    read: nameOf,
  },
  'a user type': {
    field: 'displayName',
    write: (place, displayName) => post(place, '/api/v1/meta/types/user', { name: next(), displayName }),
    read: ({ displayName }) => displayName,
  },
  'a linked object': {
    field: 'primary',
    write: (place, title) =>
      post(place, '/api/v1/meta/schemas/user/linkedObjects', {
        primary: { name: next(), title, type: 'USER' },
        associated: { name: next(), title: 'T', type: 'USER' },
      }),
    read: ({ primary }) => primary.title,
  },
  'the title of an attribute': {
    field: 'definitions',
    write: (place, title) =>
      post(place, '/api/v1/meta/schemas/user/default', {
        definitions: { custom: { id: '#custom', properties: { titled: { title, type: 'string' } } } },
      }),
    read: ({ definitions }) => definitions.custom.properties.titled.title,
  },
  'the name of the org': {
    field: 'companyName',
    write: (place, companyName) => post(place, '/api/v1/org', { companyName }),
    read: ({ companyName }) => companyName,
  },
};
