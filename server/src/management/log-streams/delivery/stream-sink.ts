import { sightOfOwner } from '../../../access/index.ts';
import type { OrgId } from '../../../kernel/words/ids.ts';
import type { Foundation, OpenSink, SinkProvider } from '../../../system-log/index.ts';
import { secretMember } from '../settings/settings-rules.ts';
import { openStreamSecret } from '../settings/stream-secret.ts';
import type { LogStreamType, SettingsOf } from '../settings/stream-types-rules.ts';
import { LOG_STREAMS, type LogStream } from '../store.ts';
import { failing, STREAM_DELIVERIES, type StreamDeliveryPorts } from './stream-deliveries.ts';

export interface LogStreamSinksOptions extends StreamDeliveryPorts, Pick<Foundation, 'db' | 'masterKey'> {}

type Way = Pick<OpenSink, 'maximumEvents' | 'maximumBytes' | 'deliver'>;

const NO_SECRET = 'The stream has no secret: set it anew.';

async function wayOf<Name extends LogStreamType>(
  options: LogStreamSinksOptions,
  orgId: OrgId,
  stream: LogStream,
  type: Name,
  settings: SettingsOf<Name>,
): Promise<Way> {
  const { bounds, open } = STREAM_DELIVERIES[type];
  const secret = secretMember(type) === null ? '' : openStreamSecret(options.masterKey, orgId, stream);
  if (secret === null) return { ...bounds, deliver: failing(NO_SECRET) };
  return { ...bounds, deliver: await open(options, { orgId, settings, secret }) };
}

/** An active stream receives all events, because the contract has no filters for log streams. */
export const createLogStreamSinks = (options: LogStreamSinksOptions): SinkProvider => ({
  open: async (orgId, id) => {
    const stream = await LOG_STREAMS.find(options.db, orgId, id);
    if (stream === undefined || stream.status !== 'ACTIVE') return null;
    return {
      ...(await wayOf(options, orgId, stream, stream.settings.type, stream.settings)),
      target: { id: stream.id, type: 'LogStream', displayName: stream.name },
      showsValues: (await sightOfOwner(options.db, orgId, stream.ownerId)).reach === 'whole',
      wants: () => true,
    };
  },
});
