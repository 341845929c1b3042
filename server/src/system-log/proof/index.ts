export { checkpointJobs, makeCheckpoints } from './checkpoint-job.ts';
export { latestCheckpoint } from './checkpoint-store.ts';
export { type Checkpoint, CheckpointRefusedError, readCheckpointFile } from './checkpoints.ts';
export { createLogSigner } from './create-log-signer.ts';
export type { VerifyFault } from './judge-event.ts';
export { listNewestCheckpoints } from './list-checkpoints.ts';
export { findLogKeys } from './log-keys-store.ts';
export { CHECKPOINT_TYPE, type StatementKeys, signAnchor, statementKeys } from './statements.ts';
export { type VerifyReport, verifyOrg } from './verify-org.ts';
