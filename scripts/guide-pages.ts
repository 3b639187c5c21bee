import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join, posix, relative } from "node:path";
import packageJson from "../package.json" with { type: "json" };
import { Findings } from "../src/builder/documents/findings.ts";
import { writeGuides } from "../src/builder/site/guides.ts";
import { SiteFiles } from "../src/builder/site/site-files.ts";
import type { PageElement, PageNode, SiteEntry, SiteGroup, SitePage } from "../src/core/artifact/site.ts";
import { imageTypeOf } from "../src/core/artifact/site.ts";
import { sizeOf } from "./picture-size.ts";

const project = join(import.meta.dir, "..");
const base = "/docs/guides";
const start = "docs/README.md";

/** Files outside of docs/ that are pages too, with the files that they are on the site. */
const others: Record<string, string> = {
  "README.md": start,
  "CHANGELOG.md": "docs/changelog.md",
  "CONTRIBUTING.md": "docs/contributing.md",
  "SECURITY.md": "docs/security.md",
  "SUPPORT.md": "docs/support.md",
  "bench/README.md": "docs/benchmarks.md",
  "torture/README.md": "docs/torture.md",
};

export interface GuidePage {
  page: string;
  content: SitePage;
  markdown: string;
}

export interface Guides {
  /** The page of the start has an empty name. */
  pages: GuidePage[];
  groups: SiteGroup[];
  images: Map<string, Uint8Array<ArrayBuffer>>;
  /** Names, commands, errors and sections, by page. */
  found: SiteGroup[];
  /** For each page, the sections that have moved elsewhere. */
  moved: Record<string, Record<string, string>>;
}

