import type { OrgId } from '../../kernel/words/ids.ts';
import { readServerScopes, type ServerScope } from '../../management/authorization-servers/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { type ConsentMethod, consentDue } from './consent-rules.ts';
import { type ConsentParties, readConsents } from './consent-store.ts';

export interface ConsentRequest {
  readonly parties: ConsentParties;
  readonly consentMethod: ConsentMethod;
  /** The parameters `scope` and `prompt` of the request. */
  readonly scope: string | undefined;
  readonly prompt: string | undefined;
  readonly isAnswered: boolean;
}

const words = (text: string | undefined): string[] => (text ?? '').split(' ').filter((word) => word !== '');

/** A request without scopes asks for the default ones. Scopes that the server does not have are ignored. */
export async function findConsentDue(
  db: Db,
  orgId: OrgId,
  { consentMethod, isAnswered, parties, prompt, scope }: ConsentRequest,
): Promise<{ readonly ask: readonly ServerScope[]; readonly granted: readonly ServerScope[] }> {
  const names = words(scope);
  const [all, decided] = await Promise.all([
    readServerScopes(db, orgId, parties.serverId),
    readConsents(db, orgId, parties),
  ]);
  const scopes = all.filter(({ isDefault, name }) => (names.length === 0 ? isDefault : names.includes(name)));
  return consentDue({ prompt: words(prompt), consentMethod, scopes, decided, isAnswered });
}
