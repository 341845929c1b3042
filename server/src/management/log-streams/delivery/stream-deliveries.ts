import type { OrgId } from '../../../kernel/words/ids.ts';
import type { DeliveryResult, Foundation, OpenSink, SinkBatch } from '../../../system-log/index.ts';
import { deliverToFile, FILE_BOUNDS } from '../files/delivery-file.ts';
import type { LogStreamType, SettingsOf } from '../settings/stream-types-rules.ts';
import { type AwsAccount, EVENTBRIDGE_BOUNDS, eventBridgeRequest, eventBridgeResult } from './delivery-eventbridge.ts';
import { HTTPS_BOUNDS, httpsRequest } from './delivery-https.ts';
import { resultOfStatus } from './delivery-outcome.ts';
import { post, type StreamOutbound, type StreamRequest } from './delivery-request.ts';
import { SPLUNK_BOUNDS, splunkRequest, splunkResult } from './delivery-splunk.ts';

export interface StreamDeliveryPorts extends Pick<Foundation, 'namespace'> {
  readonly outbound: StreamOutbound;
  /** This is null if the operator configured no AWS account for EventBridge. */
  readonly aws: AwsAccount | null;
  /** File streams write to the subdirectory `log-streams` of this directory. */
  readonly dataDirectory: string;
  readonly addressOf: (orgId: OrgId) => Promise<string>;
}

interface OpenedStream<Settings> {
  readonly orgId: OrgId;
  readonly settings: Settings;
  /** This is empty for types without a secret. */
  readonly secret: string;
}

type Deliver = OpenSink['deliver'];

interface StreamDelivery<Settings> {
  readonly bounds: Pick<OpenSink, 'maximumEvents' | 'maximumBytes'>;
  readonly open: (ports: StreamDeliveryPorts, stream: OpenedStream<Settings>) => Deliver | Promise<Deliver>;
}

export const failing =
  (reason: string): Deliver =>
  (): Promise<DeliveryResult> =>
    Promise.resolve({ outcome: 'failed', status: null, reason });

const NO_AWS = 'This service was given no AWS credentials.';

const byPost =
  (
    outbound: StreamOutbound,
    orgId: OrgId,
    request: (batch: SinkBatch) => StreamRequest | Promise<StreamRequest>,
    result: typeof resultOfStatus,
  ): Deliver =>
  async (batch, signal) =>
    result(await post(outbound, orgId, await request(batch), signal), batch.now);

type StreamDeliveries = { readonly [Name in LogStreamType]: StreamDelivery<SettingsOf<Name>> };

export const STREAM_DELIVERIES: StreamDeliveries = {
  aws_eventbridge: {
    bounds: EVENTBRIDGE_BOUNDS,
    open: ({ aws, outbound }, { orgId, settings }) =>
      aws === null
        ? failing(NO_AWS)
        : byPost(outbound, orgId, (batch) => eventBridgeRequest(aws, settings, batch), eventBridgeResult),
  },
  splunk_cloud_logstreaming: {
    bounds: SPLUNK_BOUNDS,
    open: async ({ addressOf, outbound }, { orgId, secret, settings }) => {
      const { hostname } = new URL(await addressOf(orgId));
      return byPost(outbound, orgId, (batch) => splunkRequest(settings, secret, hostname, batch), splunkResult);
    },
  },
  https_ndjson: {
    bounds: HTTPS_BOUNDS,
    open: ({ namespace, outbound }, { orgId, secret, settings }) =>
      byPost(outbound, orgId, (batch) => httpsRequest(settings, secret, namespace, batch), resultOfStatus),
  },
  file_ndjson: {
    bounds: FILE_BOUNDS,
    open:
      ({ dataDirectory }, { settings }) =>
      (batch, signal) =>
        deliverToFile(dataDirectory, settings, batch, signal),
  },
};
