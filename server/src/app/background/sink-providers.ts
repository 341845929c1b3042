import type { OrgId } from '../../kernel/words/ids.ts';
import type { Namespace } from '../../kernel/words/namespace.ts';
import { createEventHookSinks } from '../../management/event-hooks/index.ts';
import { type AwsAccount, createLogStreamSinks } from '../../management/log-streams/index.ts';
import type { OrgDirectory } from '../../management/orgs/index.ts';
import type { MasterKey } from '../../platform/crypto/index.ts';
import type { Outbound } from '../../platform/outbound/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import type { SinkProviders } from '../../system-log/index.ts';

export interface SinkProvidersOptions {
  readonly db: Db;
  readonly masterKey: MasterKey;
  readonly namespace: Namespace;
  readonly outbound: Outbound;
  readonly aws: AwsAccount | null;
  readonly dataDirectory: string;
  readonly orgDirectory: OrgDirectory;
  readonly baseDomain: string;
  readonly publicPort: { readonly value: number | null };
}

export async function addressOf(
  { baseDomain, orgDirectory, publicPort }: Pick<SinkProvidersOptions, 'baseDomain' | 'orgDirectory' | 'publicPort'>,
  orgId: OrgId,
): Promise<string> {
  const port = publicPort.value === null || publicPort.value === 443 ? '' : `:${publicPort.value}`;
  return `https://${await orgDirectory.subdomainOf(orgId)}.${baseDomain}${port}`;
}

export const sinkProvidersOf = (options: SinkProvidersOptions): SinkProviders => ({
  event_hook: createEventHookSinks({ ...options, addressOf: (orgId) => addressOf(options, orgId) }),
  log_stream: createLogStreamSinks({ ...options, addressOf: (orgId) => addressOf(options, orgId) }),
});
