import { marked, type Token, type Tokens } from "marked";
import type { PageElement, PageNode } from "../../core/artifact/site.ts";

/** Those that people write by hand. Others stay as they are. */
const named: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  copy: "©",
  reg: "®",
  trade: "™",
  hellip: "…",
  mdash: "—",
  ndash: "–",
  rarr: "→",
  larr: "←",
  times: "×",
  middot: "·",
  deg: "°",
  euro: "€",
};

/** Replaces character references, as `&amp;` and `&#39;`, by their characters. */
function decodedEntities(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return Object.hasOwn(named, name) ? named[name]! : whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : "\ufffd";
  });
}

/** Longer code is shown without colours. */
const maxLength = 20_000;

/** Loaded with the first code block: the grammars take longer to load than most projects to build. */
const grammars = (): typeof import("./grammars.js") => require("./grammars.js");

/** Code as text and spans that say what each part is. Plain text if the language is unknown. */
function highlighted(code: string, language: string): PageNode[] {
  if (code.length > maxLength) return [code];
  const { highlighter } = grammars();
  if (!highlighter.getLanguage(language)) return [code];
  const root: PageElement = { tag: "span", children: [] };
  const open = [root];
  // The output is text with entities, and spans with a class.
  for (const [, kind, end, text] of highlighter
    .highlight(code, { language, ignoreIllegals: true })
    .value.matchAll(/<span class="(?:hljs-)?([\w-]*)[^"]*">|(<\/span>)|([^<]+)/g)) {
    const parent = open.at(-1)!;
    if (text !== undefined) parent.children!.push(decodedEntities(text));
    else if (end !== undefined) open.pop();
    else {
      const span: PageElement = { tag: "span", kind: kind!, children: [] };
      parent.children!.push(span);
      open.push(span);
    }
  }
  return root.children!;
}

interface MarkdownContext {
  /** Returns the address that a link leads to; undefined shows only its text. */
  link(href: string): string | undefined;
  /** Returns the address of an image; undefined shows its description instead. */
  image(href: string): string | undefined;
}

export interface RenderedMarkdown {
  /** The text of a heading of level 1 at the beginning, which is not part of the nodes. */
  title: string | undefined;
  nodes: PageNode[];
  headings: { id: string; text: string; level: number }[];
}

/** Links of descriptions in an OpenAPI document, which has no pages and no images beside it. */
export const externalLinks: MarkdownContext = { link: externalLink, image: () => undefined };

/** An address of another site or a mailbox. Anything else, such as a script, is no link. */
export function externalLink(href: string): string | undefined {
  return /^(https?:\/\/|mailto:)[^\s]+$/i.test(href) ? href : undefined;
}

/** Renders Markdown as elements. HTML in it is shown as text, and its comments are left out. */
export function renderMarkdown(text: string, context: MarkdownContext): RenderedMarkdown {
  const tokens = marked.lexer(text, { gfm: true, async: false }).filter(isShown);
  const renderer = new Renderer(context);
  const [first] = tokens;
  const isTitled = first?.type === "heading" && (first as Tokens.Heading).depth === 1;
  const title = isTitled ? textOf(renderer.inline((first as Tokens.Heading).tokens)) : undefined;
  const nodes = renderer.blocks(isTitled ? tokens.slice(1) : tokens);
  renderer.nameRows();
  return { title, nodes, headings: renderer.headings };
}

const isShown = ({ type, raw }: Token): boolean =>
  type !== "space" && (type !== "html" || withoutComments(raw).trim() !== "");

class Renderer {
  readonly headings: RenderedMarkdown["headings"] = [];
  readonly #ids = new Set<string>();
  /** Rows of tables that explain a name: code alone in a cell. */
  readonly #rows: { row: PageElement; name: string }[] = [];

  constructor(private readonly context: MarkdownContext) {}

