import type { ClientContext } from '../../kernel/client.ts';
import type { Context } from '../../kernel/context.ts';
import { newRequestId, type OrgId } from '../../kernel/words/ids.ts';
import type { Namespace } from '../../kernel/words/namespace.ts';

const NO_CLIENT: ClientContext = {
  ipAddress: null,
  ipChain: [],
  userAgent: { rawUserAgent: null, os: 'Unknown', browser: 'UNKNOWN' },
  device: 'Unknown',
  deviceFingerprint: null,
  acceptLanguage: null,
};

/** Makes the context of work without a request. `name` is the part of the service that acts. */
export const systemContext = (given: { orgId: OrgId; namespace: Namespace; name: string; now: Date }): Context => ({
  orgId: given.orgId,
  namespace: given.namespace,
  now: given.now,
  requestId: newRequestId(),
  transactionType: 'JOB',
  baseUrl: '',
  canonicalUrl: '',
  eventNames: 'specification',
  principal: { kind: 'system', name: given.name },
  actor: { id: given.name, type: 'SystemPrincipal', alternateId: 'system', displayName: 'System' },
  roles: [],
  scopes: null,
  client: NO_CLIENT,
  requestUri: null,
  url: null,
  idempotency: null,
  precondition: null,
});
