import { z } from "zod";

/**
 * The pages of a version for people: the reference of its OpenAPI document and its guides. The builder writes them, so
 * that neither the server nor a browser parses what a project contains. Text is only ever text: there is no markup.
 */

/** The elements of a page. Links lead to http, https, mailto or a page of the portal; images are files of the site. */
const elements = [
  ...(["p", "h2", "h3", "h4", "ul", "ol", "li", "blockquote", "pre", "code", "hr", "br", "a", "img"] as const),
  ...(["strong", "em", "del", "span", "table", "thead", "tbody", "tr", "th", "td"] as const),
] as const;

const element = z
  .object({
    tag: z.enum(elements),
    /** Of a heading: the anchor. */
    id: z.string().optional(),
    href: z.string().optional(),
    src: z.string().optional(),
    alt: z.string().optional(),
    title: z.string().optional(),
    /** Of a code block: the name of its language. */
    language: z.string().optional(),
    /** Of a part of highlighted code: what it is, such as `keyword`. */
    kind: z.string().optional(),
    start: z.int().optional(),
    align: z.enum(["left", "center", "right"]).optional(),
    get children() {
      return z.array(node).optional();
    },
  })
  .meta({ id: "PageElement", description: "An element of a page." });

const node = z.union([z.string(), element]).meta({ id: "PageNode", description: "Text or an element." });
export type PageElement = z.output<typeof element>;
export type PageNode = string | PageElement;

const nodes = z.array(node);

/** What a schema requires, in words. References are followed up to a depth; deeper ones lead to the schema's page. */
const described = z
  .object({
    type: z.string().meta({ description: "In words, such as `string`, `array of Order` or `integer or null`." }),
    format: z.string().optional(),
    name: z.string().optional().meta({ description: "The name of the schema, if it has one." }),
    page: z.string().optional().meta({ description: "The page of the schema, if it is not described here." }),
    description: nodes.optional(),
    rules: z.array(z.string()).optional().meta({ description: "Such as `at least 1`." }),
    values: z.array(z.string()).optional().meta({ description: "The only values, as JSON." }),
    default: z.string().optional(),
    example: z.string().optional(),
    isDeprecated: z.boolean().optional(),
    access: z.enum(["read", "write"]).optional().meta({ description: "Only in responses, or only in requests." }),
    get properties() {
      return z.array(property).optional();
    },
    get items() {
      return described.optional();
    },
    get others() {
      return described.optional();
    },
    get variants() {
      return z.array(described).optional();
    },
    variantKind: z
      .enum(["one", "any"])
      .optional()
      .meta({ description: "Whether one variant matches, or any of them." }),
    discriminator: z.string().optional(),
  })
  .meta({ id: "DescribedSchema" });
export type DescribedSchema = z.output<typeof described>;

const property = z
  .object({ name: z.string(), isRequired: z.boolean(), schema: described })
  .meta({ id: "DescribedProperty" });

const content = z.object({
  mediaType: z.string(),
  schema: described.optional(),
  example: z.string().optional(),
});

const parameter = z.object({
  name: z.string(),
  in: z.enum(["path", "query", "header", "cookie", "querystring"]),
  isRequired: z.boolean(),
  isDeprecated: z.boolean().optional(),
  description: nodes.optional(),
  schema: described,
  example: z.string().optional(),
});
export type DescribedParameter = z.output<typeof parameter>;

/** A header that carries a key, and the text before the key in it. */
const keyHeader = z.object({ header: z.string(), prefix: z.string() });

const operationPage = z
  .object({
    method: z.string(),
    path: z.string(),
    operationId: z.string().optional(),
    isDeprecated: z.boolean().optional(),
    keyHeader: keyHeader.optional().meta({ description: "Set if the gateway requires an API key." }),
    security: z
      .array(z.array(z.object({ name: z.string(), text: z.string() })))
      .optional()
      .meta({ description: "Alternatives. All schemes of one alternative are needed together." }),
    parameters: z.array(parameter),
    body: z.object({ isRequired: z.boolean(), description: nodes.optional(), contents: z.array(content) }).optional(),
    responses: z.array(
      z.object({
        status: z.string().meta({ description: "Such as `200`, `4XX` or `default`." }),
        description: nodes.optional(),
        headers: z.array(z.object({ name: z.string(), description: nodes.optional(), schema: described.optional() })),
        contents: z.array(content),
      }),
    ),
    target: z.string().meta({ description: "Path and query with examples of the required parameters." }),
    samples: z
      .array(z.object({ language: z.string(), code: z.string() }))
      .meta({ description: "Code. `{{url}}` and `{{key}}` stand for the API's address and a key." }),
  })
  .meta({ id: "OperationPage" });
export type OperationPage = z.output<typeof operationPage>;

export const sitePage = z
  .object({
    kind: z.enum(["overview", "operation", "schema", "guide"]),
    title: z.string(),
    description: z.string().meta({ description: "Plain text, for search engines and link previews." }),
    nodes,
    headings: z.array(z.object({ id: z.string(), text: z.string(), level: z.int() })),
    operation: operationPage.optional(),
    schema: described.optional(),
  })
  .meta({
    id: "DocumentationPage",
    description: "A page of the reference, or a guide.",
    examples: [{ kind: "guide", title: "First steps", description: "Send a request.", nodes: [], headings: [] }],
  });
export type SitePage = z.output<typeof sitePage>;

const entry = z.object({
  page: z.string().meta({ description: "The path of the page below the API's own." }),
  label: z.string(),
  method: z.string().optional(),
  path: z.string().optional().meta({ description: "The path template of an operation." }),
  text: z.string().optional().meta({ description: "The beginning of its description, for search." }),
  isDeprecated: z.boolean().optional(),
});
export type SiteEntry = z.output<typeof entry>;

const group = z.object({ label: z.string(), entries: z.array(entry) }).meta({ id: "DocumentationGroup" });
export type SiteGroup = z.output<typeof group>;

/** The pages of a version by group, in the order of the navigation. */
export const siteNavigation = z.object({
  title: z.string(),
  version: z.string(),
  description: z.string(),
  guides: z.array(group),
  reference: z.array(group),
});
type SiteNavigation = z.output<typeof siteNavigation>;

/** Replaced by the API's address and a key where a sample or a Markdown page is shown. */
export const urlPlaceholder = "{{url}}";
export const keyPlaceholder = "{{key}}";

/** A request to a route with the examples of its required parameters. */
export interface ExampleTarget {
  /** Path and query. */
  target: string;
  /** How many parameters have no example. */
  unknown: number;
  /** Required headers, with the type of the body. Absent if there are none. */
  headers?: [name: string, value: string][];
  body?: string;
}

/** Everything but the pages themselves, which are read one by one. */
export interface SiteContents {
  navigation: SiteNavigation;
  /** Example requests by `METHOD /path` of the artifact's routes. */
  targets: Record<string, ExampleTarget>;
  /** Where each file begins in the pack, and its length. Names are `x.json` and `x.md` of pages, and images. */
  files: Record<string, [offset: number, length: number]>;
}

/** The media types of images in guides, by extension. */
const imageTypes: Record<string, string> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  webp: "image/webp",
  gif: "image/gif",
  svg: "image/svg+xml",
};

/** Images are in the pack unchanged, other files gzipped. */
export function imageTypeOf(file: string): string | undefined {
  return imageTypes[/\.(\w+)$/.exec(file)?.[1]?.toLowerCase() ?? ""];
}
