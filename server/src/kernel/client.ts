/** What is known of the client that sent a request (specification 4.1.11); it feeds policies and the log. */
export interface ClientContext {
  /** The client's address: the socket's, or the one X-Forwarded-For names when the org trusts the sender. */
  ipAddress: string | null;
  /** Every address on the way, client first. */
  ipChain: readonly string[];
  userAgent: { rawUserAgent: string | null; os: string; browser: string };
  /** `Computer`, `Mobile`, `Tablet` or `Unknown`. */
  device: string;
  deviceFingerprint: string | null;
  acceptLanguage: string | null;
}
