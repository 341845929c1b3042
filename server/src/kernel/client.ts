/** The facts about the client that sent a request (specification 4.1.11). */
export interface ClientContext {
  /**
   * The socket's address, or the one that the org's trusted proxies report. It is null if there is no request, or if
   * the socket has no address.
   */
  ipAddress: string | null;
  /** The addresses on the request's path, as far as the org trusts its proxies. The client's address comes first. */
  ipChain: readonly string[];
  userAgent: { rawUserAgent: string | null; os: string; browser: string };
  /** The kind of device, which is `Computer`, `Mobile`, `Tablet` or `Unknown`. */
  device: string;
  deviceFingerprint: string | null;
  /** This is set if the fingerprint comes from a cookie of our pages rather than from a header. */
  isDeviceOfCookie?: true;
  acceptLanguage: string | null;
  /** Finds the names of the active zones that contain the address. */
  zoneNames?: () => readonly string[];
}

/** Copies a client without `isDeviceOfCookie` and without `zoneNames`, which would keep all zones in memory. */
export const withoutZones = (client: ClientContext): ClientContext => {
  const { acceptLanguage, device, deviceFingerprint, ipAddress, ipChain, userAgent } = client;
  return { acceptLanguage, device, deviceFingerprint, ipAddress, ipChain, userAgent };
};
