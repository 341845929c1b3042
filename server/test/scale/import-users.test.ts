import { access } from 'node:fs/promises';
import { describe, expect, test, vi } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { openTransferCommandLine } from '../support/transfer-command-line.ts';

// Each command is a separate process, and some tests run several.
vi.setConfig({ testTimeout: 120_000 });

const line = beforeTests(() => openTransferCommandLine());

const userOf = async (login: string) => (await line.admin.get(`/api/v1/users/${encodeURIComponent(login)}`)).body;
const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

describe('a table', () => {
  const TABLE = [
    'login,email,firstName,lastName,department,groups,status',
    'ada@t.co,ada@t.co,Ada,Lovelace,"=cmd|\' /C calc\'!A0",Engines;Poets,',
    'bob@t.co,bob@t.co,Bob,+1-555,@SUM(1),Engines,PROVISIONED',
    'no-address,x@t.co,A,B,,,',
    'cy@t.co,cy@t.co,,B,,,',
    'dee@t.co,dee@t.co,A,B,,,ACTIVE',
    'ADA@t.co,ada@t.co,Ada,Twin,,Engines,',
    'eve@t.co,eve@t.co,Eve,B',
    '"fay@t.co',
  ].join('\r\n');

  test('becomes users and groups; what is refused is told by row, field and reason', async () => {
    const file = await line.file('people.csv', TABLE);
    const { code, report } = await line.importUsers(file);
    expect({ code, report }).toMatchObject({
      code: 1,
      report: { rows: 8, created: 2, skipped: 1, refused: 5, memberships: 3 },
    });
    expect((await line.read('people.csv.errors.csv')).split('\r\n')).toEqual([
      'row,field,reason',
      '4,login,must have the form of an email address.',
      '5,firstName,The field cannot be left blank',
      '6,status,needs a password hash. Users without one are STAGED.',
      '8,,"has 4 cells, but the first row has 7."',
      '9,,has a quote in the wrong place.',
      '',
    ]);
  });

  test('formulas stay text, and statuses are as asked', async () => {
    expect(await userOf('ada@t.co')).toMatchObject({
      status: 'STAGED',
      activated: null,
      profile: { department: "=cmd|' /C calc'!A0", lastName: 'Lovelace' },
    });
    expect(await userOf('bob@t.co')).toMatchObject({
      status: 'PROVISIONED',
      profile: { lastName: '+1-555', department: '@SUM(1)' },
    });
  });

  test('search finds them at once, and their groups know them', async () => {
    const search = encodeURIComponent('profile.department sw "=CMD"');
    expect((await line.admin.get(`/api/v1/users?search=${search}`)).body).toMatchObject([
      { profile: { login: 'ada@t.co' } },
    ]);
    const [engines] = (await line.admin.get('/api/v1/groups?q=Engines')).body;
    const members = (await line.admin.get(`/api/v1/groups/${engines.id}/users`)).body;
    expect(members.map(({ profile }: { profile: { login: string } }) => profile.login).toSorted()).toEqual([
      'ada@t.co',
      'bob@t.co',
    ]);
  });

  test('each is told by the events that the API would have left, and the import by its own', async () => {
    const about = async (eventType: string) =>
      (await line.events(eventType)).map(({ target }) => (target as { alternateId: string }[])[0]?.alternateId);
    expect(await about('user.lifecycle.create')).toEqual(expect.arrayContaining(['ada@t.co', 'bob@t.co']));
    expect(await about('user.lifecycle.activate')).toEqual(expect.arrayContaining(['bob@t.co']));
    expect(await about('user.lifecycle.activate')).not.toContain('ada@t.co');
    expect(await line.events('group.user_membership.add')).toHaveLength(3);
    expect(await line.events('group.lifecycle.create')).toHaveLength(2);
    expect(await line.events('system.import.start')).toMatchObject([
      { debugContext: { debugData: { file: 'people.csv', format: 'csv', phase: 'started' } } },
    ]);
    expect(await line.events('system.import.complete')).toMatchObject([
      { debugContext: { debugData: { created: '2', refused: '5', rows: '8' } } },
    ]);
    expect(await line.gatehouse('log', 'verify')).toMatchObject({ code: 0 });
  });

  test('again, it does nothing, until it is asked to', async () => {
    const file = line.path('people.csv');
    const again = await line.importUsers(file);
    expect(again.report).toMatchObject({ created: 2, finishedBefore: expect.any(String) as string });
    expect(await line.events('system.import.start')).toHaveLength(1);
    const { report } = await line.importUsers(file, '--again');
    expect(report).toMatchObject({ created: 0, skipped: 3, refused: 5, memberships: 0, finishedBefore: null });
  });
});

