export type { Lookup } from './connect.ts';
export { createOutbound, type Outbound, type OutboundOptions } from './outbound.ts';
export { OutboundError } from './outbound-error.ts';
