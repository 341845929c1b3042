import { setImmediate as nextTurn } from 'node:timers/promises';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TestResponse } from '../support/client.ts';
import { rounds } from '../support/rounds.ts';
import { claimsOf, newServiceApp, newTestKey, postForm, signAssertion, tokenForm } from '../support/service-apps.ts';
import { ME, openSession } from '../support/session-tokens.ts';
import { answerOf, TOKEN_ERRORS } from '../support/token-errors.ts';
import { useService } from '../support/use-service.ts';
import { CREDENTIALS, eventsOf, userPath } from '../support/users.ts';

/**
 * Simultaneous requests that share transactions (ADR 0082) must have results that they could also have had one after
 * the other, in some order. The model searches for such an order.
 */
const { service, org } = useService();

/** A request of a round, with its result. `apply` returns the states after it, or none if the result is impossible. */
interface Done<State> {
  readonly name: string;
  readonly apply: (state: State) => readonly State[];
}

/** Returns the states in which the requests can have left the subject. Each state is compared by its JSON form. */
function statesAfter<State>(before: readonly State[], done: readonly Done<State>[]): State[] {
  const reached = new Map<string, State>();
  const visited = new Set<string>();
  const visit = (state: State, left: readonly Done<State>[]): void => {
    const place = `${JSON.stringify(state)} ${left.map((one) => done.indexOf(one)).join()}`;
    if (visited.has(place)) return;
    visited.add(place);
    if (left.length === 0) reached.set(JSON.stringify(state), state);
    for (const one of left) {
      const others = left.filter((other) => other !== one);
      for (const next of one.apply(state)) visit(next, others);
    }
  };
  for (const state of before) visit(state, done);
  return [...reached.values()];
}

/** Starts each request after a number of turns of the event loop, and awaits all. */
const interleaved = <Result>(requests: readonly { readonly turns: number; readonly send: () => Promise<Result> }[]) =>
  Promise.all(
    requests.map(async ({ send, turns }) => {
      for (let turn = 0; turn < turns; turn += 1) await nextTurn();
      return send();
    }),
  );

const turns = fc.nat(4);
const RUNS = { numRuns: rounds(12), endOnFailure: true, interruptAfterTimeLimit: 40_000 } as const;

describe('sessions', () => {
  const USERS = 3;
  const SESSIONS = 2;

  interface UserState {
    readonly isActive: boolean;
    readonly name: string;
    /** Whether each of the user's sessions is valid. */
    readonly valid: readonly boolean[];
  }

  type Step = { readonly user: number; readonly turns: number } & (
    | { readonly kind: 'refresh' | 'end'; readonly session: number }
    | { readonly kind: 'suspend' | 'unsuspend' | 'rename' }
  );

  const user = fc.nat(USERS - 1);
  const session = fc.nat(SESSIONS - 1);
  const steps: fc.Arbitrary<Step> = fc.oneof(
    { weight: 8, arbitrary: fc.record({ kind: fc.constant('refresh' as const), user, session, turns }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('end' as const), user, session, turns }) },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constantFrom('suspend' as const, 'unsuspend', 'rename', 'rename'), user, turns }),
    },
  );
  const walks = fc.array(fc.array(steps, { minLength: 6, maxLength: 12 }), { minLength: 3, maxLength: 5 });

  interface Person {
    readonly id: string;
    readonly sessions: readonly Awaited<ReturnType<typeof openSession>>[];
    states: readonly UserState[];
  }

  async function newPerson(): Promise<Person> {
    const { id } = await org.createUser({ credentials: CREDENTIALS });
    const sessions = await Promise.all([1, 2].map(() => openSession(service, org, { userId: id })));
    return { id, sessions, states: [{ isActive: true, name: 'Ada', valid: sessions.map(() => true) }] };
  }

  let names = 0;
  function requestOf(people: readonly Person[], step: Step): { name: string; send: () => Promise<TestResponse> } {
    const { id, sessions } = people[step.user] ?? { id: '', sessions: [] };
    if (step.kind === 'rename') {
      names += 1;
      const name = `Ada ${names}`;
      return { name, send: () => org.admin.post(userPath(id), { body: { profile: { firstName: name } } }) };
    }
    if (!('session' in step)) {
      return { name: '', send: () => org.admin.post(`${userPath(id)}/lifecycle/${step.kind}`) };
    }
    const opened = sessions[step.session];
    if (opened === undefined) throw new Error('the session is missing');
    if (step.kind === 'refresh') return { name: '', send: () => opened.client.post(`${ME}/lifecycle/refresh`) };
    return { name: '', send: () => org.admin.del(`/api/v1/sessions/${opened.id}`) };
  }

  /** Says what a request does to its user if it has this status, and if its event has this name. */
  function applied(step: Step, status: number, name: string) {
    return (state: UserState): UserState[] => {
      if (step.kind === 'rename') return status === 200 ? [{ ...state, name }] : [];
      if (!('session' in step)) {
        const isAllowed = state.isActive === (step.kind === 'suspend');
        if ((status === 200) !== isAllowed) return [];
        if (!isAllowed) return [state];
        return [{ ...state, isActive: !state.isActive, valid: state.valid.map(() => false) }];
      }
      const isValid = state.valid[step.session] === true;
      if (isValid !== status < 300) return [];
      if (step.kind === 'end') return [{ ...state, valid: state.valid.map((one, at) => one && at !== step.session) }];
      return !isValid || name === state.name ? [state] : [];
    };
  }

  async function nameIn(answer: TestResponse): Promise<string> {
    const events = await eventsOf(org, answer);
    expect(events).toHaveLength(answer.status === 200 ? 1 : 0);
    return String(events[0]?.target[0]?.displayName).replace(/ Lovelace$/, '');
  }

  test('are refreshed as if each request had been alone', async () => {
    let refreshed = 0;
    await fc.assert(
      fc.asyncProperty(walks, async (walk) => {
        const people = await Promise.all(Array.from({ length: USERS }, newPerson));
        for (const round of walk) {
          const requests = round.map((step) => ({ step, turns: step.turns, ...requestOf(people, step) }));
          const answers = await interleaved(requests);
          const done = await Promise.all(
            requests.map(async ({ name, step }, index) => {
              const answer = answers[index];
              if (answer === undefined) throw new Error('an answer is missing');
              const { status } = answer;
              const told = step.kind === 'refresh' ? await nameIn(answer) : name;
              if (step.kind === 'refresh' && status === 200) refreshed += 1;
              return { step, name: `${JSON.stringify(step)} ${status} ${told}`, apply: applied(step, status, told) };
            }),
          );
          for (const [index, person] of people.entries()) {
            const own = done.filter(({ step }) => step.user === index);
            const before = person.states;
            person.states = statesAfter(before, own);
            if (person.states.length === 0)
              throw new Error(`no order explains ${JSON.stringify({ before, own: own.map(({ name }) => name) })}`);
          }
        }
      }),
      RUNS,
    );
    expect(refreshed).toBeGreaterThan(20);
  }, 120_000);
});

