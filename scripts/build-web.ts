/** `npm run build:web`: builds the web apps unless they are up to date. */
import { buildWebIfOutdated, packPath } from "./web-build.ts";

const started = performance.now();
if (await buildWebIfOutdated()) console.log(`${packPath}  built in ${Math.round(performance.now() - started)} ms`);
