// This script installs missing packages, including the developer tools.
import { checkNode, ensureInstalled } from './setup.mjs';

checkNode();
await ensureInstalled();
