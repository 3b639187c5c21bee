/** Builds what `npm start` and the package run, unless it is up to date: the web apps and the bundled program. */
import "./build-web.ts";
import { bundleProgramIfOutdated } from "./bundle-program.ts";

const started = performance.now();
if (await bundleProgramIfOutdated())
  console.log(`dist/program  bundled in ${Math.round(performance.now() - started)} ms`);
