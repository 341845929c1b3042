export type { AwsAccount } from './delivery/delivery-eventbridge.ts';
export { createLogStreamSinks } from './delivery/stream-sink.ts';
export { logStreamJobs } from './files/remove-files-job.ts';
export { MAXIMUM_LOG_STREAMS } from './resource.ts';
export { checkStoredLogStream } from './settings/check-stored.ts';
