import { type Context, ownerIdOf } from '../../../kernel/context.ts';
import type { MasterKey } from '../../../platform/crypto/index.ts';
import { waitForOthers } from '../../../platform/postgres/index.ts';
import { changedRow } from '../../resource/index.ts';
import type { LogStreamInput } from '../contract.ts';
import { assertFilesFit } from '../files/file-quota.ts';
import { logStreams } from '../resource.ts';
import { readName } from '../settings/name-rules.ts';
import {
  type GivenSettings,
  readSettings,
  refuseSecretElsewhere,
  refuseUnchangeable,
  secretMember,
  secretMissing,
} from '../settings/settings-rules.ts';
import { openStreamSecret, sealStreamSecret } from '../settings/stream-secret.ts';
import { LOG_STREAMS, type LogStream } from '../store.ts';
import type { LogStreamsPorts } from './create-stream.ts';

/** An unchanged secret keeps its sealed form, so that it does not appear as a change. */
function sealedSecretOf(
  masterKey: MasterKey,
  context: Context,
  before: LogStream,
  { secret, settings }: GivenSettings,
): Buffer | null {
  if (secretMember(before.type) === null) return null;
  if (secret === null) {
    if (before.sealedSecret === null) throw secretMissing(before.type);
    refuseSecretElsewhere(before.settings, settings);
    return before.sealedSecret;
  }
  if (openStreamSecret(masterKey, context.orgId, before) === secret) return before.sealedSecret;
  return sealStreamSecret(masterKey, context.orgId, before.id, secret);
}

/** Replaces the stream with the body, except for its status. The caller becomes the owner. */
export async function replaceLogStream(
  { logFilesMegabytes, masterKey, work }: LogStreamsPorts,
  context: Context,
  id: string,
  input: LogStreamInput,
): Promise<LogStream> {
  const given = readSettings(input.type, input.settings);
  return work(context, async (tx, record) => {
    const before = await logStreams.lock(tx, context, id);
    refuseUnchangeable(before.settings, given.settings);
    const after = changedRow(context, before, {
      name: readName(input.name, before.name),
      ownerId: ownerIdOf(context.principal),
      settings: given.settings,
      sealedSecret: sealedSecretOf(masterKey, context, before, given),
    });
    await waitForOthers(tx, context.orgId, LOG_STREAMS.table);
    await assertFilesFit(tx, context, after, logFilesMegabytes, before);
    return logStreams.write(tx, context, [before, after], record);
  });
}
