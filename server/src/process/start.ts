import { supervise } from './supervision/supervisor.ts';

// `npm start` runs this small process. It starts the serving process, and restarts that process if it dies.
process.exit(await supervise());
