/**
 * `npm run docs`: writes the documentation of this version as static files to dist/docs, for any web server: every address is a
 * folder with an index.html. `npm run docs -- FOLDER /base` writes elsewhere, for pages below another path than /docs.
 */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { readWebPack } from "../src/server/pages/web-pack.ts";
import { buildWebIfOutdated } from "./web-build.ts";

const [folder = join(import.meta.dir, "../dist/docs"), base = "/docs"] = process.argv.slice(2);
const target = resolve(folder);

await rm(target, { recursive: true, force: true });
await buildWebIfOutdated(["docs"]);
const files = (await readWebPack("docs"))!;
const app = files.find(({ path }) => path === "")!;
const operations = files.flatMap(({ path }) => /^pages\/((?:operations|schemas)\/.+)\.json$/.exec(path)?.[1] ?? []);
// The reference is one page, which finds its content by the address.
const pages = [...files, ...operations.map((path) => ({ ...app, path }))];
for (const { path, type, body, isGzip } of pages) {
  const isPage = type.startsWith("text/html");
  const file = join(target, isPage ? join(path, "index.html") : path);
  const content = isGzip ? Bun.gunzipSync(body) : body;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(
    file,
    /^(text|application)\//.test(type) ? published(new TextDecoder().decode(content), isPage) : content,
  );
}
console.log(`${target}  ${pages.length} files; serve them below ${base}, the start is ${base}/guides`);

/** With the addresses of the place where it is published, and open to search engines. */
function published(text: string, isPage: boolean): string {
  const open = isPage ? text.replace(/\s*<meta name="robots"[^>]*>/, "").replace("<html ", "<html data-export ") : text;
  return open
    .replaceAll(/(["'(`])\/docs(?=["'`/)#])/g, `$1${base}`)
    .replaceAll('"/llms.txt"', `"${base}/llms.txt"`)
    .replaceAll(/<a href="\/(console|openapi\.json)">[^<]*<\/a>/g, "");
}
