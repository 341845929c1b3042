import { createHmac, timingSafeEqual } from 'node:crypto';
import type { MasterKey } from '../../platform/crypto/index.ts';
import type { LogoutRequest } from './logout-rules.ts';

/** The question of whether to end a session, with the request that raised it. */
export interface Question {
  readonly orgId: string;
  readonly idHash: Buffer;
  readonly serverId: string;
  readonly request: Pick<LogoutRequest, 'clientId' | 'redirectUri' | 'state'>;
}

/** Makes the form token, which shows that our page asked this question. */
export function formTokenOf(masterKey: MasterKey, { idHash, orgId, request, serverId }: Question): string {
  const { clientId, redirectUri, state } = request;
  const said = JSON.stringify([orgId, idHash.toString('hex'), serverId, clientId, redirectUri, state]);
  return createHmac('sha256', masterKey.subkey('logout form')).update(said).digest('base64url');
}

export function isFormToken(masterKey: MasterKey, question: Question, given: string): boolean {
  const [one, other] = [Buffer.from(formTokenOf(masterKey, question)), Buffer.from(given)];
  return one.length === other.length && timingSafeEqual(one, other);
}
