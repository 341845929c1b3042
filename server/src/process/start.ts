import { supervise } from './supervision/supervisor.ts';

// `npm start` runs this light process, which runs the serving one and restarts it when it dies.
process.exit(await supervise());
