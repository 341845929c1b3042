import { serviceApp } from '../support/apps.ts';
import { newOidcProvider } from '../support/identity-providers.ts';
import { GROUP_SCHEMA, USER_SCHEMA, USER_TYPES } from '../support/schemas.ts';
import { newProfile } from '../support/service.ts';
import { searchPath, userPath } from '../support/users.ts';
import type { Ask, Body, Use } from './asking.ts';
import { newUser } from './use-user-routes.ts';

const text = { title: 'Swept', type: 'string' };
const custom = (properties: object) => ({ definitions: { custom: { properties } } });

async function useTypes({ ask, org }: Use): Promise<void> {
  const type = await ask('POST', USER_TYPES, { name: 'swept', displayName: 'Swept' });
  const path = `${USER_TYPES}/${type.id}`;
  await ask('GET', USER_TYPES);
  await ask('GET', path);
  await ask('POST', path, { displayName: 'Swept again' });
  await ask('PUT', path, { name: 'swept', displayName: 'Swept', description: null });
  const user = await newUser(ask);
  await ask('PUT', userPath(user.id), { profile: newProfile({ login: user.profile.login }), type: { id: type.id } });
  for (let times = 0; times < 2; times += 1) await ask('DELETE', userPath(user.id));
  await ask('DELETE', path);
  await org.admin.del(`${USER_TYPES}/default`);
}

async function useAttributes({ ask, org }: Use): Promise<void> {
  await ask('GET', USER_SCHEMA);
  const tags = { title: 'Tags', type: 'array', items: { type: 'string' } };
  await ask('POST', USER_SCHEMA, custom({ sweptBadge: text, sweptTags: tags, sweptOnce: { ...text, unique: true } }));
  const { id } = await ask('POST', '/api/v1/users', {
    profile: newProfile({ sweptBadge: 'a', sweptTags: ['x', 'y'], sweptOnce: 'one' }),
  });
  await ask('POST', userPath(id), { profile: { sweptBadge: 'b', sweptTags: ['y'], sweptOnce: 'two' } });
  await org.admin.post('/api/v1/users', { body: { profile: newProfile({ sweptOnce: 'two' }) } });
  for (const search of ['profile.sweptTags pr', 'profile.sweptBadge eq "b" and profile.sweptTags sw "y"']) {
    await ask('GET', searchPath(search));
    await ask('GET', searchPath(search, '&sortBy=profile.sweptBadge'));
  }
  await ask('GET', searchPath('status pr', '&sortBy=profile.sweptBadge&limit=1'));
  await ask('GET', '/api/v1/users/me', undefined, { client: await org.withRoles() });
  await ask('POST', USER_SCHEMA, custom({ sweptBadge: { unique: true, required: false, maxLength: 5 } }));
  await ask('POST', USER_SCHEMA, custom({ sweptBadge: { unique: false } }));
  await org.admin.post(USER_SCHEMA, { body: custom({ sweptBadge: { required: true } }) });
  await ask('POST', USER_SCHEMA, custom({ sweptBadge: null, sweptTags: null, sweptOnce: null }));
}

async function useOtherSchemas({ ask }: Use, app: Body, provider: Body): Promise<void> {
  await ask('GET', GROUP_SCHEMA);
  await ask('POST', GROUP_SCHEMA, custom({ sweptRegion: text }));
  await ask('POST', GROUP_SCHEMA, custom({ sweptRegion: { maxLength: 5 } }));
  await ask('POST', GROUP_SCHEMA, custom({ sweptRegion: null }));
  for (const { id } of [app, provider]) {
    const url = `/api/v1/meta/schemas/apps/${id}/default`;
    await ask('GET', url);
    await ask('POST', url, custom({ sweptRole: { ...text, externalName: 'role' } }));
    await ask('POST', url, custom({ sweptRole: { maxLength: 5 } }));
    await ask('POST', url, custom({ sweptRole: null }));
  }
}

async function useMappings({ ask }: Use, provider: Body): Promise<void> {
  const [mapping] = await ask('GET', `/api/v1/mappings?sourceId=${provider.id}`);
  await ask('GET', '/api/v1/mappings?limit=1');
  const path = `/api/v1/mappings/${mapping.id}`;
  await ask('GET', path);
  await ask('POST', path, { properties: { city: { expression: 'source.email', pushStatus: 'PUSH' } } });
}

async function useLinkedObjects(ask: Ask): Promise<void> {
  const url = '/api/v1/meta/schemas/user/linkedObjects';
  const side = (name: string) => ({ name, title: name, type: 'USER' });
  await ask('POST', url, { primary: side('sweptManager'), associated: side('sweptSubordinate') });
  await ask('GET', url);
  await ask('GET', `${url}/sweptSubordinate`);
  const [boss, ...others] = [await newUser(ask), await newUser(ask), await newUser(ask)];
  for (const { id } of others) await ask('PUT', `${userPath(id)}/linkedObjects/sweptManager/${boss.id}`);
  await ask('GET', `${userPath(boss.id)}/linkedObjects/sweptSubordinate?limit=1`);
  for (const { id } of others) {
    await ask('GET', `${userPath(id)}/linkedObjects/sweptManager`);
    await ask('DELETE', `${userPath(id)}/linkedObjects/sweptManager`);
  }
  await ask('DELETE', `${url}/sweptManager`);
}

export async function useSchemaRoutes(use: Use): Promise<void> {
  const { ask } = use;
  const app = await ask('POST', '/api/v1/apps', serviceApp());
  const provider = await ask('POST', '/api/v1/idps', newOidcProvider('Swept schemas'));
  await useTypes(use);
  await useAttributes(use);
  await useOtherSchemas(use, app, provider);
  await useMappings(use, provider);
  await useLinkedObjects(ask);
  for (const path of [`/api/v1/apps/${app.id}`, `/api/v1/idps/${provider.id}`]) {
    await ask('POST', `${path}/lifecycle/deactivate`);
    await ask('DELETE', path);
  }
}