/** The guides of a server: docs/*.md and what belongs to them, as a build reads the guides of a gateway project. */
export async function readGuides(): Promise<Guides> {
  const files = new SiteFiles();
  const findings = new Findings();
  writeGuides(await sources(), files, findings);
  const problems = [...findings.errors, ...findings.warnings].map(
    ({ file, line, message }) => `${file}:${line}: ${message}`,
  );
  if (problems.length > 0) throw new Error(`The guides have errors:\n${problems.join("\n")}`);
  const pack = files.pack();
  const pages: GuidePage[] = [];
  const images: Guides["images"] = new Map();
  for (const [name, [offset, length]] of Object.entries(files.files)) {
    const bytes = new Uint8Array(pack.subarray(offset, offset + length));
    if (imageTypeOf(name) !== undefined) images.set(name.replace(/^files\//, ""), bytes);
    if (!name.endsWith(".json")) continue;
    const text = new TextDecoder().decode(Bun.gunzipSync(bytes));
    const [mdOffset, mdLength] = files.files[name.replace(/json$/, "md")]!;
    const markdown = Bun.gunzipSync(new Uint8Array(pack.subarray(mdOffset, mdOffset + mdLength)));
    pages.push({
      page: pageAt(name.replace(/\.json$/, "")),
      content: JSON.parse(
        text
          .replaceAll(/"page:([^"#]+)/g, (_, page: string) => `"page:${pageAt(page)}`)
          .replaceAll('"file:files/', '"file:'),
        // The start is the folder itself.
        (key, value) => (key === "href" && typeof value === "string" ? value.replace(/^page:(?=#|$)/, base) : value),
      ) as SitePage,
      markdown: new TextDecoder().decode(markdown),
    });
  }
  const moved = JSON.parse(await readFile(join(project, "docs/moved.json"), "utf8")) as Guides["moved"];
  const groups = groupsOf(pages);
  return { pages, groups, images, found: searched(pages, groups), moved };
}

/** `guides/keys` is `keys`, and the start has no name. */
const pageAt = (name: string): string => name.replace(/^guides\//, "").replace(/^index$/, "");

async function sources(): Promise<Map<string, Uint8Array>> {
  const docs = await filesIn("docs");
  const examples = (await filesIn("examples")).filter((file) => /^examples\/[^/]+\/README\.md$/.test(file));
  const places = new Map<string, string>();
  for (const file of docs) if (file.endsWith(".md") || imageTypeOf(file)) places.set(file, file);
  for (const file of examples) places.set(file, `docs/examples/${basename(dirname(file))}.md`);
  for (const [file, place] of Object.entries(others)) if (file !== "README.md") places.set(file, place);
  const all = new Map<string, Uint8Array>();
  for (const [file, place] of places) {
    const bytes = new Uint8Array(await readFile(join(project, file)));
    if (!file.endsWith(".md")) all.set(place, bytes);
    else all.set(place, new TextEncoder().encode(withLinks(new TextDecoder().decode(bytes), file, place, places)));
  }
  return all;
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(join(project, folder), { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return paths.map((path) => relative(project, path)).filter((path) => !path.includes("node_modules"));
}

/** Links between files as links between pages; of a link to source code only the text remains. */
function withLinks(text: string, file: string, place: string, places: ReadonlyMap<string, string>): string {
  const parts = text.split(/(^ {0,3}```[\s\S]*?^ {0,3}```)/m);
  return parts
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part.replaceAll(
            /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\((?![a-z]+:|\/|#)([^)#\s]+)(#[^)]*)?\)/g,
            (_, mark, label, href, anchor = "") => {
              const target = posix.join(posix.dirname(file), href).replace(/\/$/, "");
              const known =
                places.get(target) ?? places.get(`${target}/README.md`) ?? (target === "README.md" ? start : undefined);
              if (known === undefined) {
                if (/^(docs\/)?[\w-]+\.md$/.test(target)) throw new Error(`${file}: there is no page for ${href}`);
                return label;
              }
              return `${mark}[${label}](${posix.relative(posix.dirname(place), known)}${anchor})`;
            },
          ),
    )
    .join("");
}

/** The groups of the navigation are the sections of the start, with the pages that these link to. */
function groupsOf(pages: readonly GuidePage[]): SiteGroup[] {
  const byName = new Map(pages.map((each) => [each.page, each]));
  const home = byName.get("");
  if (!home) throw new Error(`${start} is missing.`);
  const groups: SiteGroup[] = [];
  const listed = new Set<string>([""]);
  for (const node of home.content.nodes as PageNode[]) {
    if (typeof node === "string") continue;
    if (node.tag === "h2") groups.push({ label: textOf([node]), entries: [] });
    for (const { href, children } of linksIn(node)) {
      const page = /^page:([^#]*)$/.exec(href ?? "")?.[1];
      const found = page === undefined ? undefined : byName.get(page);
      if (!found || listed.has(page!) || groups.length === 0) continue;
      listed.add(page!);
      groups.at(-1)!.entries.push({ page: page!, label: textOf(children ?? []) });
    }
  }
  const missing = pages.filter(({ page }) => !listed.has(page)).map(({ page }) => page);
  if (missing.length > 0) throw new Error(`${start} links to all pages, but not to ${missing.join(", ")}`);
  return groups.filter(({ entries }) => entries.length > 0);
}

function linksIn(node: PageNode): PageElement[] {
  if (typeof node === "string") return [];
  return node.tag === "a" ? [node] : (node.children ?? []).flatMap(linksIn);
}

const textOf = (nodes: readonly PageNode[]): string =>
  nodes
    .map((node) =>
      typeof node === "string" ? node : textOf(node.children ?? []) + (/^(t[dh]|li|p|pre)$/.test(node.tag) ? " " : ""),
    )
    .join("");

/** The pages, and for each page its sections and the rows of its tables that have an anchor, with the words of their text. */
function searched(pages: readonly GuidePage[], groups: readonly SiteGroup[]): SiteGroup[] {
  const byName = new Map(pages.map((each) => [each.page, each.content]));
  return groups.flatMap(({ label: group, entries }) => {
    const sections = entries.map(({ page, label }) => ({ label, entries: sectionsOf(page, byName.get(page)!) }));
    const whole = sections.flatMap(({ entries: [first] }, index) => ({
      ...first!,
      label: `${kinds[first!.page.replace(/\/.*/, "")] ?? ""}${entries[index]!.label}`,
    }));
    return [
      { label: group, entries: whole },
      ...sections.map(({ label, entries: [, ...rest] }) => ({ label, entries: rest })),
    ];
  });
}

/** What the names of pages in folders are names of. */
const kinds: Record<string, string> = { policies: "Policy: ", decisions: "Decision: ", examples: "Example: " };

function sectionsOf(page: string, { title, nodes }: SitePage): SiteEntry[] {
  // Pages for people who work on Tollgate, and its history, are found as a whole.
  if (/^(decisions\/|changelog$|performance$|measured-failures$)/.test(page))
    return [{ page, label: title, text: plain(textOf(nodes as PageNode[])) }];
  const sections: { page: string; label: string; text: string }[] = [{ page, label: title, text: "" }];
  for (const node of nodes as PageElement[]) {
    if (/^h[2-4]$/.test(node.tag)) {
      sections.push({ page: `${page}#${node.id}`, label: textOf([node]), text: "" });
      continue;
    }
    const rows = (node.children ?? []).flatMap((part) => (typeof part === "string" ? [] : (part.children ?? [])));
    const named = node.tag === "table" ? (rows as PageElement[]).filter(({ id }) => id !== undefined) : [];
    if (named.length === 0) sections.at(-1)!.text += ` ${textOf([node])}`;
    for (const row of named) sections.push({ page: `${page}#${row.id}`, label: nameOf(row), text: textOf([row]) });
  }
  return sections.map((section) => ({ ...section, text: plain(section.text) }));
}

/** What a row explains: the text of its first cell that is only code. */
function nameOf({ children = [] }: PageElement): string {
  const cells = children as PageElement[];
  const cell = cells.find(
    ({ children: [only, ...more] = [] }) => typeof only === "object" && only.tag === "code" && more.length === 0,
  );
  return textOf(cell ? [cell] : []).trim();
}

const plain = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** Pictures get their size, so that nothing moves when they are loaded. */
export function withSizes(html: string, images: ReadonlyMap<string, Uint8Array>): string {
  return html.replaceAll(/<img src="\/docs\/guides\/([^"]+)"/g, (written, name: string) => {
    const bytes = images.get(name);
    const size = bytes && sizeOf(name, bytes);
    return size ? `${written} width="${size.width}" height="${size.height}"` : written;
  });
}

export const documentationVersion = packageJson.version;