  blocks(tokens: Token[]): PageNode[] {
    return tokens.flatMap((token) => this.#block(token));
  }

  inline(tokens: Token[] = []): PageNode[] {
    return tokens.flatMap((token) => this.#inline(token));
  }

  #block(token: Token): PageNode[] {
    switch (token.type) {
      case "heading":
        return [this.#heading(token as Tokens.Heading)];
      case "paragraph":
        return [{ tag: "p", children: this.inline(token.tokens) }];
      case "code":
        return [codeBlock(token as Tokens.Code)];
      case "blockquote":
        return [{ tag: "blockquote", children: this.blocks(token.tokens ?? []) }];
      case "list":
        return [this.#list(token as Tokens.List)];
      case "table":
        return [this.#table(token as Tokens.Table)];
      case "hr":
        return [{ tag: "hr" }];
      case "html": {
        const shown = withoutComments(token.raw).trim();
        return shown === "" ? [] : [{ tag: "p", children: [shown] }];
      }
      case "space":
      case "def":
        return [];
      default:
        return this.#inline(token);
    }
  }

  #heading({ depth, tokens }: Tokens.Heading): PageElement {
    const children = this.inline(tokens);
    const text = textOf(children);
    const level = Math.min(4, Math.max(2, depth));
    const id = this.#idOf(text);
    this.headings.push({ id, text, level });
    return { tag: `h${level}` as "h2", id, children };
  }

  /** Rows get their names as anchors, as far as these are not those of headings or of earlier rows. */
  nameRows(): void {
    for (const { row, name } of this.#rows) {
      const id = slugOf(name);
      if (id === "" || this.#ids.has(id)) continue;
      this.#ids.add(id);
      row.id = id;
    }
  }

  #idOf(text: string): string {
    const slug = slugOf(text) || "section";
    let id = slug;
    for (let count = 2; this.#ids.has(id); count++) id = `${slug}-${count}`;
    this.#ids.add(id);
    return id;
  }

  #list({ ordered, start, items }: Tokens.List): PageElement {
    const children = items.map(
      (item): PageElement => ({
        tag: "li",
        children: [
          ...(item.task ? [item.checked ? "☑ " : "☐ "] : []),
          ...item.tokens.flatMap((token) => (token.type === "checkbox" ? [] : this.#itemPart(token))),
        ],
      }),
    );
    const isOther = ordered && typeof start === "number" && start !== 1;
    return { tag: ordered ? "ol" : "ul", ...(isOther && { start }), children };
  }

  /** The text of an item of a tight list is no paragraph. */
  #itemPart(token: Token): PageNode[] {
    return token.type === "text" ? this.inline(token.tokens ?? [token]) : this.#block(token);
  }

  #table({ header, rows }: Tokens.Table): PageElement {
    // An empty header is none for a screen reader.
    const cell = (tag: "th" | "td", { tokens, align }: Tokens.TableCell): PageElement => ({
      tag: tokens.length === 0 ? "td" : tag,
      ...(align && { align }),
      children: this.inline(tokens),
    });
    const row = (tag: "th" | "td", cells: Tokens.TableCell[]): PageElement => {
      const written: PageElement = { tag: "tr", children: cells.map((each) => cell(tag, each)) };
      const code = cells.find(({ tokens: [first, ...others] }) => first?.type === "codespan" && others.length === 0);
      const name = (code?.tokens[0] as Tokens.Codespan | undefined)?.text ?? "";
      if (/^[a-z][\w.-]*$/i.test(name)) this.#rows.push({ row: written, name });
      return written;
    };
    return {
      tag: "table",
      children: [
        { tag: "thead", children: [row("th", header)] },
        { tag: "tbody", children: rows.map((cells) => row("td", cells)) },
      ],
    };
  }

  #inline(token: Token): PageNode[] {
    switch (token.type) {
      case "strong":
      case "em":
      case "del":
        return [{ tag: token.type, children: this.inline(token.tokens) }];
      case "codespan":
        return [{ tag: "code", children: [(token as Tokens.Codespan).text] }];
      case "br":
        return [{ tag: "br" }];
      case "link":
        return this.#link(token as Tokens.Link);
      case "image": {
        const { href, text, title } = token as Tokens.Image;
        const src = this.context.image(href);
        const alt = decodedEntities(text);
        if (src === undefined) return alt === "" ? [] : [alt];
        return [{ tag: "img", src, alt, ...(title && { title: decodedEntities(title) }) }];
      }
      case "html": {
        const shown = withoutComments(token.raw);
        return shown === "" ? [] : [shown];
      }
      case "text":
        if (token.tokens) return this.inline(token.tokens);
        return [decodedEntities(token.raw)];
      case "escape":
        return [(token as Tokens.Escape).text];
      default:
        return [decodedEntities(token.raw)];
    }
  }

  #link({ href, tokens }: Tokens.Link): PageNode[] {
    const children = this.inline(tokens);
    const target = this.context.link(href);
    return target === undefined ? children : [{ tag: "a", href: target, children }];
  }
}

function codeBlock({ text, lang }: Tokens.Code): PageElement {
  const language = /^[\w+#.-]+/.exec(lang ?? "")?.[0]?.toLowerCase();
  if (language === undefined) return { tag: "pre", children: [text] };
  return { tag: "pre", language, children: highlighted(text, language) };
}

function withoutComments(html: string): string {
  return html.replaceAll(/<!--.*?(-->|$)/gs, "");
}

/** The text of nodes without their elements. */
export function textOf(nodes: readonly PageNode[]): string {
  return nodes.map((node) => (typeof node === "string" ? node : (node.alt ?? textOf(node.children ?? [])))).join("");
}

/** A part of an address from any text. */
export function slugOf(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/['’]/g, "")
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, 80);
}

/** The first sentences of a page as one line of plain text. */
export function summaryOf(nodes: readonly PageNode[], maxLength = 200): string {
  const first = nodes.find((node) => typeof node === "string" || node.tag === "p");
  const text = textOf(first === undefined ? [] : [first])
    .replaceAll(/\s+/g, " ")
    .trim();
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength - 1).replace(/\s+\S*$/, "")}…`;
}
