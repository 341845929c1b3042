export { wipeFactors } from './changes/remove-factors.ts';
export { assertMayProve, judgeOf, REFUSALS_OF_PROOF, settleProof } from './changes/settle-proof.ts';
export { newFactor, storeEnrollment } from './changes/store-enrollment.ts';
export { checkStoredFactor } from './check-stored.ts';
export type { FactorProof } from './contract.ts';
export { factorNotFound } from './get-factors.ts';
export { assertNotWaiting } from './guards.ts';
export {
  type FactorKind,
  factorsForSignIn,
  KINDS_TO_ENROLL,
  kindOf,
  MAXIMUM_FACTORS,
  readKind,
  wireProvider,
} from './kinds/factor-kinds.ts';
export { keyImageOf, keyUriOf } from './kinds/key-uri.ts';
export { base32 } from './kinds/one-time-codes.ts';
export { QUESTIONS } from './kinds/question-rules.ts';
export type { FactorPorts } from './ports.ts';
export { openSecret } from './secrets.ts';
export { type Factor, readFactors } from './store.ts';
export { keyNamesOf, profileOf, wireActivation } from './wire.ts';
