// Unpacks the archives that it is given into the temporary folder, as their package does it. Called by chromium-for-tests.ts,
// as a process of its own: its temporary folder is nobody else's.
import { inflate } from '@sparticuz/chromium';

await Promise.all(process.argv.slice(2).map((archive) => inflate(archive)));
