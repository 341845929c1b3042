export {
  type Answer,
  accepted,
  created,
  html,
  imageFile,
  noContent,
  ok,
  type PageLink,
  page,
  rawJson,
  textAnswer,
  versioned,
} from './answer.ts';
export { type BodyLimit, MAXIMUM_BODY_BYTES } from './body-limits.ts';
export { addressPrefix, compileCidrs } from './client-address.ts';
export { type CookieHeaders, valuesOfCookie } from './cookie-values.ts';
export { type CursorCodec, createCursorCodec } from './cursors.ts';
export { createEntityTags } from './entity-tags.ts';
export { flowCookies, newFlowCookie, readFlowCookie, readFlowCookies } from './flow-cookie.ts';
export { isFromElsewhere, isFromOwnPage } from './form-sender.ts';
export { formToken, isOwnForm } from './form-token.ts';
export { isLoopbackName } from './host.ts';
export { createHostLimit } from './host-limit.ts';
export { type KeysetPage, type KeysetRequest, keysetPage } from './keyset.ts';
export { responseModifiers } from './media-types.ts';
export type { MultipartForm } from './multipart.ts';
export { rowsWithin } from './page-bytes.ts';
export { nextAddress, pageLinks } from './page-links.ts';
export type { Authenticated, Credential, EdgeOrg, EdgeRefusal, OutsideNetwork } from './ports.ts';
export { prefersMinimal } from './prefer.ts';
export { openPublicPort, type PublicPort, type PublicPortOptions } from './public-port.ts';
export { choice, cursor, expansion, flag, limit, optionalFlag, repeatable, text } from './query-fields.ts';
export {
  type AggregatedRefusal,
  createPrefixLimiter,
  createRateLimiter,
  type RateLimiter,
  refusalAggregator,
} from './rate-limit.ts';
export { RATE_LIMIT_BUCKETS, type RateLimitBucket } from './rate-limit-buckets.ts';
export { assertIsOf } from './request-body.ts';
export { type AnyRoute, type Exclusion, type Grant, type HandlerInput, route, type SomeGrant } from './route.ts';
export {
  clearedSessionCookie,
  isSessionId,
  readBrowserSession,
  readSessionCookie,
  sessionCookie,
} from './session-cookie.ts';
export { findUnsupportedCharacter } from './text-scan.ts';
export { parseUserAgent } from './user-agent.ts';
