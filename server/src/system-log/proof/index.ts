export type { VerifyFault } from './check-event.ts';
export { checkpointJobs, makeCheckpoints } from './checkpoints/checkpoint-job.ts';
export { latestCheckpoint } from './checkpoints/checkpoint-store.ts';
export { type Checkpoint, CheckpointRefusedError, readCheckpointFile } from './checkpoints/checkpoints.ts';
export { createLogSigner } from './checkpoints/create-log-signer.ts';
export { listNewestCheckpoints } from './checkpoints/list-checkpoints.ts';
export { findLogKeys } from './log-keys-store.ts';
export { CHECKPOINT_TYPE, type StatementKeys, signAnchor, statementKeys } from './statements.ts';
export { type VerifyReport, verifyOrg } from './verify-org.ts';
