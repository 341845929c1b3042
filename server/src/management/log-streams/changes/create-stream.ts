import { type Context, ownerIdOf } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { FIRST_REVISION } from '../../../kernel/version.ts';
import { newId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import type { Foundation } from '../../../system-log/index.ts';
import type { LogStreamInput } from '../contract.ts';
import { assertFilesFit } from '../files/file-quota.ts';
import { logStreams } from '../resource.ts';
import { readName } from '../settings/name-rules.ts';
import { readSettings, secretMember, secretMissing } from '../settings/settings-rules.ts';
import { sealStreamSecret } from '../settings/stream-secret.ts';
import { type LogStreamType, STREAM_TYPES } from '../settings/stream-types-rules.ts';
import type { LogStream } from '../store.ts';

export interface LogStreamsPorts extends Pick<Foundation, 'work' | 'masterKey'> {
  readonly hasAwsCredentials: boolean;
  /** The maximum total size, in megabytes, of the files of one org's streams. */
  readonly logFilesMegabytes: number;
}

function refuseWithoutCredentials({ hasAwsCredentials }: LogStreamsPorts, type: LogStreamType): void {
  if (!STREAM_TYPES[type].hasOperatorCredentials || hasAwsCredentials) return;
  throw invalid('type', 'requires AWS credentials, which the operator of this installation has not set.');
}

function draft(ports: LogStreamsPorts, context: Context, input: LogStreamInput): LogStream {
  const { secret, settings } = readSettings(input.type, input.settings);
  refuseWithoutCredentials(ports, settings.type);
  if (secret === null && secretMember(settings.type) !== null) throw secretMissing(settings.type);
  const now = wholeSecond(context.now);
  const id = newId('logStream', orgSuffixOf(context.orgId));
  return {
    id,
    type: settings.type,
    name: readName(input.name),
    // Every new stream is ACTIVE, whatever status the body contains.
    status: 'ACTIVE',
    settings,
    sealedSecret: secret === null ? null : sealStreamSecret(ports.masterKey, context.orgId, id, secret),
    createdAt: now,
    ownerId: ownerIdOf(context.principal),
    lastUpdatedAt: now,
    revision: FIRST_REVISION,
  };
}

/** Creates a stream, which receives all events from then on. */
export async function createLogStream(
  ports: LogStreamsPorts,
  context: Context,
  input: LogStreamInput,
): Promise<LogStream> {
  const stream = draft(ports, context, input);
  return logStreams.create(ports.work, context, stream, (tx) =>
    assertFilesFit(tx, context, stream, ports.logFilesMegabytes, null),
  );
}
