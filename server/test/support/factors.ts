import { codeOf, stepAt, TIME_STEP_SECONDS } from '../../src/management/factors/kinds/one-time-codes.ts';
import type { TestClient, TestResponse } from './client.ts';
import type { TestOrg, TestService } from './service.ts';
import { userPath } from './users.ts';

type Body = TestResponse['body'];

export const QUESTION_FACTOR = {
  factorType: 'question',
  provider: 'SVC',
  profile: { question: 'disliked_food', answer: 'Boiled Cabbage' },
};
export const CODE_FACTOR = { factorType: 'token:software:totp', provider: 'GOOGLE' };

export const factorsPath = (userId: string): string => `${userPath(userId)}/factors`;

export const enroll = (client: TestClient, userId: string, body: object = CODE_FACTOR): Promise<TestResponse> =>
  client.post(factorsPath(userId), { body });

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Decodes Base32 in another way than the service encodes it. */
function decoded(text: string): Buffer {
  const bits = Array.from(text, (character) => ALPHABET.indexOf(character).toString(2).padStart(5, '0')).join('');
  const bytes = bits.match(/[01]{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}

/** Returns the code that an enrolled device shows so many steps after a time. */
export const shownCode = (enrolled: Body, now: Date, steps = 0): string =>
  codeOf(decoded(enrolled._embedded.activation.sharedSecret), stepAt(now) + steps);

/** A device that shows codes, as an authenticator app does. */
export interface CodeDevice {
  readonly userId: string;
  readonly id: string;
  readonly path: string;
  /** Returns the code that the device shows, or would show so many steps from now. */
  readonly code: (steps?: number) => string;
}

const STEP_MILLISECONDS = TIME_STEP_SECONDS * 1_000;

/** Moves the clock to the beginning of a time step, so that the step does not end while a test computes codes. */
export function beginStep({ clock }: Pick<TestService, 'clock'>): void {
  clock.advance(STEP_MILLISECONDS - (clock.now().getTime() % STEP_MILLISECONDS) + 1);
}

export function deviceOf({ clock }: Pick<TestService, 'clock'>, userId: string, enrolled: Body): CodeDevice {
  return {
    userId,
    id: enrolled.id,
    path: `${factorsPath(userId)}/${enrolled.id}`,
    code: (steps = 0) => shownCode(enrolled, clock.now(), steps),
  };
}

/** Creates a user with an active device. Its next code is that of the step after the current one. */
export async function userWithDevice(service: TestService, org: TestOrg): Promise<CodeDevice> {
  const { id } = await org.createUser();
  beginStep(service);
  const device = deviceOf(service, id, (await enroll(org.admin, id)).body);
  const activated = await org.admin.post(`${device.path}/lifecycle/activate`, { body: { passCode: device.code() } });
  if (activated.status !== 200) throw new Error(`the device was not activated: ${activated.text}`);
  return device;
}
