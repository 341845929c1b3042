import { supervise } from './supervision/supervisor.ts';

// `npm start`: a light process that runs the serving one, and starts it again when it dies.
process.exit(await supervise());