test('characters that the API refuses are refused here too, by row and field, and the others stay', async () => {
  const person = (login: string, more: string) =>
    `{"profile":{"login":"${login}","email":"${login}","lastName":"L",${more}}`;
  const rows = [
    `${person('u1@face.co', '"firstName":"A"')}}`,
    `${person('u2@face.co', '"firstName":"\u{1f600}"')}}`,
    `${person('u3@face.co', '"firstName":"\\ud83d\\ude00"')}}`,
    `${person('u4@face.co', '"firstName":"A"')},"groups":["G \u{1f600}"]}`,
  ];
  const file = await line.file('faces.ndjson', rows.join('\n'));
  const { report } = await line.importUsers(file);
  expect(report).toMatchObject({ rows: 4, created: 1, refused: 3 });
  const reason = 'contains a character that is not supported.';
  expect((await line.read('faces.ndjson.errors.csv')).trim().split('\r\n').slice(1)).toEqual([
    `2,firstName,${reason}`,
    `3,firstName,${reason}`,
    `4,groups,${reason}`,
  ]);
  expect(await line.count(`select count(*) as count from users where login like '%@face.co'`)).toBe(1);
});

describe('users who are there', () => {
  const table = (name: string) => `login,email,nickName,groups\nada@t.co,ada@t.co,${name},Readers\n`;

  test('are skipped whole by default', async () => {
    const { report } = await line.importUsers(await line.file('skip.csv', table('A')));
    expect(report).toMatchObject({ skipped: 1, memberships: 0 });
    expect((await userOf('ada@t.co')).profile.nickName).toBeUndefined();
  });

  test('are refused where that is asked', async () => {
    const { code, report } = await line.importUsers(await line.file('refuse.csv', table('B')), '--existing', 'refuse');
    expect({ code, report }).toMatchObject({ code: 1, report: { refused: 1 } });
    expect(await line.read('refuse.csv.errors.csv')).toContain('2,login,');
  });

  test('or changed: what the row says, the rest stays; twice in a file, the last one holds', async () => {
    const text = `${table('C')}ada@t.co,ada@t.co,D,\n`;
    const { report } = await line.importUsers(await line.file('update.csv', text), '--existing', 'update');
    expect(report).toMatchObject({ updated: 2, memberships: 1 });
    expect(await userOf('ada@t.co')).toMatchObject({ profile: { nickName: 'D', lastName: 'Lovelace' } });
    const search = encodeURIComponent('profile.nickName eq "d"');
    expect((await line.admin.get(`/api/v1/users?search=${search}`)).body).toHaveLength(1);
    const same = await line.file('same.csv', 'login,nickName\nada@t.co,D\n');
    expect((await line.importUsers(same, '--existing', 'update')).report).toMatchObject({ unchanged: 1 });
  });
});

