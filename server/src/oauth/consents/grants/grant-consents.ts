import type { Context } from '../../../kernel/context.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { newId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { Record } from '../../../system-log/index.ts';
import type { ConsentDecision, ConsentScope } from '../consent-rules.ts';
import { readConsents, writeConsents } from '../consent-store.ts';
import { type By, type ConsentNames, consentGrantEvent, consentRevokeEvent, tokenRevokeEvent } from '../events.ts';
import { endTokensWith } from '../refresh-tokens/refresh-token-store.ts';

/**
 * Stores a user's answer. If it leaves out a granted scope, the grant is revoked. The caller must have locked the user,
 * client, server and scopes.
 */
export async function grantConsents(
  tx: Tx,
  record: Record,
  { now, orgId }: Pick<Context, 'now' | 'orgId'>,
  names: ConsentNames,
  by: By,
  asked: readonly ConsentScope[],
  answers: readonly ConsentDecision[],
): Promise<void> {
  const before = new Map((await readConsents(tx, orgId, names)).map((one) => [one.scopeId, one.isGranted]));
  const changed = answers.filter(({ isGranted, scopeId }) => before.get(scopeId) !== isGranted);
  if (changed.length === 0) return;
  const scopesOf = (some: readonly ConsentDecision[]): readonly ConsentScope[] =>
    asked.filter(({ id }) => some.some(({ scopeId }) => scopeId === id));
  const granted = scopesOf(changed.filter(({ isGranted }) => isGranted));
  const withdrawn = scopesOf(changed.filter(({ isGranted, scopeId }) => !isGranted && before.get(scopeId) === true));
  const { clientId, serverId, userId } = names;
  const ended = await endTokensWith(
    tx,
    orgId,
    userId,
    withdrawn.map(({ name }) => ({ clientId, serverId, scope: name })),
  );
  const rows = changed.map((one) => ({ ...one, id: newId('grant', orgSuffixOf(orgId)) }));
  await writeConsents(tx, orgId, names, rows, wholeSecond(now));
  if (granted.length > 0) record(consentGrantEvent(names, granted, by));
  if (withdrawn.length > 0) record(consentRevokeEvent(names, withdrawn, by));
  for (const token of ended) record(tokenRevokeEvent({ ...names, ...token }, by));
}
