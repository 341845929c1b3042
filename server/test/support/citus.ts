import { inject } from 'vitest';

/** Whether the tests run in a Citus cluster (see `docs/operate/citus.md`). */
export const isOnCitus = inject('servers').length > 1;
