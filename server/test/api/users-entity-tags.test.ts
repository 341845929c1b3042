import { describe, expect, test } from 'vitest';
import { useService } from '../support/use-service.ts';
import { CREDENTIALS, changePassword, newProfile, PASSWORD, QUESTION, userPath } from '../support/users.ts';

const { service, org } = useService();

const tagOf = async (id: string): Promise<string> => String((await org.admin.get(userPath(id))).headers['etag']);
const rename = (id: string, firstName: string, ifMatch?: string) =>
  org.admin.post(userPath(id), {
    body: { profile: { firstName } },
    ...(ifMatch === undefined ? {} : { headers: { 'if-match': ifMatch } }),
  });
const mismatch = { status: 412, body: { errorCode: 'E0000231', errorSummary: "ETag value doesn't match." } };
const FOREIGN = `W/"${'0'.repeat(64)}"`;

describe('If-Match', () => {
  test('the present tag passes and gives a new one; the old one is stale for POST and PUT', async () => {
    const user = await org.createUser();
    const tag = await tagOf(user.id);
    const updated = await rename(user.id, 'Grace', tag);
    expect(updated.status).toBe(200);
    expect(updated.headers['etag']).not.toBe(tag);
    expect(updated.headers['etag']).toBe(await tagOf(user.id));
    const headers = { 'if-match': tag };
    expect(await rename(user.id, 'Stale', tag)).toMatchObject(mismatch);
    const body = { profile: { ...user.profile, firstName: 'Stale' } };
    expect(await org.admin.put(userPath(user.id), { body, headers })).toMatchObject(mismatch);
    expect((await org.admin.get(userPath(user.id))).body.profile.firstName).toBe('Grace');
    expect(
      await org.admin.put(userPath(user.id), { body, headers: { 'if-match': await tagOf(user.id) } }),
    ).toMatchObject({ status: 200, body: { profile: { firstName: 'Stale' } } });
  });

  test.each([
    ['as it is', (tag: string) => tag],
    ['in its strong form', (tag: string) => tag.slice(2)],
    ['last of a list', (tag: string) => `${FOREIGN}, "x",${tag}`],
    ['first of a list with blanks and empty members', (tag: string) => ` ${tag} , , ${FOREIGN}`],
    ['*', () => '*'],
  ])('%s: passes', async (_, header) => {
    const { id } = await org.createUser();
    expect(await rename(id, 'Grace', header(await tagOf(id)))).toMatchObject({ status: 200 });
  });

  test.each([
    ['a tag of nothing', () => FOREIGN],
    ['a list of others', () => `${FOREIGN}, "x"`],
    ['its digits in capitals', (tag: string) => `W/${tag.slice(2).toUpperCase()}`],
    ['its beginning', (tag: string) => `${tag.slice(0, 40)}"`],
  ])('%s: 412', async (_, header) => {
    const { id } = await org.createUser();
    const tag = await tagOf(id);
    expect(await rename(id, 'Grace', header(tag))).toMatchObject(mismatch);
    expect(await tagOf(id)).toBe(tag);
  });

  test.each(['garbage', 'W/', 'w/"abc"', '"abc', '*, "abc"', 'W/"a""b"', ',', '""x', "'a'"])(
    '%s: 400, whatever else is asked',
    async (header) => {
      const { id } = await org.createUser();
      expect(await rename(id, 'Grace', header)).toMatchObject({
        status: 400,
        body: { errorCode: 'E0000242', errorSummary: 'ETag syntax is invalid.' },
      });
    },
  );

  test("another user's tag of the same revision does not match", async () => {
    const [one, two] = [await org.createUser(), await org.createUser()];
    expect(await rename(one.id, 'Grace', await tagOf(two.id))).toMatchObject(mismatch);
  });

  test('an unknown user is 404 with any tag', async () => {
    expect(await rename(`00u${'0'.repeat(17)}`, 'Grace', '*')).toMatchObject({ status: 404 });
  });

  test('a refused update logs nothing', async () => {
    const { id } = await org.createUser();
    await rename(id, 'Grace', FOREIGN);
    expect(await org.systemLog(`target.id eq "${id}" and eventType eq "user.account.update_profile"`)).toEqual([]);
  });
});

