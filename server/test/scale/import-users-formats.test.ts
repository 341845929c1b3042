import { hashSync as bcryptHash } from '@node-rs/bcrypt';
import { describe, expect, test, vi } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { openTransferCommandLine } from '../support/transfer-command-line.ts';

// Each command is a separate process, and some tests run several.
vi.setConfig({ testTimeout: 120_000 });

const line = beforeTests(() => openTransferCommandLine());

const userOf = async (login: string) => (await line.admin.get(`/api/v1/users/${encodeURIComponent(login)}`)).body;
const signIn = (username: string, password: string) =>
  line.anonymous.post('/api/v1/authn', { body: { username, password } });

describe('other formats', () => {
  const PASSWORD = 'Brought-Along-1';

  test('a realm of Keycloak, hashes and groups included', async () => {
    const { pbkdf2Sync } = await import('node:crypto');
    const salt = Buffer.from('0123456789abcdef');
    const derived = pbkdf2Sync(PASSWORD, salt, 27_500, 64, 'sha512');
    const realm = {
      realm: 'acme',
      groups: [{ name: 'sales' }],
      users: [
        {
          username: 'kay',
          email: 'kay@t.co',
          firstName: 'Kay',
          lastName: 'C',
          enabled: true,
          groups: ['/sales'],
          attributes: { department: ['Sales'], shoe: ['44'] },
          credentials: [
            {
              type: 'password',
              secretData: JSON.stringify({ value: derived.toString('base64'), salt: salt.toString('base64') }),
              credentialData: JSON.stringify({ hashIterations: 27_500, algorithm: 'pbkdf2-sha512' }),
            },
          ],
        },
        { username: 'off', email: 'off@t.co', firstName: 'O', lastName: 'F', enabled: false, emailVerified: false },
      ],
      clients: [{ clientId: 'x' }],
    };
    const file = await line.file('realm.json', JSON.stringify(realm, null, 2));
    const { code, report } = await line.importUsers(file, '--format', 'keycloak');
    expect({ code, report }).toMatchObject({
      code: 0,
      report: { created: 2, memberships: 1, leftOut: { shoe: 1 } },
    });
    expect(await userOf('kay@t.co')).toMatchObject({
      status: 'ACTIVE',
      profile: { department: 'Sales' },
      credentials: { provider: { type: 'IMPORT' } },
    });
    expect(await userOf('off@t.co')).toMatchObject({ status: 'SUSPENDED' });
    const { rows } = await line.pool.query('select unproved_email from users where unproved_email is not null');
    expect(rows).toEqual([{ unproved_email: 'off@t.co' }]);
    expect(await signIn('kay@t.co', PASSWORD)).toMatchObject({ status: 200, body: { status: 'SUCCESS' } });
    expect(await signIn('kay@t.co', `${PASSWORD}x`)).toMatchObject({ status: 401 });
  });

  test('what others wrote changes no administrator and makes none, unless that is said', async () => {
    const held = await line.admin.post('/api/v1/groups', { body: { profile: { name: 'Keepers' } } });
    await line.admin.post(`/api/v1/groups/${held.body.id}/roles`, { body: { type: 'USER_ADMIN' } });
    const profile = { login: 'root@t.co', email: 'root@t.co', firstName: 'Ro', lastName: 'Ot' };
    const root = await line.admin.post('/api/v1/users', { body: { profile } });
    await line.admin.post(`/api/v1/users/${root.body.id}/roles`, { body: { type: 'SUPER_ADMIN' } });
    const named = { firstName: 'E', lastName: 'V' };
    const realm = {
      users: [
        // If this row changed the administrator's address, Eve would get the emails that recover that account.
        { ...named, username: 'root@t.co', email: 'eve@t.co' },
        { ...named, username: 'eve@t.co', email: 'eve@t.co', groups: ['/keepers'] },
        { ...named, username: 'kim@t.co', email: 'kim@t.co' },
      ],
    };
    const file = await line.file('rights.json', JSON.stringify(realm));
    const refused = await line.importUsers(file, '--format', 'keycloak', '--existing', 'update');
    expect(refused).toMatchObject({ code: 1, report: { created: 1, updated: 0, refused: 2, memberships: 0 } });
    expect((await userOf('root@t.co')).profile).toMatchObject({ email: 'root@t.co', firstName: 'Ro' });
    const told = await line.read('rights.json.errors.csv');
    expect(told).toContain('belongs to an administrator');
    expect(told).toContain('a group of administrators');
    const said = ['--format', 'keycloak', '--existing', 'update', '--administrators', '--again'];
    const { report } = await line.importUsers(file, ...said);
    expect(report).toMatchObject({ created: 1, updated: 1, unchanged: 1, refused: 0, memberships: 1 });
    expect((await userOf('root@t.co')).profile).toMatchObject({ email: 'eve@t.co' });
  });

  test('users of Auth0 with their hashes', async () => {
    const users = [
      { email: 'zoe@t.co', given_name: 'Zoe', family_name: 'A', passwordHash: bcryptHash(PASSWORD, { cost: 4 }) },
      { email: 'bad@t.co', given_name: 'Bad', family_name: 'A', passwordHash: '$2b$31$nonsense' },
    ];
    const file = await line.file('auth0.ndjson', users.map((user) => JSON.stringify(user)).join('\n'));
    const { report } = await line.importUsers(file, '--format', 'auth0');
    expect(report).toMatchObject({ created: 1, refused: 1 });
    expect(await line.read('auth0.ndjson.errors.csv')).not.toContain('nonsense');
    expect(await signIn('zoe@t.co', PASSWORD)).toMatchObject({ status: 200 });
  });

  test('our own, with types and values of a custom attribute', async () => {
    const schema = await line.admin.post('/api/v1/meta/schemas/user/default', {
      body: {
        definitions: {
          custom: {
            id: '#custom',
            type: 'object',
            properties: {
              badge: { title: 'Badge', type: 'integer', unique: 'UNIQUE_VALIDATED' },
              langs: { title: 'Languages', type: 'array', items: { type: 'string' } },
            },
          },
        },
      },
    });
    expect(schema.status).toBe(200);
    const user = (login: string, badge: unknown) => ({
      profile: { login, email: login, firstName: 'O', lastName: 'N', badge, langs: ['en', 'de'] },
    });
    const users = [user('own1@t.co', 7), user('own2@t.co', 7), user('own3@t.co', '8')];
    const file = await line.file('own.ndjson', users.map((one) => JSON.stringify(one)).join('\n'));
    expect((await line.importUsers(file)).report).toMatchObject({ created: 1, refused: 2 });
    expect(await line.read('own.ndjson.errors.csv')).toMatch(/2,badge,.*\r\n3,badge,/);
    const table = await line.file(
      'typed.csv',
      'login,email,firstName,lastName,badge,langs\nown4@t.co,own4@t.co,O,N,9,fr; it\nown5@t.co,own5@t.co,O,N,x,\n',
    );
    expect((await line.importUsers(table)).report).toMatchObject({ created: 1, refused: 1 });
    expect((await userOf('own4@t.co')).profile).toMatchObject({ badge: 9, langs: ['fr', 'it'] });
  });
});
