/**
 * The name under which retention stores in the table `installation` when the oldest event that is left was persisted
 * (RFC 3339). It does so at the end of each run that looked at every org.
 */
export const OLDEST_EVENT_FACT = 'log_oldest_event';
