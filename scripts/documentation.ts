import { join } from "node:path";
import { escaped } from "../src/server/pages/page-html.ts";
import { documentationVersion, readGuides, withSizes } from "./guide-pages.ts";
import { referencePages } from "./reference-pages.ts";

interface DocumentationFile {
  /** Below /docs. */
  path: string;
  /** The extension of its type. */
  type: string;
  content: Uint8Array<ArrayBuffer>;
}

const base = "/docs/guides";

/** The files of /docs: guides as HTML and Markdown, the pages of the reference, and the index of the search. */
export async function documentationFiles(template: string): Promise<DocumentationFile[]> {
  const { pages: reference, navigation } = await referencePages();
  const { pages, groups, images, found, moved } = await readGuides();
  const files: DocumentationFile[] = [];
  const add = (path: string, type: string, content: string | Uint8Array<ArrayBuffer>) =>
    files.push({ path, type, content: typeof content === "string" ? new TextEncoder().encode(content) : content });
  for (const [name, body] of reference) add(`pages/${name}`, "json", Bun.gunzipSync(body));
  const common = { version: documentationVersion, description: "", url: "", key: "" };
  const guides = { ...common, title: "Guides", base, guides: groups, reference: [] };
  const operations = { ...common, title: "Reference", base: "/docs", guides: [], reference: navigation.reference };
  add("pages/search.json", "json", JSON.stringify([{ base, guides: found, reference: [] }, operations]));
  const renderGuide = await renderer();
  for (const { page, content, markdown } of pages) {
    const address = page === "" ? "index" : page;
    const shown = {
      apis: [guides, { ...operations, reference: [] }],
      page,
      content,
      markdown: `${base}/${address}.md`,
    };
    const head = page in moved ? `<meta name="moved" content="${escaped(JSON.stringify(moved[page]))}">` : "";
    const parts: Record<string, string> = {
      title: escaped(page === "" ? content.title : `${content.title} · Tollgate`),
      description: escaped(content.description),
      markdown: escaped(shown.markdown),
      head: `<meta name="robots" content="noindex">${head}`,
      content: withSizes(renderGuide(shown), images),
    };
    add(
      page === "" ? "guides" : `guides/${page}`,
      "html",
      template.replaceAll(/\{(\w+)\}/g, (_, key: string) => parts[key]!),
    );
    add(`guides/${address}.md`, "md", markdown);
  }
  for (const [name, bytes] of images) add(`guides/${name}`, name.replace(/^.*\./, ""), bytes);
  add("llms.txt", "txt", llmsText(groups, new Map(pages.map(({ page, content }) => [page, content.description]))));
  return files;
}

/** https://llmstxt.org: the guides, with a link to the Markdown of each. */
function llmsText(
  groups: readonly { label: string; entries: { page: string; label: string }[] }[],
  descriptions: ReadonlyMap<string, string>,
): string {
  const parts = groups.map(({ label, entries }) => {
    const lines = entries.map((each) => `- [${each.label}](${base}/${each.page}.md): ${descriptions.get(each.page)}`);
    return `## ${label}\n\n${lines.join("\n")}`;
  });
  const about = "Self-hosted server for API keys, usage metering, billing, portals and API gateways.";
  return `# Tollgate ${documentationVersion}\n\n> ${about}\n\nThe OpenAPI document of the management API is at /openapi.json.\n\n${parts.join("\n\n")}\n`;
}

type RenderGuide = (guide: unknown) => string;

/** The components of the pages. Their router reads the address of the window once, when it is loaded. */
async function renderer(): Promise<RenderGuide> {
  const nowhere = { location: { pathname: "" }, history: { state: { index: 0 } }, addEventListener: () => {} };
  const outside = globalThis as { window?: unknown };
  outside.window = nowhere;
  try {
    const { renderGuide } = await import(join(import.meta.dir, "../src/web/docs/render-guide.tsx"));
    return renderGuide as RenderGuide;
  } finally {
    delete outside.window;
  }
}
