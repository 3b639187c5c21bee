/** `npm run build:web`: builds the web apps unless they are as their sources say. */
import { buildWebIfOutdated, packPath } from "./web-build.ts";

const started = performance.now();
if (await buildWebIfOutdated()) console.log(`${packPath}  built in ${Math.round(performance.now() - started)} ms`);
