export { wipeFactors } from './changes/remove-factors.ts';
export { checkStoredFactor } from './check-stored.ts';
export { MAXIMUM_FACTORS } from './kinds/factor-kinds.ts';