describe('a stale tag is told before anything of the credentials', () => {
  const credentialsPath = (id: string, operation: string) => `${userPath(id)}/credentials/${operation}`;
  const question = { answer: QUESTION.answer };
  const reused = { password: { value: PASSWORD }, recovery_question: question };
  test.each([
    ['a reused password by the recovery question', 'POST', 'forgot_password_recovery_question', reused],
    [
      'a wrong answer',
      'POST',
      'forgot_password_recovery_question',
      { password: { value: 'Another-3-Cell' }, recovery_question: { answer: 'wrong' } },
    ],
    [
      'a wrong old password',
      'POST',
      'change_password',
      { oldPassword: { value: 'Wrong-0-Password' }, newPassword: { value: 'Another-3-Cell' } },
    ],
    [
      'a wrong password for the question',
      'POST',
      'change_recovery_question',
      { password: { value: 'Wrong-0-Password' }, recovery_question: QUESTION },
    ],
  ] as const)('%s', async (_, method, operation, body) => {
    const { id } = await org.createUser({ credentials: CREDENTIALS });
    const headers = { 'if-match': await tagOf(id) };
    await rename(id, 'Grace');
    expect(await org.admin.send(method, credentialsPath(id, operation), { body, headers })).toMatchObject(mismatch);
    const { rows } = await service.database.pool.query(
      'select failed_attempts from user_sign_in where org_id = $1 and user_id = $2',
      [org.id, id],
    );
    expect(rows).toEqual([{ failed_attempts: 0 }]);
  });

  test('a reused password by a strict update', async () => {
    const { id } = await org.createUser({ credentials: CREDENTIALS });
    const headers = { 'if-match': await tagOf(id) };
    await rename(id, 'Grace');
    const body = { credentials: { password: { value: PASSWORD } } };
    expect(await org.admin.post(`${userPath(id)}?strict=true`, { body, headers })).toMatchObject(mismatch);
    expect(await org.admin.post(`${userPath(id)}?strict=true`, { body })).toMatchObject({ status: 400 });
  });
});

describe('on create nothing matches yet', () => {
  test.each([FOREIGN, '*', 'garbage'])('If-Match %s: 412', async (header) => {
    const options = { body: { profile: newProfile() }, headers: { 'if-match': header } };
    expect(await org.admin.post('/api/v1/users', options)).toMatchObject(mismatch);
  });

  test('If-None-Match: * passes', async () => {
    const options = { body: { profile: newProfile() }, headers: { 'if-none-match': '*' } };
    const created = await org.admin.post('/api/v1/users', options);
    expect(created.status).toBe(200);
    expect(created.headers['etag']).toBe(await tagOf(created.body.id));
  });
});

describe('what moves the tag', () => {
  test('a sign-in does not, nor does a wrong password, a read, or an update that changes nothing', async () => {
    const user = await org.createUser({ credentials: CREDENTIALS });
    const tag = await tagOf(user.id);
    const text = 'update user_sign_in set last_login_at = now() where org_id = $1 and user_id = $2';
    await service.database.pool.query(text, [org.id, user.id]);
    await changePassword(org.admin, user.id, 'Wrong-0-Password', 'Battery-2-Staple');
    await rename(user.id, user.profile.firstName);
    const { body } = await org.admin.get(userPath(user.id));
    expect(body.lastLogin).not.toBeNull();
    expect(await tagOf(user.id)).toBe(tag);
    expect(await rename(user.id, 'Grace', tag)).toMatchObject({ status: 200 });
  });

  test.each([
    ['lifecycle/suspend', undefined],
    ['lifecycle/expire_password', undefined],
    ['lifecycle/reset_password', undefined],
    ['credentials/change_password', { oldPassword: { value: PASSWORD }, newPassword: { value: 'Battery-2-Staple' } }],
    [
      'credentials/change_recovery_question',
      { password: { value: PASSWORD }, recovery_question: { ...QUESTION, question: 'Another?' } },
    ],
  ])('%s does', async (operation, body) => {
    const { id } = await org.createUser({ credentials: CREDENTIALS });
    const tag = await tagOf(id);
    const options = body === undefined ? {} : { body };
    expect(await org.admin.post(`${userPath(id)}/${operation}`, options)).toMatchObject({ status: 200 });
    expect(await tagOf(id)).not.toBe(tag);
    expect(await rename(id, 'Grace', tag)).toMatchObject(mismatch);
  });
});

describe('50 writers with one tag', () => {
  test.each([1, 2, 3])('exactly one wins, and the log shows one change (round %d)', async () => {
    const { id } = await org.createUser();
    const tag = await tagOf(id);
    const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => rename(id, `Writer ${index}`, tag)));
    const winners = answers.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    for (const answer of answers) if (answer.status !== 200) expect(answer).toMatchObject(mismatch);
    const { body } = await org.admin.get(userPath(id));
    expect(body.profile.firstName).toBe(winners[0]?.body.profile.firstName);
    expect(await org.systemLog(`target.id eq "${id}" and eventType eq "user.account.update_profile"`)).toHaveLength(1);
  });

  test('without a tag all of them are done, one after the other', async () => {
    const { id } = await org.createUser();
    const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => rename(id, `Writer ${index}`)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ headers }) => headers['etag'])).size).toBe(50);
    const events = await org.systemLog(`target.id eq "${id}" and eventType eq "user.account.update_profile"`);
    expect(events).toHaveLength(50);
  });
});
