import { posix } from "node:path";
import { parse, YAMLParseError } from "yaml";
import { z } from "zod";
import { imageTypeOf, type SiteEntry, type SiteGroup } from "../../core/artifact/site.ts";
import { type Findings, fileStart } from "../documents/findings.ts";
import { externalLink, type RenderedMarkdown, renderMarkdown, slugOf, summaryOf } from "./markdown.ts";
import type { SiteFiles } from "./site-files.ts";

/** Other members are ignored: many tools have their own. */
const schema = z.object({
  title: z.string().max(200).optional(),
  description: z.string().max(500).optional(),
  group: z.string().max(100).optional(),
  order: z.number().optional(),
});

interface FrontMatter {
  settings: z.output<typeof schema>;
  /** What follows it. */
  text: string;
  /** The line in which the text begins. */
  firstLine: number;
}

/** Reads the YAML between two lines of `---` at the beginning of a Markdown file. Errors are added to the findings. */
function readFrontMatter(file: string, source: string, findings: Findings): FrontMatter {
  const normal = source.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
  const found = /^---[ \t]*\n(.*?)(?:\n)?---[ \t]*(?:\n|$)/s.exec(normal);
  if (!found) return { settings: {}, text: normal, firstLine: 1 };
  const text = normal.slice(found[0].length);
  const firstLine = found[0].split("\n").length;
  try {
    const parsed = schema.safeParse(parse(found[1]!, { maxAliasCount: 0 }) ?? {});
    if (parsed.success) return { settings: parsed.data, text, firstLine };
    const [issue] = parsed.error.issues;
    findings.error(file, fileStart, `front matter: "${issue!.path.join(".")}": ${issue!.message}`);
  } catch (error) {
    const line = error instanceof YAMLParseError ? (error.linePos?.[0].line ?? 0) : 0;
    findings.error(file, { line: line + 1, column: 1 }, "the front matter is not valid YAML");
  }
  return { settings: {}, text, firstLine };
}

const folder = "docs/";
const searchLength = 120;

interface Guide {
  file: string;
  page: string;
  group: string;
  order: number;
  label: string;
}

/** Writes the guides of a project: the Markdown files below docs/. Returns their navigation. */
export function writeGuides(docs: ReadonlyMap<string, Uint8Array>, files: SiteFiles, findings: Findings): SiteGroup[] {
  const sources = [...docs.keys()].filter((file) => file.endsWith(".md")).sort();
  const pages = new Map(sources.map((file) => [file, pageOf(file)]));
  const guides = sources.flatMap((file) => writeGuide(file, docs, pages, files, findings) ?? []);
  guides.sort((one, other) => one.order - other.order || (one.file < other.file ? -1 : one.file > other.file ? 1 : 0));
  const groups = new Map<string, SiteEntry[]>();
  for (const { group, page, label, text } of guides)
    groups.set(group, [...(groups.get(group) ?? []), { page, label, ...(text !== "" && { text }) }]);
  return [...groups].map(([label, entries]) => ({ label, entries }));
}

/** `docs/start/first-request.md` is `guides/start/first-request`; an index is the page of its folder. */
function pageOf(file: string): string {
  const path = file.slice(folder.length).replace(/\.md$/, "");
  return `guides/${path.replace(/(^|\/)(index|readme)$/i, (_, before: string) => `${before}index`)}`;
}

function writeGuide(
  file: string,
  docs: ReadonlyMap<string, Uint8Array>,
  pages: ReadonlyMap<string, string>,
  files: SiteFiles,
  findings: Findings,
): (Guide & { text: string }) | undefined {
  const source = new TextDecoder().decode(docs.get(file));
  const { settings, text, firstLine } = readFrontMatter(file, source, findings);
  const page = pages.get(file)!;
  const warn = (href: string, message: string) => {
    const index = text.split("\n").findIndex((line) => line.includes(href));
    findings.warning(file, { line: firstLine + Math.max(0, index), column: 1 }, message);
  };
  const rendered = safely(file, findings, () =>
    renderMarkdown(text, {
      link: (href) => linkOf(href, file, pages, warn),
      image: (href) => imageOf(href, file, docs, files, warn),
    }),
  );
  if (!rendered) return undefined;
  const { nodes, headings } = rendered;
  const title = settings.title ?? rendered.title ?? nameOf(page.replace(/\/index$/, "").replace(/^.*\//, ""));
  const description = settings.description ?? summaryOf(nodes);
  const body = rendered.title === undefined ? `# ${title}\n\n${text.trim()}\n` : `${text.trim()}\n`;
  files.addPage(page, { kind: "guide", title, description: description || title, nodes, headings }, body);
  const parent = posix.dirname(page.slice("guides/".length));
  const isIndex = page.endsWith("/index");
  return {
    file,
    page,
    group: settings.group ?? (parent === "." ? "Guides" : nameOf(parent.replace(/^.*\//, ""))),
    order: settings.order ?? (isIndex ? 0 : 1000),
    label: title,
    text: summaryOf(nodes, searchLength),
  };
}

/** Markdown that is nested too deep for the parser is an error of the project. */
function safely(file: string, findings: Findings, render: () => RenderedMarkdown): RenderedMarkdown | undefined {
  try {
    return render();
  } catch {
    findings.error(file, fileStart, "cannot be read as Markdown: it is nested too deep");
    return undefined;
  }
}

type Warn = (href: string, message: string) => void;

/** The file that a relative address names. */
function fileAt(href: string, from: string): string {
  const path = href.replace(/[?#].*$/s, "");
  try {
    return posix.join(posix.dirname(from), decodeURIComponent(path));
  } catch {
    return path;
  }
}

function linkOf(href: string, from: string, pages: ReadonlyMap<string, string>, warn: Warn): string | undefined {
  if (href.startsWith("#")) return `#${slugOf(href)}`;
  const external = externalLink(href);
  if (external !== undefined) return external;
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(href)) {
    warn(href, `the link to "${href}" is left out: only http, https and mailto are links`);
    return undefined;
  }
  const [fragment] = /(?<=#).*$/s.exec(href) ?? [];
  // Of the portal itself, such as /keys.
  if (href.startsWith("/")) return href;
  const page = pages.get(fileAt(href, from));
  if (page === undefined) {
    warn(href, `there is no page "${fileAt(href, from)}"`);
    return undefined;
  }
  // As written for GitHub, whose anchors keep other characters.
  return fragment === undefined ? `page:${page}` : `page:${page}#${slugOf(fragment)}`;
}

function imageOf(
  href: string,
  from: string,
  docs: ReadonlyMap<string, Uint8Array>,
  files: SiteFiles,
  warn: Warn,
): string | undefined {
  const file = fileAt(href, from);
  const bytes = imageTypeOf(file) === undefined ? undefined : docs.get(file);
  if (!bytes) {
    const isRemote = /^([a-z][a-z0-9+.-]*:|\/\/)/i.test(href);
    warn(href, isRemote ? `the image "${href}" is left out: put it into docs/` : `there is no image "${file}"`);
    return undefined;
  }
  const name = `files/${file.slice(folder.length)}`;
  if (!files.has(name)) files.addImage(name, bytes);
  return `file:${name}`;
}

function nameOf(slug: string): string {
  const words = slug.replaceAll(/[-_]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
