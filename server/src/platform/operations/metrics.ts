import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface ProcessGauges {
  readonly databasePool: () => { readonly total: number; readonly idle: number; readonly waiting: number };
  readonly passwordQueueDepth: () => number;
  readonly backpressure: () => 'none' | 'administrative' | 'everything';
}

/** The metrics of one process. Label values do not come from clients, so clients cannot add series. */
export interface Metrics {
  readonly registry: Registry;
  /** `operationId` is null if no route matched. */
  readonly requestAnswered: (request: { operationId: string | null; status: number; milliseconds: number }) => void;
  readonly relayDrained: (report: { events: number; lagMilliseconds: number; milliseconds: number }) => void;
  readonly relayFailed: () => void;
  readonly eventQuarantined: () => void;
  readonly eventsSealed: (report: { events: number; segments: number }) => void;
  readonly sealingFailed: () => void;
  readonly jobFinished: (report: { kind: string; result: string; milliseconds: number }) => void;
  /** `lagMilliseconds` is the age of the batch's first event. */
  readonly eventsSent: (report: { kind: string; outcome: string; events: number; lagMilliseconds: number }) => void;
  /** `reason` tells why a read was served by the primary although there are replicas. */
  readonly logRead: (server: 'replica' | 'primary', reason: string) => void;
  readonly replicaLag: (replica: string, bytes: number) => void;
  /** Registers the gauges. A second call would fail, because a registry refuses a name that it already has. */
  readonly observe: (gauges: ProcessGauges) => void;
}

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const LAG_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const DRAIN_SECONDS = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];
const SINK_LAG_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600, 3_600, 86_400];
const JOB_SECONDS = [0.01, 0.1, 1, 10, 60, 600];

function relayMeters(registries: Registry[]) {
  const events = new Counter({
    name: 'gatehouse_relay_events_total',
    help: 'Events moved from the outbox into the System Log by this process.',
    registers: registries,
  });
  const lag = new Histogram({
    name: 'gatehouse_relay_lag_seconds',
    help: 'How long the oldest event of each drain had waited, by the clock of the database.',
    buckets: LAG_SECONDS,
    registers: registries,
  });
  const duration = new Histogram({
    name: 'gatehouse_relay_drain_seconds',
    help: 'Duration of the drains that moved something.',
    buckets: DRAIN_SECONDS,
    registers: registries,
  });
  const errors = new Counter({
    name: 'gatehouse_relay_errors_total',
    help: 'Drains that failed.',
    registers: registries,
  });
  const quarantined = new Counter({
    name: 'gatehouse_relay_quarantined_total',
    help: 'Events that the ledger refused and that were set aside.',
    registers: registries,
  });
  return { events, lag, duration, errors, quarantined };
}

function sealingMeters(registries: Registry[]) {
  const events = new Counter({
    name: 'gatehouse_log_sealed_events_total',
    help: 'Events of the System Log that this process packed into segments.',
    registers: registries,
  });
  const segments = new Counter({
    name: 'gatehouse_log_sealed_segments_total',
    help: 'Segments of the System Log that this process wrote.',
    registers: registries,
  });
  const errors = new Counter({
    name: 'gatehouse_log_sealing_errors_total',
    help: 'Runs and turns of orgs in which sealing failed, and repeated roll-backs.',
    registers: registries,
  });
  return { events, segments, errors };
}

function replicaMeters(registries: Registry[]) {
  const reads = new Counter({
    name: 'gatehouse_log_reads_total',
    help: 'Reads of the System Log for which there are replicas, by the server that served them, and why.',
    labelNames: ['server', 'reason'] as const,
    registers: registries,
  });
  const lag = new Gauge({
    name: 'gatehouse_log_replica_lag_bytes',
    help: 'Changes that a replica had not replayed when it was last asked; the most of all workers.',
    labelNames: ['replica'] as const,
    aggregator: 'max',
    registers: registries,
  });
  return { reads, lag };
}

function requestMeters(registries: Registry[]) {
  const requests = new Counter({
    name: 'gatehouse_http_requests_total',
    help: 'Requests answered on the public port.',
    labelNames: ['operation', 'status'] as const,
    registers: registries,
  });
  const duration = new Histogram({
    name: 'gatehouse_http_request_seconds',
    help: 'Time from the request line to the end of the answer.',
    labelNames: ['operation'] as const,
    buckets: REQUEST_SECONDS,
    registers: registries,
  });
  return { requests, duration };
}

