export type { Lookup } from './connect.ts';
export {
  createOutbound,
  type Outbound,
  type OutboundAnswer,
  type OutboundOptions,
  type OutboundRequest,
} from './outbound.ts';
export { OutboundError, type OutboundReason } from './outbound-error.ts';
export { retryAfterMilliseconds } from './retry-after.ts';
