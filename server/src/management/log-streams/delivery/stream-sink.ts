import { sightOfOwner } from '../../../access/index.ts';
import type { OrgId } from '../../../kernel/words/ids.ts';
import type { DeliveryResult, Foundation, OpenSink, SinkBatch, SinkProvider } from '../../../system-log/index.ts';
import { deliverToFile, FILE_BOUNDS } from '../files/delivery-file.ts';
import { openStreamSecret } from '../settings/stream-secret.ts';
import { findLogStream, type LogStream } from '../store.ts';
import { type AwsAccount, EVENTBRIDGE_BOUNDS, eventBridgeRequest, eventBridgeResult } from './delivery-eventbridge.ts';
import { HTTPS_BOUNDS, httpsRequest } from './delivery-https.ts';
import { resultOfStatus } from './delivery-outcome.ts';
import { post, type StreamOutbound, type StreamRequest } from './delivery-request.ts';
import { SPLUNK_BOUNDS, splunkRequest, splunkResult } from './delivery-splunk.ts';

export interface LogStreamSinksOptions extends Pick<Foundation, 'db' | 'masterKey' | 'namespace'> {
  readonly outbound: StreamOutbound;
  /** Null when the operator has no account for EventBridge. */
  readonly aws: AwsAccount | null;
  /** The files of file streams are in its subdirectory `log-streams`. */
  readonly dataDirectory: string;
  /** Origin of the org's address, whose host name Splunk receives. */
  readonly addressOf: (orgId: OrgId) => Promise<string>;
}

/** How one type delivers, and the largest batch. */
type Way = Pick<OpenSink, 'maximumEvents' | 'maximumBytes' | 'deliver'>;

const failing =
  (reason: string): OpenSink['deliver'] =>
  (): Promise<DeliveryResult> =>
    Promise.resolve({ outcome: 'failed', status: null, reason });

const NO_SECRET = 'The stream has no secret: set it anew.';
const NO_AWS = 'This service was given no AWS credentials.';

/** Delivers by HTTP: the request for a batch, and the meaning of its answer. */
const byPost =
  (
    outbound: StreamOutbound,
    orgId: OrgId,
    request: (batch: SinkBatch) => StreamRequest | Promise<StreamRequest>,
    result: typeof resultOfStatus,
  ): OpenSink['deliver'] =>
  async (batch, signal) =>
    result(await post(outbound, orgId, await request(batch), signal), batch.now);

async function wayOf(options: LogStreamSinksOptions, orgId: OrgId, stream: LogStream): Promise<Way> {
  const { aws, dataDirectory, masterKey, namespace, outbound } = options;
  const { settings } = stream;
  if (settings.type === 'file_ndjson') {
    return { ...FILE_BOUNDS, deliver: (batch, signal) => deliverToFile(dataDirectory, settings, batch, signal) };
  }
  if (settings.type === 'aws_eventbridge') {
    if (aws === null) return { ...EVENTBRIDGE_BOUNDS, deliver: failing(NO_AWS) };
    const request = (batch: SinkBatch) => eventBridgeRequest(aws, settings, batch);
    return { ...EVENTBRIDGE_BOUNDS, deliver: byPost(outbound, orgId, request, eventBridgeResult) };
  }
  const secret = openStreamSecret(masterKey, orgId, stream);
  if (settings.type === 'splunk_cloud_logstreaming') {
    if (secret === null) return { ...SPLUNK_BOUNDS, deliver: failing(NO_SECRET) };
    const { hostname } = new URL(await options.addressOf(orgId));
    const request = (batch: SinkBatch) => splunkRequest(settings, secret, hostname, batch);
    return { ...SPLUNK_BOUNDS, deliver: byPost(outbound, orgId, request, splunkResult) };
  }
  if (secret === null) return { ...HTTPS_BOUNDS, deliver: failing(NO_SECRET) };
  const request = (batch: SinkBatch) => httpsRequest(settings, secret, namespace, batch);
  return { ...HTTPS_BOUNDS, deliver: byPost(outbound, orgId, request, resultOfStatus) };
}

/** Sends all events of an org to its active log streams (contract section 10, ADR 0018). */
export const createLogStreamSinks = (options: LogStreamSinksOptions): SinkProvider => ({
  open: async (orgId, id) => {
    const stream = await findLogStream(options.db, orgId, id);
    if (stream === undefined || stream.status !== 'ACTIVE') return null;
    return {
      ...(await wayOf(options, orgId, stream)),
      target: { id: stream.id, type: 'LogStream', displayName: stream.name },
      showsValues: (await sightOfOwner(options.db, orgId, stream.ownerId)).reach === 'whole',
      wants: () => true,
    };
  },
});
