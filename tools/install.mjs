// Installs missing developer tools, which `npm start` leaves out.
import { checkNode, ensureInstalled } from './setup.mjs';

checkNode();
await ensureInstalled();
