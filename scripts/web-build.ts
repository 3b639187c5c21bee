/**
 * Builds the web apps: bundled, named by their content, compressed, and packed into one file each, such as
 * `dist/console.pack`, which the server reads at start and `npm run build` embeds.
 */
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { constants, gzipSync } from "node:zlib";
import { stampOf } from "./stamp.ts";

const project = join(import.meta.dir, "..");
const web = join(project, "src/web");
const apps = ["console", "portal", "docs"] as const;
export type WebApp = (typeof apps)[number];
const packPathOf = (app: WebApp): string => join(project, `dist/${app}.pack`);
export const packPaths = apps.map(packPathOf);
const stampPathOf = (app: WebApp): string => join(project, `dist/${app}.stamp`);

export interface WebFile {
  /** Below the path of the app; empty for the page itself. */
  path: string;
  type: string;
  body: Uint8Array<ArrayBuffer>;
  /** Fonts and pictures are compressed already. */
  isGzip: boolean;
}

/** Builds those that are not built from the same files, and announces each. Returns whether it built. */
export async function buildWebIfOutdated(
  wanted: readonly WebApp[] = apps,
  onBuild?: (app: WebApp) => void,
): Promise<boolean> {
  await mkdir(join(project, "dist"), { recursive: true });
  let hasBuilt = false;
  for (const app of wanted) {
    const stamp = await stampOfSources(app);
    const isBuilt = await Bun.file(packPathOf(app)).exists();
    if (isBuilt && (await readFile(stampPathOf(app), "utf8").catch(() => "")) === stamp) continue;
    onBuild?.(app);
    await writeWhole(packPathOf(app), packOf(await buildWeb(app)));
    await writeWhole(stampPathOf(app), stamp);
    hasBuilt = true;
  }
  return hasBuilt;
}

export async function buildWeb(app: WebApp = "console", { isDevelopment = false } = {}): Promise<WebFile[]> {
  const base = `/${app}/`;
  const { outputs } = await Bun.build({
    entrypoints: [
      join(web, app, "main.tsx"),
      ...(app === "docs" ? [join(web, "docs/guide.ts")] : []),
      join(web, "theme.ts"),
      join(web, `styles/${app}.css`),
    ],
    target: "browser",
    splitting: true,
    minify: !isDevelopment,
    publicPath: `${base}assets/`,
    // Bun would inline fonts into the style sheet; they are added by name below.
    external: ["*.woff2"],
    naming: { entry: "[name]-[hash].[ext]", chunk: "[name]-[hash].[ext]", asset: "[name]-[hash].[ext]" },
    define: { "process.env.NODE_ENV": JSON.stringify(isDevelopment ? "development" : "production") },
  });
  const files: WebFile[] = [];
  const names: Record<string, string> = {};
  for (const output of outputs.filter(({ path }) => path.endsWith(".js"))) {
    const name = basename(output.path);
    if (output.kind === "entry-point") names[name.replace(/-[^-]+\./, ".")] = `${base}assets/${name}`;
    files.push(fileOf(`assets/${name}`, new Uint8Array(await output.arrayBuffer())));
  }
  let style = await outputs.find(({ path }) => path.endsWith(".css"))!.text();
  // The font of the text is the first one, that of code the second.
  let font = "";
  let codeFont = "";
  for (const [written] of style.matchAll(/[^"'(]+\.woff2/g)) {
    const bytes = await bytesOf(Bun.resolveSync(written, web));
    const name = namedByContent(basename(written), bytes);
    style = style.replace(written, `${base}assets/${name}`);
    files.push(fileOf(`assets/${name}`, bytes));
    if (font) codeFont = `${base}assets/${name}`;
    font ||= `${base}assets/${name}`;
  }
  const styleName = namedByContent("style.css", new TextEncoder().encode(style));
  files.push(fileOf(`assets/${styleName}`, new TextEncoder().encode(style)));
  if (app !== "portal") files.push(fileOf("icon.svg", await bytesOf(join(web, "console/icon.svg"))));
  const htmlOf = async (template: string, script: string) =>
    (await readFile(join(web, app, template), "utf8"))
      .replace("{style}", `${base}assets/${styleName}`)
      .replace("{font}", font)
      .replace("{code-font}", codeFont)
      .replace("{theme}", names["theme.js"]!)
      .replace("{script}", names[script]!);
  if (app === "docs") {
    const { documentationFiles } = await import("./documentation.ts");
    for (const { path, type, content } of await documentationFiles(await htmlOf("guide.html", "guide.js")))
      files.push(fileOf(path, content, `.${type}`));
  }
  const page = await htmlOf("index.html", "main.js");
  files.push({ ...fileOf("index.html", new TextEncoder().encode(page)), path: "" });
  return files;
}

function namedByContent(name: string, bytes: Uint8Array): string {
  return name.replace(/\.(\w+)$/, `-${Bun.hash(bytes).toString(36)}.$1`);
}

const types: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".json": "application/json",
  ".js": "text/javascript; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
};

function fileOf(path: string, bytes: Uint8Array<ArrayBuffer>, extension = extname(path)): WebFile {
  const type = types[extension];
  if (!type) throw new Error(`${path}: what is the media type of this?`);
  const isGzip = !/^\.(woff2|webp)$/.test(extension);
  const body = isGzip ? new Uint8Array(gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION })) : bytes;
  return { path, type, body, isGzip };
}

async function bytesOf(path: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await readFile(path));
}

/** The length of the index in four bytes, the index as JSON, then the concatenated bodies. */
function packOf(files: WebFile[]): Uint8Array {
  const index = files.map(({ path, type, body, isGzip }) => ({ path, type, isGzip, length: body.length }));
  const head = Buffer.from(JSON.stringify(index));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(head.length);
  return Buffer.concat([length, head, ...files.map(({ body }) => body)]);
}

/** Written and renamed: parallel tests may build at the same time, and none may read an incomplete file. */
async function writeWhole(path: string, content: Uint8Array | string): Promise<void> {
  const unfinished = `${path}.${process.pid}`;
  await writeFile(unfinished, content);
  await rename(unfinished, path);
}

function stampOfSources(app: WebApp): Promise<string> {
  const files = [import.meta.path, join(project, "package-lock.json")];
  if (app === "docs")
    files.push(...["CHANGELOG", "CONTRIBUTING", "SECURITY", "SUPPORT"].map((name) => join(project, `${name}.md`)));
  // The pages of /docs describe the endpoints of all areas.
  return stampOf(
    files,
    app === "docs"
      ? ["src", "docs", "examples", "scripts"].map((name) => join(project, name))
      : [web, join(project, "src/client"), join(project, "src/lib/text")],
  );
}
