// Unpacks Chromium's archives into the temporary folder, as their package does. chromium-for-tests.ts runs this as a
// separate process with its own temporary folder.
import { inflate } from '@sparticuz/chromium';

await Promise.all(process.argv.slice(2).map((archive) => inflate(archive)));
