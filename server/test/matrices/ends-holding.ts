import type { AdmissionPath } from '../../src/access/admission.ts';
import type { TestResponse } from '../support/client.ts';
import type { EndsWorld } from './ends-world.ts';

/**
 * The conditions that a held credential may depend on. `user`: the user is not suspended, deactivated or deleted.
 * `userWatermark`: nothing has voided the user's earlier credentials. `activeUser`: the user may sign in.
 * `userAccount`, `appAccount`: the user or the app has been neither deactivated nor deleted since the credential was
 * issued.
 */
export type Parent =
  | 'user'
  | 'userWatermark'
  | 'activeUser'
  | 'userAccount'
  | 'session'
  | 'sessionToken'
  | 'apiToken'
  | 'app'
  | 'appWatermark'
  | 'appAccount'
  | 'assignment'
  | 'secret'
  | 'apiScope'
  | 'server'
  | 'serverWatermark'
  | 'policy'
  | 'scope'
  | 'consent'
  | 'accessToken'
  | 'refreshToken'
  | 'key'
  | 'org';

export interface Held {
  readonly name: string;
  readonly hangsOn: readonly Parent[];
  readonly paths: readonly AdmissionPath[];
  readonly tables: readonly string[];
  /** Whether the credential can be tried only once. */
  readonly isSpent?: true;
  readonly hold: (world: EndsWorld) => Promise<() => Promise<boolean>>;
}

export const answersGood = async (answer: Promise<TestResponse>): Promise<boolean> => {
  const { status, text } = await answer;
  if (status >= 500) throw new Error(`answered ${status}: ${text}`);
  return status < 300;
};

export const isTold = (what: (answer: TestResponse) => boolean) => async (answer: Promise<TestResponse>) => {
  const told = await answer;
  if (told.status >= 500) throw new Error(`answered ${told.status}: ${told.text}`);
  return told.status < 300 && what(told);
};

export const OF_USER = ['user', 'userWatermark', 'org'] as const satisfies readonly Parent[];
export const OF_APP = ['app', 'appWatermark', 'assignment'] as const satisfies readonly Parent[];
export const OF_SERVER = ['server', 'serverWatermark'] as const satisfies readonly Parent[];
