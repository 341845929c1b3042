import { afterEach, expect, test, vi } from 'vitest';
import { CLOCK } from '../../src/platform/postgres/index.ts';
import { beforeTests } from '../support/before-tests.ts';
import type { TestResponse } from '../support/client.ts';
import { FEWEST_PLANS, plansOfTen, testOfPlans } from '../support/planned-statements.ts';
import {
  claimsOf,
  newServiceApp,
  postForm,
  type ServiceApp,
  signAssertion,
  tokenForm,
} from '../support/service-apps.ts';
import { spyOnStatements } from '../support/spy-on-statements.ts';
import { answerOf, TOKEN_ERRORS } from '../support/token-errors.ts';
import { useService } from '../support/use-service.ts';
import { payloadOf } from '../support/user-tokens.ts';
import { eventsOf } from '../support/users.ts';

// Tokens that clients request together share transactions (ADR 0082). Each request must still have the result that it
// would have alone.

const { service, org } = useService({ isShared: false });

const SCOPES = ['svc.users.read', 'svc.groups.read', 'svc.apps.read'] as const;
const apps = beforeTests(async () => ({
  all: await Promise.all(SCOPES.map((scope) => newServiceApp(org, { scopes: [scope] }))),
}));

const query = (text: string, values: readonly unknown[]) => service.database.pool.query(text, [...values]);
const newForm = async (app: ServiceApp, scope: string): Promise<string> =>
  tokenForm(await signAssertion(app.key, claimsOf(org, app.id, service.clock.now())), { scope });
const post = (form: string): Promise<TestResponse> => postForm(org.anonymous, '/oauth2/v1/token', form);

/** Returns a form for each request, `number` for each app. The requests of the apps alternate. */
const newForms = (given: readonly ServiceApp[], number: number): Promise<string[]> =>
  Promise.all(
    Array.from({ length: number * given.length }, (_, index) => {
      const app = given[index % given.length];
      if (app === undefined) throw new Error('there are no apps');
      return newForm(app, SCOPES[apps.all.indexOf(app)] ?? SCOPES[0]);
    }),
  );
const statusesOf = (responses: readonly TestResponse[]) => responses.map(({ status }) => status);

/** Collects the statements that lock several clients, and those that fail, until the end of the test. */
function watch() {
  const locks: { readonly text: string; readonly values: readonly unknown[] }[] = [];
  const failed: string[] = [];
  spyOnStatements((sent) => {
    if (sent.text.startsWith('with clients as materialized')) locks.push(sent);
    return (rows) => {
      if (rows < 0) failed.push(sent.text);
    };
  });
  return { failed, locks };
}

afterEach(() => {
  vi.restoreAllMocks();
});

test('each token is for its client and scope, and is told in the log once', async () => {
  const forms = await newForms(apps.all, 4);
  const { failed, locks } = watch();
  const answers = await Promise.all(forms.map(post));
  expect(failed).toEqual([]);
  expect(locks.length).toBeLessThan(forms.length);
  const ids = new Set<unknown>();
  for (const [index, answer] of answers.entries()) {
    const app = apps.all[index % SCOPES.length];
    const scope = SCOPES[index % SCOPES.length];
    expect(answer).toMatchObject({ status: 200, body: { scope } });
    const { jti, sub } = payloadOf(answer.body.access_token);
    expect(sub).toBe(app?.id);
    ids.add(jti);
    expect(await eventsOf(org, answer)).toMatchObject([
      {
        eventType: 'app.oauth2.token.grant.access_token',
        actor: { id: app?.id },
        debugContext: { debugData: { grantedScopes: scope } },
      },
    ]);
  }
  expect(ids.size).toBe(forms.length);
});