function jobMeters(registries: Registry[]) {
  const finished = new Counter({
    name: 'gatehouse_jobs_finished_total',
    help: 'Runs of jobs, by how they ended.',
    labelNames: ['kind', 'result'] as const,
    registers: registries,
  });
  const duration = new Histogram({
    name: 'gatehouse_job_seconds',
    help: 'Duration of a run.',
    labelNames: ['kind'] as const,
    buckets: JOB_SECONDS,
    registers: registries,
  });
  return { finished, duration };
}

function sinkMeters(registries: Registry[]) {
  const batches = new Counter({
    name: 'gatehouse_sink_batches_total',
    help: 'Batches of events sent to hooks and streams, by how that ended.',
    labelNames: ['kind', 'outcome'] as const,
    registers: registries,
  });
  const events = new Counter({
    name: 'gatehouse_sink_events_total',
    help: 'Events that hooks and streams took.',
    labelNames: ['kind'] as const,
    registers: registries,
  });
  const lag = new Histogram({
    name: 'gatehouse_sink_lag_seconds',
    help: 'Age of the oldest event of each batch that was taken.',
    labelNames: ['kind'] as const,
    buckets: SINK_LAG_SECONDS,
    registers: registries,
  });
  return { batches, events, lag };
}

const BACKPRESSURE_LEVELS = { none: 0, administrative: 1, everything: 2 } as const;

function observeProcess(registries: Registry[], gauges: ProcessGauges): void {
  void new Gauge({
    name: 'gatehouse_database_pool_connections',
    help: 'Connections of the pool by state; waiting = requests that wait for one.',
    labelNames: ['state'] as const,
    registers: registries,
    collect() {
      const { total, idle, waiting } = gauges.databasePool();
      this.set({ state: 'busy' }, total - idle);
      this.set({ state: 'idle' }, idle);
      this.set({ state: 'waiting' }, waiting);
    },
  });
  void new Gauge({
    name: 'gatehouse_password_queue_depth',
    help: 'Passwords that wait for a hashing thread.',
    registers: registries,
    collect() {
      this.set(gauges.passwordQueueDepth());
    },
  });
  void new Gauge({
    name: 'gatehouse_backpressure_level',
    help: 'What has to wait for the relay: 0 nothing, 1 administrative changes, 2 all changes; worst of all workers.',
    aggregator: 'max',
    registers: registries,
    collect() {
      this.set(BACKPRESSURE_LEVELS[gauges.backpressure()]);
    },
  });
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registries = [registry];
  collectDefaultMetrics({ register: registry });
  const { requests, duration } = requestMeters(registries);
  const relay = relayMeters(registries);
  const sealing = sealingMeters(registries);
  const jobs = jobMeters(registries);
  const sinks = sinkMeters(registries);
  const replicas = replicaMeters(registries);
  return {
    registry,
    requestAnswered: ({ operationId, status, milliseconds }) => {
      const operation = operationId ?? 'none';
      requests.inc({ operation, status: `${Math.floor(status / 100)}xx` });
      duration.observe({ operation }, milliseconds / 1_000);
    },
    relayDrained: ({ events, lagMilliseconds, milliseconds }) => {
      if (events === 0) return;
      relay.events.inc(events);
      relay.lag.observe(lagMilliseconds / 1_000);
      relay.duration.observe(milliseconds / 1_000);
    },
    relayFailed: () => relay.errors.inc(),
    eventQuarantined: () => relay.quarantined.inc(),
    eventsSealed: ({ events, segments }) => {
      sealing.events.inc(events);
      sealing.segments.inc(segments);
    },
    sealingFailed: () => sealing.errors.inc(),
    jobFinished: ({ kind, result, milliseconds }) => {
      jobs.finished.inc({ kind, result });
      jobs.duration.observe({ kind }, milliseconds / 1_000);
    },
    eventsSent: ({ kind, outcome, events, lagMilliseconds }) => {
      sinks.batches.inc({ kind, outcome });
      if (outcome !== 'delivered') return;
      sinks.events.inc({ kind }, events);
      sinks.lag.observe({ kind }, lagMilliseconds / 1_000);
    },
    logRead: (server, reason) => replicas.reads.inc({ server, reason }),
    replicaLag: (replica, bytes) => replicas.lag.set({ replica }, bytes),
    observe: (gauges) => observeProcess(registries, gauges),
  };
}