describe('a group that rules give already', () => {
  test('is by hand from the import on, and rules judge by it', async () => {
    const group = async (name: string) =>
      (await line.admin.post('/api/v1/groups', { body: { profile: { name } } })).body;
    const [seed, given, followed] = [await group('Seeds'), await group('Given'), await group('Followed')];
    const rule = async (name: string, value: string, groupId: string): Promise<void> => {
      const expression = { value, type: 'urn:svc:expression:1.0' };
      const actions = { assignUserToGroups: { groupIds: [groupId] } };
      const body = { type: 'group_rule', name, conditions: { expression }, actions };
      const { body: made, text } = await line.admin.post('/api/v1/groups/rules', { body });
      expect(await line.admin.post(`/api/v1/groups/rules/${made.id}/lifecycle/activate`), text).toMatchObject({
        status: 204,
      });
    };
    const membersOf = async (id: string): Promise<string[]> =>
      (await line.admin.get(`/api/v1/groups/${id}/users`)).body.map((one: { id: string }) => one.id);
    const login = 'kim@t.co';
    const body = { profile: { login, email: login, firstName: 'K', lastName: 'Im' }, groupIds: [seed.id] };
    const { body: user } = await line.admin.post('/api/v1/users?activate=false', { body });
    // Both rules run in one round, so the second rule does not yet see the membership in Given that the first adds.
    await rule('gives', `isMemberOfAnyGroup("${seed.id}")`, given.id);
    await rule('follows', `isMemberOfAnyGroup("${seed.id}") && !isMemberOfAnyGroup("${given.id}")`, followed.id);
    await vi.waitFor(async () => expect(await membersOf(followed.id)).toEqual([user.id]), { timeout: 30_000 });
    expect(await membersOf(given.id)).toEqual([user.id]);
    // The file does not change the user. It only lists the group Given.
    const table = `login,groups\n${login},Given\n`;
    const { report } = await line.importUsers(await line.file('kept.csv', table), '--existing', 'update');
    expect(report).toMatchObject({ unchanged: 1, memberships: 0 });
    expect(await membersOf(given.id)).toEqual([user.id]);
    expect(await membersOf(followed.id)).toEqual([]);
  });
});

describe('a trial run', () => {
  test('says what would happen, repeated logins too, and writes nothing', async () => {
    const rows = ['new1@t.co,N,One,Fresh', 'new2@t.co,N,Two,', 'NEW1@t.co,N,Twin,', 'ada@t.co,A,L,', 'bad,N,X,'];
    const file = await line.file('trial.csv', `login,firstName,lastName,groups\n${rows.join('\n')}\n`);
    const before = await line.count('select count(*) as count from log_unsealed');
    const { report } = await line.importUsers(file, '--dry-run', '--ignore-unknown');
    expect(report).toMatchObject({ dryRun: true, created: 0, refused: 3, skipped: 2 });
    expect(await line.count(`select count(*) as count from users where login like 'new%'`)).toBe(0);
    expect(await line.count('select count(*) as count from user_imports where file_name = $1', ['trial.csv'])).toBe(0);
    expect((await line.admin.get('/api/v1/groups?q=Fresh')).body).toEqual([]);
    expect(await line.count('select count(*) as count from log_unsealed')).toBeGreaterThanOrEqual(before);
    expect(await line.read('trial.csv.errors.csv')).toContain('2,email,The field cannot be left blank');
  });

  test('of a good file leaves no list of errors, and the real one does what was said', async () => {
    const file = await line.file('good.csv', 'login,email,firstName,lastName\ng@t.co,g@t.co,G,T\n');
    const trial = await line.importUsers(file, '--dry-run');
    expect(trial).toMatchObject({ code: 0, report: { created: 1, refused: 0 } });
    expect(await exists(line.path('good.csv.errors.csv'))).toBe(false);
    expect(await line.importUsers(file)).toMatchObject({ code: 0, report: { created: 1, refused: 0 } });
  });
});

describe('what is refused as a whole', () => {
  test('columns that no user type has: in one line, before the first row', async () => {
    const file = await line.file('unknown.csv', 'login,colour,shoeSize\nx@t.co,red,44\n');
    const { code, report, stderr } = await line.importUsers(file);
    expect({ code, report }).toEqual({ code: 1, report: undefined });
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toContain('colour, shoeSize');
    expect(await line.count('select count(*) as count from user_imports where file_name = $1', ['unknown.csv'])).toBe(
      0,
    );
  });

  test('a file whose name does not tell its format', async () => {
    expect(await line.importUsers('nameless')).toMatchObject({ code: 2, report: undefined });
  });
});
