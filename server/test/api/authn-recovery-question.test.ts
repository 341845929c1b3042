import { describe, expect, test } from 'vitest';
import { comparable, handOut, INVALID_TOKEN, newUser, step } from '../support/authn.ts';
import { useService } from '../support/use-service.ts';
import { eventsOf, QUESTION, userPath } from '../support/users.ts';

const { service, org } = useService({ isShared: false });

const MINUTE = 60_000;

const redeem = (recoveryToken: string) => step(org.anonymous, '/recovery/token', { recoveryToken });
const answer = (stateToken: string, text: string) =>
  step(org.anonymous, '/recovery/answer', { stateToken, answer: text });

describe('the recovery question', () => {
  test('a wrong answer: 403 E0000087, logged; the fifth ends the recovery, for right and wrong alike', async () => {
    const user = await newUser(org);
    const { stateToken } = (await redeem(await handOut(org, 'password', user))).body;
    for (let time = 0; time < 5; time += 1) {
      const refused = await answer(stateToken, `wrong ${time}`);
      expect(refused).toMatchObject({ status: 403, body: { errorCode: 'E0000087' } });
      expect(await eventsOf(org, refused)).toMatchObject([
        { eventType: 'user.account.reset_password', outcome: { result: 'FAILURE', reason: 'INVALID_ANSWER' } },
      ]);
    }
    const right = await answer(stateToken, QUESTION.answer);
    expect(right).toMatchObject(INVALID_TOKEN);
    expect(comparable(await answer(stateToken, 'wrong'))).toEqual(comparable(right));
    expect((await org.admin.get(userPath(user.id))).body.status).toBe('ACTIVE');
  });

  test('opening the link again, after the question or in the middle of it, gives no more tries', async () => {
    const user = await newUser(org);
    const token = await handOut(org, 'password', user);
    const first = (await redeem(token)).body.stateToken;
    for (let time = 0; time < 3; time += 1) expect((await answer(first, `wrong ${time}`)).status).toBe(403);
    const second = (await redeem(token)).body.stateToken;
    expect(await answer(first, QUESTION.answer)).toMatchObject(INVALID_TOKEN);
    await step(org.anonymous, '/cancel', { stateToken: second });
    const third = (await redeem(token)).body.stateToken;
    for (let time = 3; time < 5; time += 1) expect((await answer(third, `wrong ${time}`)).status).toBe(403);
    expect(await answer(third, QUESTION.answer)).toMatchObject(INVALID_TOKEN);
    expect(await redeem(token)).toMatchObject(INVALID_TOKEN);
    service.clock.advance(MINUTE);
  });

  test('50 wrong ones at once are five', async () => {
    const user = await newUser(org);
    const { stateToken } = (await redeem(await handOut(org, 'password', user))).body;
    const answers = await Promise.all(Array.from({ length: 50 }, (_, time) => answer(stateToken, `wrong ${time}`)));
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(45);
    service.clock.advance(MINUTE);
  });
});