describe('clients', () => {
  const CLIENTS = 3;

  interface ClientState {
    readonly isActive: boolean;
    readonly used: readonly number[];
  }

  type Step = { readonly client: number; readonly turns: number } & (
    | { readonly kind: 'token'; readonly assertion: number }
    | { readonly kind: 'change' }
  );

  const client = fc.nat(CLIENTS - 1);
  const token = fc.record({ kind: fc.constant('token' as const), client, assertion: fc.nat(9), turns });
  const steps = fc
    .tuple(fc.array(token, { minLength: 6, maxLength: 12 }), fc.uniqueArray(client, { maxLength: 2 }), turns)
    .map(([tokens, changed, later]): Step[] => [
      ...tokens,
      // With more than one change of a client in a round, a request could be refused although the client is active.
      ...changed.map((one) => ({ kind: 'change' as const, client: one, turns: later })),
    ]);
  const walks = fc.array(steps, { minLength: 3, maxLength: 4 });

  interface Known {
    readonly id: string;
    readonly forms: readonly string[];
    isActive: boolean;
    states: readonly ClientState[];
  }

  async function newKnown(): Promise<Known> {
    const app = await newServiceApp(org, { key: newTestKey('ES256') });
    const forms = await Promise.all(
      Array.from({ length: 10 }, async () =>
        tokenForm(await signAssertion(app.key, claimsOf(org, app.id, service.clock.now()))),
      ),
    );
    return { id: app.id, forms, isActive: true, states: [{ isActive: true, used: [] }] };
  }

  function send({ forms, id, isActive }: Known, step: Step): Promise<TestResponse> {
    if (step.kind === 'token') return postForm(org.anonymous, '/oauth2/v1/token', forms[step.assertion] ?? '');
    return org.admin.post(`/api/v1/apps/${id}/lifecycle/${isActive ? 'deactivate' : 'activate'}`);
  }

  const OUTCOMES = new Map([
    [TOKEN_ERRORS.used.error_description, 'used'],
    [TOKEN_ERRORS.inactive.error_description, 'inactive'],
  ]);
  const outcomeOf = (answer: TestResponse): string =>
    answer.status === 200 ? 'done' : (OUTCOMES.get(String(answerOf(answer).error_description)) ?? answer.text);

  function applied(step: Step, outcome: string) {
    return (state: ClientState): ClientState[] => {
      if (step.kind === 'change') return outcome === 'done' ? [{ ...state, isActive: !state.isActive }] : [];
      const isUsed = state.used.includes(step.assertion);
      const expected = isUsed ? 'used' : state.isActive ? 'done' : 'inactive';
      if (outcome !== expected) return [];
      return [isUsed ? state : { ...state, used: [...state.used, step.assertion].toSorted((a, b) => a - b) }];
    };
  }

  test('get tokens as if each request had been alone', async () => {
    let issued = 0;
    await fc.assert(
      fc.asyncProperty(walks, async (walk) => {
        const clients = await Promise.all(Array.from({ length: CLIENTS }, newKnown));
        for (const round of walk) {
          const requests = round.flatMap((step) => {
            const known = clients[step.client];
            return known === undefined ? [] : [{ step, turns: step.turns, send: () => send(known, step) }];
          });
          const answers = await interleaved(requests);
          const done = requests.map(({ step }, index) => {
            const answer = answers[index];
            if (answer === undefined) throw new Error('an answer is missing');
            const outcome = outcomeOf(answer);
            if (step.kind === 'token' && outcome === 'done') issued += 1;
            return { step, answer, name: `${JSON.stringify(step)} ${outcome}`, apply: applied(step, outcome) };
          });
          for (const { answer, step } of done)
            if (step.kind === 'token') expect(await eventsOf(org, answer)).toHaveLength(1);
          for (const [index, known] of clients.entries()) {
            const own = done.filter(({ step }) => step.client === index);
            if (own.some(({ step }) => step.kind === 'change')) known.isActive = !known.isActive;
            const before = known.states;
            known.states = statesAfter(before, own);
            if (known.states.length === 0)
              throw new Error(`no order explains ${JSON.stringify({ before, own: own.map(({ name }) => name) })}`);
          }
        }
      }),
      RUNS,
    );
    expect(issued).toBeGreaterThan(20);
  }, 120_000);
});
