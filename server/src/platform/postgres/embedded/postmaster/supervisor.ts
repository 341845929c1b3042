import { setTimeout as delay } from 'node:timers/promises';
import { EmbeddedPostgresError } from '../embedded-error.ts';
import { afterCrash, type Crash, crashKind } from './crash.ts';
import { clearLeftoverPostmaster, killOrphanedBackends } from './leftover-postmaster.ts';
import { type Exit, type Postmaster, type PostmasterPlan, StartFailure, startPostmaster } from './postmaster.ts';

export interface SupervisorCallbacks {
  onRestart?: ((restart: { pid: number; cause: string }) => void) | undefined;
  onFailure?: ((error: EmbeddedPostgresError) => void) | undefined;
}

export interface Supervisor {
  readonly pid: number | null;
  stop(): Promise<void>;
}

/**
 * Starts the server once a killed server's memory is free. After 5 s, the killed server's remaining backends are killed
 * too.
 */
async function startCleared(plan: PostmasterPlan): Promise<Postmaster> {
  const patienceEndsAt = performance.now() + 5000;
  for (;;) {
    await clearLeftoverPostmaster(plan.directory, plan.log);
    await plan.endpoint.removeLeftover();
    try {
      return await startPostmaster(plan);
    } catch (error) {
      if (!(error instanceof StartFailure) || crashKind(error.exit.lastLines) !== 'memoryInUse') throw error;
      if (performance.now() > patienceEndsAt + 10_000) throw error;
      if (performance.now() > patienceEndsAt) killOrphanedBackends(plan.directory);
      await delay(100);
    }
  }
}

/** Starts the server and keeps it running until `stop` is called or `afterCrash` gives up. */
export async function superviseServer(plan: PostmasterPlan, callbacks: SupervisorCallbacks): Promise<Supervisor> {
  const crashes: Crash[] = [];
  const stopping = new AbortController();
  let current: Postmaster | null = await startCleared(plan);

  /** Returns null if `afterCrash` gives up, or if `stop` is called while no start is in progress. */
  async function revive(exit: Exit): Promise<Postmaster | null> {
    let ended = exit;
    while (!stopping.signal.aborted) {
      const kind = crashKind(ended.lastLines);
      crashes.push({ atMilliseconds: performance.now(), kind });
      if (crashes.length > 100) crashes.shift();
      const verdict = afterCrash(crashes);
      if (verdict.action === 'giveUp') {
        const last = ended.lastLines.slice(-5).join(' | ');
        const message = `PostgreSQL was not started again: ${verdict.reason}. Its last lines: ${last}`;
        plan.log('error', message);
        callbacks.onFailure?.(new EmbeddedPostgresError(message));
        return null;
      }
      plan.log('warn', `PostgreSQL ended (${ended.description}); starting it in ${verdict.afterMilliseconds} ms.`);
      await delay(verdict.afterMilliseconds, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return null;
      try {
        return await startCleared(plan);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        ended = error instanceof StartFailure ? error.exit : { lastLines: [message], description: message };
      }
    }
    return null;
  }

  async function watch(): Promise<void> {
    while (current !== null) {
      const exit = await current.ended;
      if (stopping.signal.aborted) return;
      current = null;
      current = await revive(exit);
      if (current !== null && !stopping.signal.aborted) {
        plan.log('info', `PostgreSQL runs again (pid ${current.pid}).`);
        callbacks.onRestart?.({ pid: current.pid, cause: exit.description });
      }
    }
  }

  const watching = watch();
  return {
    get pid() {
      return current?.pid ?? null;
    },
    async stop() {
      stopping.abort();
      await current?.stop();
      // A restart that was in progress when `stop` was called may have started a server, which still has to be stopped.
      await watching;
      await current?.stop();
      current = null;
    },
  };
}
