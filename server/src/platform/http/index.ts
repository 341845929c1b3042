export { type CookieHeaders, valuesOfCookie } from './cookies/cookie-values.ts';
export { flowCookies, newFlowCookie, readFlowCookie, readFlowCookies } from './cookies/flow-cookie.ts';
export { isFromElsewhere, isFromOwnPage } from './cookies/form-sender.ts';
export { formToken, isOwnForm } from './cookies/form-token.ts';
export {
  clearedSessionCookie,
  isSessionId,
  readBrowserSession,
  readSessionCookie,
  sessionCookie,
} from './cookies/session-cookie.ts';
export { createHostLimit } from './limits/host-limit.ts';
export {
  type AggregatedRefusal,
  createPrefixLimiter,
  createRateLimiter,
  type RateLimiter,
  refusalAggregator,
} from './limits/rate-limit.ts';
export { RATE_LIMIT_BUCKETS, type RateLimitBucket } from './limits/rate-limit-buckets.ts';
export { type CursorCodec, createCursorCodec } from './lists/cursors.ts';
export { type KeysetPage, type KeysetRequest, keysetPage } from './lists/keyset.ts';
export { rowsWithin } from './lists/page-bytes.ts';
export { linksInBody, nextAddress, pageLinks } from './lists/page-links.ts';
export type { Authenticated, Credential, EdgeOrg, EdgeRefusal, OutsideNetwork } from './ports.ts';
export { openPublicPort, type PublicPort, type PublicPortOptions } from './public-port.ts';
export {
  type Answer,
  accepted,
  created,
  FOR_A_YEAR,
  FOR_AN_HOUR,
  html,
  imageFile,
  noContent,
  ok,
  type PageLink,
  page,
  rawJson,
  textAnswer,
  versioned,
} from './request/answer.ts';
export { type BodyLimit, MAXIMUM_BODY_BYTES } from './request/body-limits.ts';
export { addressPrefix, compileCidrs } from './request/client-address.ts';
export { isLoopbackName } from './request/host.ts';
export { responseModifiers } from './request/media-types.ts';
export type { MultipartForm } from './request/multipart.ts';
export {
  choice,
  cursor,
  expansion,
  flag,
  limit,
  optionalFlag,
  paging,
  repeatable,
  text,
} from './request/query-fields.ts';
export { assertIsOf } from './request/request-body.ts';
export { findUnsupportedCharacter } from './request/text-scan.ts';
export { parseUserAgent } from './request/user-agent.ts';
export { resourceRoutes } from './resource-routes.ts';
export { type AnyRoute, type Exclusion, type Grant, type HandlerInput, route, type SomeGrant } from './route.ts';
export { createEntityTags } from './tags/entity-tags.ts';
export { prefersMinimal } from './tags/prefer.ts';
