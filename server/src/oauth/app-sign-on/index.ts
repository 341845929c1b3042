export {
  type AppHolding,
  type AppHoldingsPorts,
  createAppHoldings,
  findAppHolding,
} from './app-holdings.ts';
export {
  type AppPolicies,
  type AppPoliciesPorts,
  decideAppSignOn,
  findAppPolicies,
} from './decide-app-sign-on.ts';
export { findHoldingFacts } from './store.ts';
