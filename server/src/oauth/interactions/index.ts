export { dropOldAuthorizationRequests } from './cross-org-store.ts';
export {
  findInteraction,
  findPushedRequest,
  type Interaction,
  type InteractionKind,
  insertInteraction,
  insertPushedRequest,
  lockInteraction,
  noteConsentDecision,
  noteParameters,
  takeRequest,
} from './store.ts';
