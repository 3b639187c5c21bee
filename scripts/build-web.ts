/** `npm run build:web`: builds the web apps unless they are up to date. */
import { buildWebIfOutdated } from "./web-build.ts";

const started = performance.now();
if (!isInstalled("react")) {
  console.error("The console is built with development dependencies: run `npm ci` without --omit=dev.");
  process.exit(1);
}
// It takes seconds, so it is announced.
if (await buildWebIfOutdated(undefined, (app) => console.log(`Building the ${app} …`)))
  console.log(`Built in ${Math.round(performance.now() - started)} ms.`);

function isInstalled(name: string): boolean {
  try {
    return Bun.resolveSync(name, import.meta.dir) !== "";
  } catch {
    return false;
  }
}