test('an assertion that comes several times is good once, and the others keep theirs', async () => {
  const forms = await newForms(apps.all, 3);
  const [twice = ''] = forms.slice(-1);
  const answers = await Promise.all([...forms, twice, twice].map(post));
  expect(statusesOf(answers).filter((status) => status === 200)).toHaveLength(forms.length);
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused.map(answerOf)).toEqual(refused.map(() => TOKEN_ERRORS.used));
  for (const answer of refused)
    expect(await eventsOf(org, answer)).toMatchObject([{ outcome: { reason: 'client_assertion_already_used' } }]);
  expect(answerOf(await post(twice))).toEqual(TOKEN_ERRORS.used);
});

test('each refusal is its own, and the others get their tokens', async () => {
  const inactive = await newServiceApp(org);
  const scopeless = await newServiceApp(org, { scopes: ['svc.groups.read'] });
  const forms = await newForms(apps.all, 3);
  const refusedForms = [await newForm(inactive, 'svc.users.read'), await newForm(scopeless, 'svc.users.read')];
  const { failed } = watch();
  const change = `update apps set status = 'INACTIVE' where org_id = $1 and id = $2`;
  await query(change, [org.id, inactive.id]);
  const answers = await Promise.all([...forms, ...refusedForms].map(post));
  expect(failed).toEqual([]);
  expect(statusesOf(answers.slice(0, forms.length))).toEqual(forms.map(() => 200));
  expect(answers.slice(forms.length).map(answerOf)).toEqual([TOKEN_ERRORS.inactive, TOKEN_ERRORS.scope]);
});

test('a client that is changed elsewhere is read again, and its assertion is not lost', async () => {
  const changed = await newServiceApp(org);
  // From here on, the process knows the client.
  expect((await post(await newForm(changed, 'svc.users.read'))).status).toBe(200);
  const forms = await newForms(apps.all, 2);
  const late = [await newForm(changed, 'svc.users.read'), await newForm(changed, 'svc.users.read')];
  await post(await newForm(changed, 'svc.users.read'));
  await query(`update apps set valid_after = clock.now from ${CLOCK} where org_id = $1 and id = $2`, [
    org.id,
    changed.id,
  ]);
  const answers = await Promise.all([...forms, ...late].map(post));
  expect(statusesOf(answers)).toEqual(answers.map(() => 200));
  for (const answer of answers) expect(await eventsOf(org, answer)).toHaveLength(1);
  expect((await Promise.all(late.map(post))).map(answerOf)).toEqual(late.map(() => TOKEN_ERRORS.used));
});

test('a client waits while it is locked, and the others do not', async () => {
  const [locked, ...others] = apps.all;
  if (locked === undefined) throw new Error('there are no apps');
  const [form = ''] = await newForms([locked], 1);
  const forms = await newForms(others, 2);
  const holder = await service.database.pool.connect();
  await holder.query('begin');
  await holder.query('select from apps where org_id = $1 and id = $2 for update', [org.id, locked.id]);
  const { failed } = watch();
  let isAnswered = false;
  const waiting = post(form).finally(() => {
    isAnswered = true;
  });
  expect(statusesOf(await Promise.all(forms.map(post)))).toEqual(forms.map(() => 200));
  // A shared transaction that waited for the client would have failed, because it may wait only for a limited time.
  expect(failed).toEqual([]);
  expect(isAnswered).toBe(false);
  await holder.query('commit');
  holder.release();
  expect((await waiting).status).toBe(200);
});

testOfPlans('the statements for several clients are planned once', async () => {
  const forms = await newForms(apps.all, 4);
  const reads: { readonly text: string; readonly values: readonly unknown[] }[] = [];
  const { locks } = watch();
  vi.restoreAllMocks();
  spyOnStatements((sent) => {
    if (sent.text.startsWith('with clients as materialized')) locks.push(sent);
    if (sent.text.includes('"issuedAt"') && Array.isArray(sent.values[1])) reads.push(sent);
    return null;
  });
  await Promise.all(forms.map(post));
  vi.restoreAllMocks();
  const client = await service.database.pool.connect();
  await client.query('begin');
  const plans = [await plansOfTen(client, locks[0]), await plansOfTen(client, reads[0])];
  await client.query('rollback');
  client.release(true);
  expect(plans).toEqual([FEWEST_PLANS, FEWEST_PLANS]);
});
