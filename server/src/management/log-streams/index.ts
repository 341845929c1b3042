export { checkStoredLogStream } from './check-stored.ts';
export { MAXIMUM_LOG_STREAMS } from './create-stream.ts';
export type { AwsAccount } from './delivery-eventbridge.ts';
export { logStreamJobs } from './remove-files-job.ts';
export { createLogStreamSinks } from './stream-sink.ts';
