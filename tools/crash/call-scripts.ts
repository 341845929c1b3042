import { randomUUID } from 'node:crypto';
import { type Ask, type Body, exists, hasMember, isGone, lists, type Script } from './call.ts';
import { APP_SCRIPTS } from './call-scripts-apps.ts';
import { OAUTH_SCRIPTS } from './call-scripts-oauth.ts';
import { USER_SCRIPTS } from './call-scripts-users.ts';

interface Resource {
  readonly list: string;
  /** The noun in the operation ids. */
  readonly word: string;
  readonly body: (name: string) => Record<string, unknown>;
  readonly deletable?: 'active';
  /** The list that contains the created object, if that is not `list`. */
  readonly listed?: string;
}

async function useResource(ask: Ask, { list, word, body, deletable, listed = list }: Resource): Promise<void> {
  const name = `crash ${randomUUID()}`;
  const created: Body = await ask({
    operation: `create${word}`,
    method: 'POST',
    path: list,
    body: body(name),
    mark: name,
    isThere: lists(`${listed}${listed.includes('?') ? '&' : '?'}limit=20`, 'name', name),
  });
  const path = `${list}/${created.id}`;
  const renamed = `crash ${randomUUID()}`;
  await ask({
    operation: `replace${word}`,
    method: 'PUT',
    path,
    body: body(renamed),
    mark: created.id,
    isThere: hasMember(path, 'name', renamed),
  });
  const change = (action: 'activate' | 'deactivate') =>
    ask({
      operation: `${action}${word}`,
      method: 'POST',
      path: `${path}/lifecycle/${action}`,
      mark: created.id,
      isThere: hasMember(path, 'status', action === 'activate' ? 'ACTIVE' : 'INACTIVE'),
    });
  await change('deactivate');
  await change('activate');
  if (deletable !== 'active') await change('deactivate');
  await ask({ operation: `delete${word}`, method: 'DELETE', path, mark: created.id, isThere: isGone(path) });
}

const RULE = { type: 'SIGN_ON', actions: { signon: { access: 'ALLOW' } } };

const RESOURCES: readonly Resource[] = [
  {
    list: '/api/v1/zones',
    word: 'NetworkZone',
    body: (name) => ({ type: 'IP', name, gateways: [{ type: 'CIDR', value: '203.0.113.0/24' }] }),
  },
  {
    list: '/api/v1/trustedOrigins',
    word: 'TrustedOrigin',
    body: (name) => ({ name, origin: `https://${name.slice(6)}.example`, scopes: [{ type: 'CORS' }] }),
    deletable: 'active',
  },
  {
    list: '/api/v1/policies',
    word: 'Policy',
    body: (name) => ({ type: 'SVC_SIGN_ON', name }),
    listed: '/api/v1/policies?type=SVC_SIGN_ON',
    deletable: 'active',
  },
  {
    list: '/api/v1/idps',
    word: 'IdentityProvider',
    body: (name) => ({
      type: 'OIDC',
      name,
      protocol: {
        type: 'OIDC',
        issuer: { url: 'https://idp.example' },
        endpoints: {
          authorization: { url: 'https://idp.example/authorize', binding: 'HTTP-REDIRECT' },
          token: { url: 'https://idp.example/token', binding: 'HTTP-POST' },
          jwks: { url: 'https://idp.example/keys', binding: 'HTTP-REDIRECT' },
        },
        credentials: { client: { client_id: 'gatehouse', client_secret: 'a secret of the provider' } },
        scopes: ['openid', 'email'],
      },
      policy: {
        accountLink: { action: 'AUTO', filter: null },
        provisioning: { action: 'AUTO', groups: { action: 'NONE' } },
        subject: { userNameTemplate: { template: 'idpuser.email' }, matchType: 'USERNAME' },
      },
    }),
    deletable: 'active',
  },
  {
    list: '/api/v1/eventHooks',
    word: 'EventHook',
    body: (name) => ({
      name,
      events: { type: 'EVENT_TYPE', items: ['user.lifecycle.create'] },
      channel: { type: 'HTTP', version: '1.0.0', config: { uri: 'https://hooks.example/in' } },
    }),
  },
  {
    list: '/api/v1/logStreams',
    word: 'LogStream',
    body: (name) => ({ type: 'file_ndjson', name, settings: { maximumMegabytes: 1, maximumFiles: 2 } }),
  },
];

const resourceScript = (resource: Resource): Script => ({
  name: resource.word,
  run: ({ ask }) => useResource(ask, resource),
});

const rules: Script = {
  name: 'PolicyRule',
  run: async ({ ask, look }) => {
    const name = `crash ${randomUUID()}`;
    const policy = await ask({
      operation: 'createPolicy',
      method: 'POST',
      path: '/api/v1/policies',
      body: { type: 'SVC_SIGN_ON', name },
      mark: name,
      isThere: lists('/api/v1/policies?type=SVC_SIGN_ON&limit=20', 'name', name),
    });
    const path = `/api/v1/policies/${policy.id}`;
    await useResource(ask, {
      list: `${path}/rules`,
      word: 'PolicyRule',
      body: (rule) => ({ ...RULE, name: rule }),
      deletable: 'active',
    });
    if (await exists(path)(look)) {
      const isThere = isGone(path);
      await ask({ operation: 'deletePolicy', method: 'DELETE', path, mark: policy.id, isThere });
    }
  },
};

const settings: Script = {
  name: 'settings of the org',
  single: true,
  run: async ({ ask, look }) => {
    for (const [operation, method] of [
      ['updateOrgSettings', 'POST'],
      ['replaceOrgSettings', 'PUT'],
    ] as const) {
      const companyName = `Crash ${randomUUID()}`;
      const isThere = hasMember('/api/v1/org', 'companyName', companyName);
      await ask({ operation, method, path: '/api/v1/org', body: { companyName }, mark: companyName, isThere });
    }
    const path = '/api/v1/meta/schemas/user/default';
    const { base } = (await look(path)).body.definitions;
    // An earlier call that got no response may have left either value.
    const wasRequired = base.properties.firstName.required === true;
    for (const required of [!wasRequired, wasRequired]) {
      const shown = required ? true : undefined;
      const body = { definitions: { base: { id: '#base', properties: { firstName: { required } } } } };
      const isThere = hasMember(path, 'definitions.base.properties.firstName.required', shown);
      await ask({ operation: 'updateUserProfile', method: 'POST', path, body, mark: 'UserSchema', isThere });
    }
  },
};

export const SCRIPTS: readonly Script[] = [
  ...RESOURCES.map(resourceScript),
  rules,
  settings,
  ...APP_SCRIPTS,
  ...OAUTH_SCRIPTS,
  ...USER_SCRIPTS,
];
