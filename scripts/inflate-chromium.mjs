// Unpacks archives into the temporary folder, as their package does. Called by chromium-for-tests.ts as a process of its
// own, with its own temporary folder.
import { inflate } from '@sparticuz/chromium';

await Promise.all(process.argv.slice(2).map((archive) => inflate(archive)));
