/** The facts about the client that sent a request (specification 4.1.11), used by policies and the log. */
export interface ClientContext {
  /** The client's address: the socket's, or the one X-Forwarded-For names when the org trusts the sender. */
  ipAddress: string | null;
  /** Every address on the path, client first. */
  ipChain: readonly string[];
  userAgent: { rawUserAgent: string | null; os: string; browser: string };
  /** `Computer`, `Mobile`, `Tablet` or `Unknown`. */
  device: string;
  deviceFingerprint: string | null;
  /**
   * The fingerprint comes from a cookie that one of our pages read; clients cannot send such a fingerprint themselves.
   */
  isDeviceOfCookie?: true;
  acceptLanguage: string | null;
  /**
   * Names of the org's active zones that hold the address; looked up on demand, because most requests leave no event.
   */
  zoneNames?: () => readonly string[];
}

/** Drops `zoneNames` before a client is kept for longer, because that function references all zones of the org. */
export const withoutZones = (client: ClientContext): ClientContext => {
  const { acceptLanguage, device, deviceFingerprint, ipAddress, ipChain, userAgent } = client;
  return { acceptLanguage, device, deviceFingerprint, ipAddress, ipChain, userAgent };
};
