import { describe, expect, test } from 'vitest';
import { serviceApp } from '../support/apps.ts';
import { beforeTests } from '../support/before-tests.ts';
import { newOidcProvider } from '../support/identity-providers.ts';
import { newProfile } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { startAdministratorsSdk } from './node-sdk.ts';

const { service } = useService({ namespace: 'okta' });
const sdk = beforeTests(() => startAdministratorsSdk(service));

const withCustom = (properties: object) => ({ definitions: { custom: { id: '#custom', type: 'object', properties } } });

describe('the SDK', () => {
  test('makes, changes and ends a user type', async () => {
    const userType = { name: 'contractor', displayName: 'Contractor', description: 'Works for others' };
    const { id } = await sdk.call('userTypeApi.createUserType', { userType });
    const argument = { typeId: id };
    expect(await sdk.models('userTypeApi.getUserType', argument)).toMatchObject([{ item: 'UserType' }]);
    const changed = { ...argument, userType: { displayName: 'Guest' } };
    expect(await sdk.call('userTypeApi.updateUserType', changed)).toMatchObject({ displayName: 'Guest' });
    expect(await sdk.call('userTypeApi.replaceUserType', { ...argument, userType })).toMatchObject(userType);
    expect((await sdk.collect('userTypeApi.listUserTypes')).map(({ name }) => name)).toEqual(['user', 'contractor']);
    const user = await sdk.call('userApi.createUser', { body: { profile: newProfile(), type: { id } } });
    expect(await sdk.refusal('userTypeApi.deleteUserType', argument)).toMatchObject({ status: 400 });
    for (let times = 0; times < 2; times += 1) await sdk.call('userApi.deleteUser', { userId: user.id });
    await sdk.call('userTypeApi.deleteUserType', argument);
    expect(await sdk.refusal('userTypeApi.getUserType', argument)).toMatchObject({ status: 404 });
  });

  test('adds attributes to the schema of users, gives users values, and takes both away', async () => {
    const size = {
      title: 'Size',
      type: 'string',
      enum: ['S', 'M'],
      oneOf: [
        { const: 'S', title: 'Small' },
        { const: 'M', title: 'Medium' },
      ],
    };
    const badge = { title: 'Badge', type: 'string', unique: true, minLength: 2, required: false };
    const tags = {
      title: 'Tags',
      type: 'array',
      items: { type: 'string' },
      permissions: [{ principal: 'SELF', action: 'READ_WRITE' }],
    };
    const argument = { schemaId: 'default' };
    // The SDK sends the values of an `enum` as objects, so this attribute is added without the SDK.
    await service.org.admin.post('/api/v1/meta/schemas/user/default', { body: withCustom({ size }) });
    const userSchema = withCustom({ badge, tags });
    await sdk.call('schemaApi.updateUserProfile', { ...argument, userSchema });
    expect(await sdk.models('schemaApi.getUserSchema', argument)).toMatchObject([{ item: 'UserSchema' }]);
    const read = await sdk.call('schemaApi.getUserSchema', argument);
    expect(read.definitions.custom.properties).toMatchObject({
      size: { title: 'Size', type: 'string' },
      badge: { unique: 'UNIQUE_VALIDATED', minLength: 2 },
      tags: { type: 'array', items: { type: 'string' } },
    });
    const profile = newProfile({ size: 'M', badge: 'one', tags: ['a', 'b'] });
    const user = await sdk.call('userApi.createUser', { body: { profile } });
    expect(user.profile).toMatchObject({ size: 'M', badge: 'one', tags: ['a', 'b'] });
    const found = await sdk.collect('userApi.listUsers', { search: 'profile.tags eq "a" and profile.size eq "m"' });
    expect(found.map(({ id }) => id)).toEqual([user.id]);
    const taken = { body: { profile: newProfile({ badge: 'ONE' }) } };
    expect(await sdk.refusal('userApi.createUser', taken)).toMatchObject({ status: 400, errorCode: 'E0000001' });
    const none = withCustom({ size: null, badge: null, tags: null });
    await sdk.call('schemaApi.updateUserProfile', { ...argument, userSchema: none });
    const after = await sdk.call('userApi.getUser', { userId: user.id });
    expect(after.profile).not.toHaveProperty('tags');
  });

  test('does the same with groups and app users', async () => {
    const region = { title: 'Region', type: 'string' };
    await sdk.call('schemaApi.updateGroupSchema', { GroupSchema: withCustom({ region }) });
    expect(await sdk.models('schemaApi.getGroupSchema')).toMatchObject([{ item: 'GroupSchema' }]);
    expect((await sdk.call('schemaApi.getGroupSchema')).definitions.custom.properties).toMatchObject({ region });
    const { body: app } = await service.org.admin.post('/api/v1/apps', { body: serviceApp() });
    const argument = { appInstanceId: app.id };
    const team = { title: 'Team', type: 'string' };
    await sdk.call('schemaApi.updateApplicationUserProfile', { ...argument, body: withCustom({ team }) });
    const read = await sdk.call('schemaApi.getApplicationUserSchema', argument);
    expect(read.definitions.custom.properties).toMatchObject({ team });
    const clash = { ...argument, body: withCustom({ email: { title: 'Email', type: 'string' } }) };
    expect(await sdk.refusal('schemaApi.updateApplicationUserProfile', clash)).toMatchObject({
      status: 400,
      errorCode: 'E0000001',
    });
  });

  test('defines a relationship, links users by it, and ends both', async () => {
    const linkedObject = {
      primary: { name: 'manager', title: 'Manager', description: 'Manager link property', type: 'USER' },
      associated: { name: 'subordinate', title: 'Subordinate', description: 'Subordinate link property', type: 'USER' },
    };
    await sdk.call('linkedObjectApi.createLinkedObjectDefinition', { linkedObject });
    const argument = { linkedObjectName: 'manager' };
    expect(await sdk.models('linkedObjectApi.getLinkedObjectDefinition', argument)).toMatchObject([
      { item: 'LinkedObject' },
    ]);
    expect(await sdk.refusal('linkedObjectApi.createLinkedObjectDefinition', { linkedObject })).toMatchObject({
      status: 409,
      errorCode: 'E0000127',
    });
    const [boss, person] = [await service.org.createUser(), await service.org.createUser()];
    await sdk.call('userApi.setLinkedObjectForUser', {
      associatedUserId: person.id,
      primaryRelationshipName: 'manager',
      primaryUserId: boss.id,
    });
    const of = (userId: string, relationshipName: string) =>
      sdk.collect('userApi.listLinkedObjectsForUser', { userId, relationshipName });
    expect(await of(person.id, 'manager')).toMatchObject([
      { _links: { self: { href: expect.stringMatching(boss.id) } } },
    ]);
    expect(await of(boss.id, 'subordinate')).toHaveLength(1);
    await sdk.call('userApi.deleteLinkedObjectForUser', { userId: person.id, relationshipName: 'manager' });
    expect(await of(person.id, 'manager')).toEqual([]);
    expect(await sdk.collect('linkedObjectApi.listLinkedObjectDefinitions')).toHaveLength(1);
    await sdk.call('linkedObjectApi.deleteLinkedObjectDefinition', argument);
    expect(await sdk.refusal('linkedObjectApi.getLinkedObjectDefinition', argument)).toMatchObject({ status: 404 });
  });

  test('reads and changes profile mappings', async () => {
    const { body: provider } = await service.org.admin.post('/api/v1/idps', { body: newOidcProvider() });
    const [listed] = await sdk.collect('profileMappingApi.listProfileMappings', { sourceId: provider.id });
    const argument = { mappingId: listed.id };
    expect(await sdk.models('profileMappingApi.getProfileMapping', argument)).toMatchObject([
      { item: 'ProfileMapping' },
    ]);
    const properties = { nickName: { expression: 'appuser.firstName', pushStatus: 'PUSH' } };
    const changed = await sdk.call('profileMappingApi.updateProfileMapping', {
      ...argument,
      profileMapping: { properties },
    });
    expect(changed.properties).toMatchObject({ ...properties, login: { expression: 'source.userName' } });
    const wrong = { properties: { nickName: { expression: 'appuser.(', pushStatus: 'PUSH' } } };
    expect(
      await sdk.refusal('profileMappingApi.updateProfileMapping', { ...argument, profileMapping: wrong }),
    ).toMatchObject({ status: 400, errorCode: 'E0000001' });
  });
});
