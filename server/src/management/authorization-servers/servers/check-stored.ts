import type { Context } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import { wireGrantType } from '../../../kernel/grant-types.ts';
import { assertReadsAsStored } from '../../../kernel/stored.ts';
import type { Members } from '../../../kernel/words/members.ts';
import { claimValueChecker } from '../claims/check-claim-value.ts';
import { readClaim } from '../claims/claim-rules.ts';
import type { ServerRuleConditions } from '../policies/policy-rules.ts';
import { readPolicy, readRule } from '../rules/rule-document-rules.ts';
import { assertSystemScopeKeeps, readScope } from '../scopes/scope-rules.ts';
import { SYSTEM_CLAIMS, SYSTEM_SCOPES } from './seed-rules.ts';
import { type IssuerMode, type RotationMode, readServer } from './server-rules.ts';

// These functions validate imported rows against the rules for request bodies.

const nameOf = ({ name }: Members): string => (typeof name === 'string' ? name : '');

export function checkStoredServer(row: Members): void {
  const { audiences, description, issuer_mode: issuerMode, rotation_mode: rotationMode } = row;
  const name = nameOf(row);
  const body = { name, description, audiences, issuerMode, credentials: { signing: { rotationMode } } };
  const modes = { issuerMode: issuerMode as IssuerMode, rotationMode: rotationMode as RotationMode };
  assertReadsAsStored('audiences', audiences, readServer(body, { ...modes, name }).audiences);
}

export function checkStoredScope(row: Members, { namespace }: Context): void {
  const { consent, description, display_name: displayName, metadata_publish: metadataPublish } = row;
  const { is_default: isDefault, is_optional: isOptional } = row;
  const name = nameOf(row);
  const body = { name, displayName, description, metadataPublish, consent, optional: isOptional, default: isDefault };
  const before = { name, displayName: typeof displayName === 'string' ? displayName : null };
  const read = readScope(body, namespace.word, before);
  if (row['is_system'] !== true) return;
  const own = SYSTEM_SCOPES.find((one) => one.name === name);
  if (own === undefined) throw invalid('name', 'is not a scope that every server has.');
  assertSystemScopeKeeps(own, read);
}

const CHECK_VALUE = claimValueChecker({ principal: { kind: 'system', name: 'import' }, roles: [] });

export function checkStoredClaim(row: Members): void {
  const { always_include: alwaysIncludeInToken, claim_type: claimType, value_type: valueType } = row;
  const { group_filter_type: groupFilterType, scopes, value } = row;
  const name = nameOf(row);
  if (row['is_system'] === true) {
    const isOwn = SYSTEM_CLAIMS.some((one) => one.name === name && one.claimType === claimType);
    if (!isOwn || valueType !== 'SYSTEM') throw invalid('name', 'is not a claim that every server has.');
    return;
  }
  const { status } = row;
  const body = { name, status, claimType, valueType, value, alwaysIncludeInToken, conditions: { scopes } };
  const read = readClaim({ ...body, group_filter_type: groupFilterType }, CHECK_VALUE, { name, status: 'ACTIVE' });
  assertReadsAsStored('scopes', scopes, read.scopes);
}

export function checkStoredServerPolicy(row: Members): void {
  const { clients, description } = row;
  const name = nameOf(row);
  const body = { name, description, conditions: { clients: { include: clients } } };
  assertReadsAsStored('clients', clients, readPolicy(body, { name }).clients);
}

export function checkStoredServerRule(row: Members, { namespace: { word } }: Context): void {
  const name = nameOf(row);
  const stored = row['conditions'] as ServerRuleConditions;
  const grantTypes = { include: stored.grantTypes.include.map((one) => wireGrantType(one, { word })) };
  const token = {
    accessTokenLifetimeMinutes: row['access_token_lifetime_minutes'],
    refreshTokenLifetimeMinutes: row['refresh_token_lifetime_minutes'],
    refreshTokenWindowMinutes: row['refresh_token_window_minutes'],
  };
  const read = readRule({ name, conditions: { ...stored, grantTypes }, actions: { token } }, word, name);
  assertReadsAsStored('conditions', stored, read.conditions);
}
