import { supervise } from './supervision/supervisor.ts';

// `npm start` runs this small process, which starts the serving process and restarts it after a crash.
process.exit(await supervise());
